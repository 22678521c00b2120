/**
 * Skip-Reset with history: after an undershoot the election goes back to the hosts that were active one exchange before,
 * not to all n.
 *
 * D. Raz, Y. Shavitt, L. Zhang, "Distributed Council Election", IEEE/ACM Transactions on Networking 12(3), 2004,
 * section VI, Figs. 12 and 13.
 *
 * Model: a centre that multicasts and n anonymous hosts that answer it, synchronous exchanges, n known.
 * Cost: N = cT replies; T is 2.43 for [1, 1], against 2.50 of Skip-Reset.
 *
 * Repaired: lines 5 to 17 of Fig. 12 apply to every feedback, not only to a reset, and only an overshoot becomes the
 * population that a reset goes back to (line 8 of Fig. 13 stores an undershoot too). reading=printed follows the letter:
 * hosts then ignore every feedback without a reset, and each failed draw costs exchanges of silence and polls of all n.
 */
import type { Protocol } from "../../protocol.ts";
import {
  type CouncilMessage,
  type CouncilState,
  councilHandlers,
  type Feedback,
  feedback,
  feedbackBits,
  type HostRandomness,
  isWithin,
  type Rules,
  replyChance,
} from "./council.ts";
import {
  type CouncilParams,
  commonParameters,
  councilTraits,
  cParameter,
  estimateParameter,
  rangeParameters,
  readingParameter,
} from "./parameters.ts";

interface HistoryMemory {
  /** The population that a reset goes back to. */
  population: number;
}

interface HistoryBits {
  active: boolean;
  /** Whether the host was active before the last draw: s_h in Fig. 12. */
  before: boolean;
}

export const historyRules: Rules<CouncilParams, HistoryMemory, Feedback, HistoryBits> = {
  knowsN: true,
  open(params, n) {
    const population = n * params.estimate;
    const polled = params.estimate === 1 && isWithin(n, params);
    const memory = { population: params.reading === "printed" ? 0 : population };
    return { memory, feedback: polled ? null : feedback(population, true) };
  },
  next(memory, [count], params) {
    if (isWithin(count, params)) return null;
    const reset = count < params.L;
    const sent = reset ? feedback(memory.population, true) : feedback(count, false);
    if (!reset || params.reading === "printed") memory.population = count;
    return sent;
  },
  host: () => ({ active: false, before: true }),
  hear(host, heard, params, chance) {
    return params.reading === "printed" ? hearPrinted(host, heard, params, chance) : hear(host, heard, params, chance);
  },
  member: (host) => host.active,
  bits: feedbackBits(1),
};

function hear(
  host: HistoryBits,
  { population, reset }: Feedback,
  params: CouncilParams,
  chance: HostRandomness,
): 0 | 1 {
  if (reset) host.active = host.before;
  else host.before = host.active;
  if (host.active) host.active = chance.coin(replyChance(population, params));
  return host.active ? 1 : 0;
}

function hearPrinted(
  host: HistoryBits,
  { population, reset }: Feedback,
  params: CouncilParams,
  chance: HostRandomness,
): 0 | 1 {
  if (!reset || !host.before) return 0;
  host.active = population < params.L || chance.coin(replyChance(population, params));
  return host.active ? 1 : 0;
}

export const councilHistory: Protocol<
  CouncilParams,
  CouncilState<HistoryMemory, HistoryBits>,
  CouncilMessage<Feedback>,
  "exchange"
> = {
  name: "council-history",
  title: "Council with history: back by one exchange after an undershoot",
  citation: "Raz, Shavitt and Zhang, IEEE/ACM ToN 12(3), 2004, section VI",
  cost: "N = cT replies; T is 2.43 for [1, 1], against 2.50 of Skip-Reset",
  ...councilTraits,
  parameters: [...rangeParameters, estimateParameter, readingParameter, ...commonParameters, cParameter("history")],
  ...councilHandlers(historyRules),
};
