/**
 * Bolot, Turletti and Wakeman's mask: a host replies when the first bits of its fixed random vector match the centre's
 * key; the centre asks for one bit less each time, until somebody replies.
 *
 * J.-C. Bolot, T. Turletti, I. Wakeman, "Scalable feedback control for multicast video distribution in the Internet",
 * SIGCOMM 1994; compared in D. Raz, Y. Shavitt, L. Zhang, "Distributed Council Election", 2004, section VII-A.
 *
 * Model: a centre that multicasts and n anonymous hosts that answer it, synchronous exchanges, n unknown.
 * Cost: 1 + the sum over b = 1 .. 16 of (1 - 2^-b)^n exchanges (13.3 for n = 10), about 1.44 replies.
 *
 * It stops at the first reply, so L is 1 and U only judges the result.
 */
import type { Protocol } from "../../protocol.ts";
import { type CouncilMessage, type CouncilState, councilHandlers, type Rules } from "./council.ts";
import {
  type CouncilParams,
  commonParameters,
  councilAssumptions,
  councilMeasures,
  councilSize,
  judgeCouncil,
} from "./parameters.ts";

interface MasksParams extends CouncilParams {
  readonly bits: number;
}

export interface Mask {
  readonly key: number;
  /** How many leading bits of key and vector have to agree. */
  readonly bits: number;
  /** The length of key and vector. */
  readonly of: number;
}

interface VectorHost {
  vector: number | null;
  active: boolean;
}

export const masksRules: Rules<MasksParams, { mask: Mask }, Mask, VectorHost> = {
  knowsN: false,
  open({ bits }, _n, chance) {
    const mask = { key: chance.choose(2 ** bits), bits, of: bits };
    return { memory: { mask }, feedback: mask };
  },
  next(memory, [count]) {
    if (count > 0) return null;
    memory.mask = { ...memory.mask, bits: Math.max(0, memory.mask.bits - 1) };
    return memory.mask;
  },
  host: () => ({ vector: null, active: false }),
  hear(host, { key, bits, of }, _params, chance) {
    host.vector ??= chance.choose(2 ** of);
    const free = 2 ** (of - bits);
    host.active = Math.floor(host.vector / free) === Math.floor(key / free);
    return host.active ? 1 : 0;
  },
  member: (host) => host.active,
  bits: ({ of }) => of + 5,
};

export const councilMasks: Protocol<
  MasksParams,
  CouncilState<{ mask: Mask }, VectorHost>,
  CouncilMessage<Mask>,
  "exchange"
> = {
  name: "council-masks",
  title: "Bolot's masks: fewer and fewer bits have to match, until somebody replies",
  citation: "Bolot, Turletti and Wakeman, SIGCOMM 1994; Raz et al. 2004, section VII-A",
  cost: "up to 17 exchanges (13.3 for 10 hosts), about 1.44 replies",
  assumes: { ...councilAssumptions, knows: [] },
  parameters: [
    {
      name: "L",
      about: "the least number of members: one reply ends the search",
      type: "integer",
      min: 1,
      max: 1,
      default: 1,
    },
    {
      name: "U",
      about: "the number of members above which a council counts as too large",
      type: "integer",
      min: 1,
      default: 10,
    },
    { name: "bits", about: "the length of vectors and key", type: "integer", min: 1, max: 32, default: 16 },
    ...commonParameters,
  ],
  measures: councilMeasures,
  rounds: "reported",
  judge: judgeCouncil,
  summarise: councilSize,
  ...councilHandlers(masksRules),
};
