/**
 * A council when n is unknown: begin with a guess that is too large, and lower it while fewer than L reply.
 *
 * D. Raz, Y. Shavitt, L. Zhang, "Distributed Council Election", IEEE/ACM Transactions on Networking 12(3), 2004,
 * section VII-A, Fig. 16 and equations (17) to (20).
 *
 * Model: a centre that multicasts and n anonymous hosts that answer it, synchronous exchanges, n unknown.
 * Cost: from a guess of 100,000 for [1, 8]: at most 11 exchanges and few replies when the guess is halved (alpha 1,
 * beta 2), at most 4.1 exchanges and 15 replies with alpha 0.7, beta 1.
 *
 * Repaired: an estimate that once gave more than U replies is kept from then on (Fig. 16 lowers it after any undershoot);
 * where f is not defined everybody is polled. base=naive draws among all hosts every time.
 *
 * The measure `estimate` is what the search says of n: the replies of its last exchange with everybody over the chance of a
 * reply. It is a by-product of few replies, and too high: exchanges with none are not the last.
 */
import type { Protocol } from "../../protocol.ts";
import { smaller } from "../../theory/raz/raz.ts";
import {
  type CouncilMessage,
  type CouncilState,
  councilHandlers,
  type Feedback,
  feedback,
  isWithin,
  type OneBit,
  type ReplyCounts,
  type Rules,
  replyChance,
} from "./council.ts";
import {
  commonParameters,
  councilAssumptions,
  councilTraits,
  cParameter,
  rangeParameters,
  readingParameter,
  refuseSearch,
  type SearchParams,
} from "./parameters.ts";
import { skipResetRules } from "./skip-reset.ts";

interface SearchMemory {
  /** The estimate of n; 0 stands for a poll of everybody. */
  population: number;
  overshot: boolean;
  /** Whether the latest feedback was to everybody: only then do the replies tell how many there are. */
  fresh: boolean;
  /** That number: the replies of the latest such exchange that had any, divided by the chance of a reply. */
  hosts: number;
}

export const unknownRules: Rules<SearchParams, SearchMemory, Feedback, OneBit> = {
  ...skipResetRules,
  knowsN: false,
  open: ({ guess }) => ({
    memory: { population: guess, overshot: false, fresh: true, hosts: 0 },
    feedback: feedback(guess, true),
  }),
  estimate: ({ hosts }) => hosts,
  next(memory, tally, params) {
    const { population, fresh } = memory;
    if (fresh && tally[0] > 0) memory.hosts = tally[0] / (population < params.L ? 1 : replyChance(population, params));
    const next = search(memory, tally, params);
    memory.fresh = next?.reset === true;
    return next;
  },
};

function search(memory: SearchMemory, [count]: ReplyCounts, params: SearchParams): Feedback | null {
  if (isWithin(count, params)) return null;
  if (count < params.L) {
    const keeps = memory.overshot && params.reading === "repaired";
    if (!keeps && memory.population > 0) memory.population = smaller(memory.population, params, params) ?? 0;
    return feedback(memory.population, true);
  }
  memory.overshot = true;
  memory.population = Math.max(memory.population, count);
  return params.base === "naive" ? feedback(memory.population, true) : feedback(count, false);
}

export const councilUnknown: Protocol<
  SearchParams,
  CouncilState<SearchMemory, OneBit>,
  CouncilMessage<Feedback>,
  "exchange"
> = {
  name: "council-unknown",
  title: "Council of an unknown number of hosts: search n from above",
  citation: "Raz, Shavitt and Zhang, IEEE/ACM ToN 12(3), 2004, section VII-A",
  cost: "1 to 11 exchanges (halving) or 1 to 4 (alpha 0.7) for [1, 8] from a guess of 100,000; at most 15 replies",
  ...councilTraits,
  measures: { ...councilTraits.measures, estimate: "max" },
  assumes: { ...councilAssumptions, knows: [] },
  parameters: [
    ...rangeParameters,
    {
      name: "base",
      about: "what follows an overshoot: skip-reset (the repliers draw again) or naive (everybody does)",
      type: ["skip-reset", "naive"],
      default: "skip-reset",
    },
    { name: "guess", about: "the first estimate of n, better too large", type: "number", min: 1, default: 100_000 },
    {
      name: "alpha",
      about: "after an undershoot the estimate m becomes m^alpha / beta (conservative 1, aggressive 0.7)",
      type: "number",
      min: 0,
      max: 1,
      default: 1,
    },
    {
      name: "beta",
      about: "see alpha (conservative 2, aggressive 1)",
      type: "number",
      min: 0,
      default: (_n, { alpha }) => (alpha === 1 ? 2 : 1),
    },
    readingParameter,
    ...commonParameters,
    cParameter("unknown"),
  ],
  refuse: refuseSearch,
  ...councilHandlers(unknownRules),
};
