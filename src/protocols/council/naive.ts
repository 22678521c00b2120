/**
 * The naive council election: every host replies with probability c/n, again and again, until between L and U replies
 * come together.
 *
 * D. Raz, Y. Shavitt, L. Zhang, "Distributed Council Election", IEEE/ACM Transactions on Networking 12(3), 2004, section IV.
 *
 * Model: a centre that multicasts and n anonymous hosts that answer it, synchronous exchanges, n known.
 * Cost: T = 1/p exchanges and N = cT replies, p the probability that one draw falls within [L, U].
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
} from "./council.ts";
import {
  type CouncilParams,
  commonParameters,
  councilTraits,
  cParameter,
  estimateParameter,
  rangeParameters,
  readingParameter,
  refuseCouncil,
} from "./parameters.ts";

interface NaiveMemory {
  readonly population: number;
}

export const naiveRules: Rules<CouncilParams, NaiveMemory, Feedback, OneBit> = {
  knowsN: true,
  open(params, n) {
    const population = n * params.estimate;
    return { memory: { population }, feedback: feedback(population, true) };
  },
  next: ({ population }, [count], params) => (isWithin(count, params) ? null : feedback(population, true)),
  host: () => ({ active: false }),
  hear(host, { population }, { c }, chance) {
    host.active = chance.coin(Math.min(1, c / population));
    return host.active ? 1 : 0;
  },
  member: (host) => host.active,
  bits: feedbackBits(0),
};

export const councilNaive: Protocol<
  CouncilParams,
  CouncilState<NaiveMemory, OneBit>,
  CouncilMessage<Feedback>,
  "exchange"
> = {
  name: "council-naive",
  title: "Naive council: draw until the number of replies fits",
  citation: "Raz, Shavitt and Zhang, IEEE/ACM ToN 12(3), 2004, section IV",
  cost: "1/p exchanges and c/p replies, p the chance of one draw within [L, U]",
  ...councilTraits,
  parameters: [...rangeParameters, estimateParameter, readingParameter, ...commonParameters, cParameter("naive")],
  refuse(params, n) {
    const sure = params.c >= n * params.estimate && n > params.U;
    return sure
      ? `with c >= estimate·n = ${n * params.estimate} all ${n} hosts always reply: lower c`
      : refuseCouncil(params, n);
  },
  ...councilHandlers(naiveRules),
};
