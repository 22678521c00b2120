/**
 * Skip-Reset: as the basic election, but the centre remembers n, so a restart needs a reset bit instead of a poll.
 *
 * D. Raz, Y. Shavitt, L. Zhang, "Distributed Council Election", IEEE/ACM Transactions on Networking 12(3), 2004,
 * section V-A, Figs. 8 and 9.
 *
 * Model: a centre that multicasts and n anonymous hosts that answer it, synchronous exchanges, n known.
 * Cost: N = cT replies; T below 1.4 exchanges for [4, 8], below 2.5 for [1, 1], whatever n.
 *
 * Fig. 8 prints N_c < U for "stay"; the centre stops at U, so in a single election the slip shows only where a wrong
 * estimate of n is U itself.
 */
import type { Protocol } from "../../protocol.ts";
import {
  type CouncilMessage,
  type CouncilState,
  councilHandlers,
  type Feedback,
  feedback,
  feedbackBits,
  isWithin,
  type OneBit,
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

interface PopulationMemory {
  /** What the centre believes the number of hosts to be. */
  population: number;
}

export const skipResetRules: Rules<CouncilParams, PopulationMemory, Feedback, OneBit> = {
  knowsN: true,
  open(params, n) {
    const population = n * params.estimate;
    const polled = params.estimate === 1 && isWithin(n, params);
    return { memory: { population }, feedback: polled ? null : feedback(population, true) };
  },
  next(memory, [count], params) {
    if (isWithin(count, params)) return null;
    memory.population = Math.max(memory.population, count);
    return count < params.L ? feedback(memory.population, true) : feedback(count, false);
  },
  // Init: s = 0. The first draw comes with a reset, so a host that misses it stays out instead of sitting in unheard.
  host: () => ({ active: false }),
  hear(host, { population, reset }, params, chance) {
    if (reset || population < params.L) host.active = true;
    if (host.active && population >= params.L) host.active = chance.coin(replyChance(population, params));
    return host.active ? 1 : 0;
  },
  member: (host) => host.active,
  bits: feedbackBits(1),
};

export const councilSkipReset: Protocol<
  CouncilParams,
  CouncilState<PopulationMemory, OneBit>,
  CouncilMessage<Feedback>,
  "exchange"
> = {
  name: "council-skip-reset",
  title: "Skip-Reset council: restart with a bit instead of a poll",
  citation: "Raz, Shavitt and Zhang, IEEE/ACM ToN 12(3), 2004, section V-A",
  cost: "N = cT replies; about 1.4 exchanges for [4, 8] and 2.5 for [1, 1]",
  ...councilTraits,
  parameters: [...rangeParameters, estimateParameter, readingParameter, ...commonParameters, cParameter("skip-reset")],
  ...councilHandlers(skipResetRules),
};
