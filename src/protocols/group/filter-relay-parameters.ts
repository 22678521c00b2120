/** The parameters of filter-relay, what follows from them for a round (Gupta et al., sections 3.2 and 5), and what cannot work. */
import type { Parameter } from "../../protocol.ts";
import { choiceNames } from "./choice.ts";

/** Known to all members and fixed before the election. */
interface Strategy {
  /** K in the first round: the expected number of relays. */
  readonly initial: number;
  /** What K is multiplied by from one round to the next. */
  readonly factor: number;
  /** The last round, in which K = N: everybody relays. */
  readonly maximum: number;
}

/** K of a round among n members; never above n, which already admits everybody. */
export function relaysExpected({ initial, factor, maximum }: Strategy, round: number, n: number): number {
  if (round >= maximum) return n;
  let k = initial;
  for (let r = 1; r < round && k < n; r++) k *= factor;
  return Math.min(k, n);
}

/** The longest path of a relay graph of 3K/2 members, each step of it one unicast. */
export const relayTime = (k: number, tau: number): number => ((3 * k) / 2) * tau;

/** One multicast; and members start a round up to one delivery apart, or what is in time for one is late for another. */
export const collectTime = (tau: number): number => 2 * tau;

export interface FilterRelayParams {
  readonly K: number;
  readonly factor: number;
  readonly rounds: number;
  readonly view: number;
  readonly reinitiate: "any" | "filtered";
  readonly suppression: "lossy" | "ideal";
  readonly choice: string;
  readonly "n-spread": number;
  readonly expects: boolean;
  readonly window: number;
  readonly tau: number;
  readonly reading: "repaired" | "printed";
}

export const strategyOf = ({ K, factor, rounds }: FilterRelayParams): Strategy => ({
  initial: K,
  factor,
  maximum: rounds,
});

export const filterRelayParameters: readonly Parameter[] = [
  { name: "K", about: "expected number of relays in the first round", type: "number", default: 7 },
  { name: "factor", about: "what K is multiplied by from round to round", type: "number", min: 1, default: 2 },
  { name: "rounds", about: "rounds at most; in the last one K = N, everybody relays", type: "integer", default: 5 },
  { name: "view", about: "probability that a member knows another", type: "share", default: 1 },
  {
    name: "reinitiate",
    about: "who starts another round on seeing none or several leaders: any member, or those a hash admits (Fig. 3)",
    type: ["any", "filtered"],
    default: "any",
  },
  {
    name: "suppression",
    about: "re-initiations are multicasts like any other and may be missed (lossy), or there is exactly one (ideal)",
    type: ["lossy", "ideal"],
    default: "lossy",
  },
  {
    name: "choice",
    about: "who is preferred for a leader",
    get type() {
      return choiceNames();
    },
    default: "lowest-id",
  },
  {
    name: "n-spread",
    about: "members' ideas of N differ from it by up to this factor, up or down",
    type: "number",
    min: 1,
    default: 1,
  },
  {
    name: "expects",
    about:
      "members know that an election is due, so that one that hears nothing of it detects that; false: it cannot know",
    type: "boolean",
    default: true,
  },
  {
    name: "window",
    about: "slots, of one multicast delivery each, over which re-initiations are spread; too few let many be sent",
    type: "integer",
    min: 1,
    default: (n) => 10 * n,
  },
  {
    name: "tau",
    about: "longest delay of a message in time; what is later is lost; default: the longest delay of the network",
    type: "number",
    default: (_n, _before, { maxDelay }) => maxDelay,
  },
  {
    name: "reading",
    about: "repaired, or printed: view sizes in the filter, and equal choices answer each other until the time-out",
    type: ["repaired", "printed"],
    default: "repaired",
  },
];

export function refuseFilterRelay(params: FilterRelayParams): string | null {
  if (!(params.K > 0)) return `K must be above 0, not ${params.K}: with no relays nobody is ever elected`;
  if (params.rounds < 1) return `rounds must be at least 1, not ${params.rounds}: a strategy needs its final round`;
  if (!(params.view > 0)) return `view must be above 0, not ${params.view}: a member must know somebody`;
  if (params.tau === null) return "delays have no bound here, so say after what time a message counts as lost: tau=10";
  if (!(params.tau > 0)) return `tau must be above 0, not ${params.tau}: it is the longest delay of a message`;
  return null;
}
