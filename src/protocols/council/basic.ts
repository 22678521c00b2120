/**
 * The basic council election: active hosts draw with c over the number of replies of the exchange before, and everybody
 * is polled again when fewer than L are left.
 *
 * D. Raz, Y. Shavitt, L. Zhang, "Distributed Council Election", IEEE/ACM Transactions on Networking 12(3), 2004,
 * section V, Figs. 3 and 4.
 *
 * Model: a centre that multicasts and n anonymous hosts that answer it, synchronous exchanges, n known from a poll.
 * Cost: less than 2 exchanges for usual ranges, but n replies after each undershoot. Equation (4) charges only the m < L
 * replies that led to it, which the centre has already paid: reading=printed keeps that in the theory; runs are the same.
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

export const basicRules: Rules<CouncilParams, null, Feedback, OneBit> = {
  knowsN: true,
  open(params, n) {
    const polled = params.estimate === 1 && isWithin(n, params);
    return { memory: null, feedback: polled ? null : feedback(n * params.estimate, false) };
  },
  next: (_memory, [count], params) => (isWithin(count, params) ? null : feedback(count, false)),
  // The poll has made everybody active: there is no reset bit that could do so later.
  host: () => ({ active: true }),
  hear(host, { population }, params, chance) {
    if (population < params.L) host.active = true;
    else if (host.active) host.active = chance.coin(replyChance(population, { ...params, reading: "repaired" }));
    return host.active ? 1 : 0;
  },
  member: (host) => host.active,
  bits: feedbackBits(0),
};

export const councilBasic: Protocol<CouncilParams, CouncilState<null, OneBit>, CouncilMessage<Feedback>, "exchange"> = {
  name: "council-basic",
  title: "Basic council: shrink by c/N_c, poll again below L",
  citation: "Raz, Shavitt and Zhang, IEEE/ACM ToN 12(3), 2004, section V",
  cost: "less than 2 exchanges for usual ranges; n replies after each undershoot",
  ...councilTraits,
  parameters: [...rangeParameters, estimateParameter, readingParameter, ...commonParameters, cParameter("basic")],
  ...councilHandlers(basicRules),
};
