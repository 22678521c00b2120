/**
 * Councils (Raz et al.): their means, and the chance that the council ends outside its range. The centre counts replies and
 * stops only inside [L, U], so without loss nothing can go wrong. Under loss a host whose reply is lost stays active
 * without the centre's knowledge; with a confirmed list only hosts that the centre has heard serve, and of these a member
 * fails that misses every copy of the list.
 */
import { binomialBelow } from "./chance.ts";
import type { Losses } from "./losses.ts";
import { remembering } from "./memo.ts";
import type { Prediction, Question } from "./prediction.ts";
import { bestForMessages, bestForRounds, heuristicMessages, heuristicRounds } from "./raz-optimum.ts";
import { probability } from "./raz-replies.ts";
import { type Council, councilCost, councilTheory, masksTheory, type Setting } from "./raz-report.ts";

interface Params extends Setting {
  readonly confirm: boolean;
  readonly lists: number;
  readonly limit: number;
  readonly bits: number;
}

export const predictMasks = (question: Question): Prediction =>
  masksTheory(question.n, question.params as unknown as Params, question);

export function predictCouncil(question: Question, council: Council): Prediction | null {
  const { n } = question;
  const params = question.params as unknown as Params;
  if (n <= params.U && (params.estimate ?? 1) === 1 && council !== "unknown" && council !== "naive") {
    return everybodyServes(question, params);
  }
  const { loss, multicastLoss, crash } = question;
  const faults = { loss, multicastLoss, crash };
  const theory = remembered([council, n, { ...params, lists: 0, limit: 0 } as Params, faults]);
  if (theory.method === "exact") return theory;
  // Two that must become one and nearly always both reply wait for a lost reply: no mean here knows how long.
  if (council === "basic" && question.loss > 0 && params.c > params.U) return null;
  const means = underLoss(council, question, params);
  const { c: _, ...others } = { ...params, lists: 0, limit: 0 };
  // Where n is unknown, c is tuned for the n that the centre begins with.
  const optimum = council === "unknown" ? theory.optimum : bestUnderLoss([council, n, others, faults]);
  const known = { ...theory, ...means, optimum };
  if (!params.confirm) return known;
  // With fewer than L alive the centre goes on until it gives up. A member fails that misses all copies of the list.
  const short = binomialBelow(n, 1 - question.crash, params.L);
  const missed = question.multicastLoss ** params.lists;
  let fails = 0;
  // An unknown n is guessed from above, by halves: the first draw that brings enough is on the low side.
  const low = council === "unknown" ? 0.5 : 1;
  for (const { size, p } of finalSizes(n, params, low * (1 - question.multicastLoss) * (1 - question.loss)))
    fails += p * binomialBelow(size, 1 - missed, params.L);
  const pNone = short + (1 - short) * fails;
  const perRound = means.messages / means.rounds;
  return {
    ...known,
    rounds: (1 - short) * means.rounds + short * params.limit,
    messages: (1 - short) * means.messages + short * params.limit * perRound,
    success: 1 - pNone,
    pNone,
    pMany: 0,
  };
}

/** The best c takes longest to find, and a planner asks again and again with another number of lists. */
const remembered = remembering(([council, n, params, faults]: Parameters<typeof councilTheory>) =>
  councilTheory(council, n, params, faults),
);

/** What the words for c stand for under these losses: more are asked where fewer are heard. */
const bestUnderLoss = remembering(
  ([council, n, params, faults]: readonly [Council, number, Omit<Params, "c">, Losses]): Prediction["optimum"] => {
    const { L, U, base } = params;
    const cost = (c: number) => underLoss(council, { n, ...faults }, { ...params, c });
    const polls = council === "basic" || base === "basic";
    const tunable = { L, U, cost, messagesUnbounded: L === 1 && !polls };
    const tuned = (c: number) => ({ c, ...cost(c) });
    return {
      "auto-T": tuned(bestForRounds(tunable)),
      "auto-N": tuned(bestForMessages(tunable)),
      "heuristic-T": tuned(heuristicRounds(L, U)),
      "heuristic-N": tuned(heuristicMessages(n, L, U)),
    };
  },
);

/**
 * A host that does not hear, or is not heard, is absent from an exchange; so the centre deals with fewer hosts than it
 * believes, as with a wrong estimate. From an overshoot or a poll on it divides by the number it has heard, which puts
 * that right.
 */
function underLoss(
  council: Council,
  { n, loss, multicastLoss, crash }: Losses & { readonly n: number },
  params: Params,
) {
  const takesPart = (1 - multicastLoss) * (1 - crash) * (1 - loss);
  const heard = Math.max(1, Math.round(n * takesPart));
  const shares = { arrives: 1 - loss, heard: (1 - multicastLoss) * (1 - loss) };
  const setting = {
    ...params,
    ...shares,
    ...(council === "unknown" ? {} : { estimate: ((params.estimate ?? 1) * n) / heard }),
  };
  const { rounds, messages } = councilCost(council, heard, setting);
  return { rounds, messages: messages / (1 - loss) };
}

/** n is known to be within the range: the centre says so once, and whoever is alive and hears it serves. */
function everybodyServes({ n, multicastLoss, crash }: Question, { L }: Params): Prediction {
  const none = binomialBelow(n, (1 - multicastLoss) * (1 - crash), L);
  return {
    method: "exact",
    ...{ success: 1 - none, pNone: none, pMany: 0, messages: 0, rounds: 0 },
    ...{ factors: null, optimum: null },
  };
}

/** How large a council is that ends within [L, U]: as the last draw, of about c replies less those lost. */
function finalSizes(n: number, { L, U, c }: Params, heard: number): { size: number; p: number }[] {
  const sizes = Array.from({ length: Math.min(U, n) - L + 1 }, (_, k) => ({
    size: L + k,
    p: probability(L + k, n, Math.min(1, (c * heard) / n)),
  }));
  const total = sizes.reduce((sum, { p }) => sum + p, 0);
  return sizes.map(({ size, p }) => ({ size, p: p / total }));
}
