/** The knobs of tournament, tournament-async and quorum, with the paper's values as defaults, and what they rule out. */
import type { Parameter, ParameterValue } from "../../protocol.ts";
import { ln } from "../../random/ln.ts";
import {
  believedSize,
  type Design,
  defaultRounds,
  exactSigma,
  mostRounds,
  overProvisioned,
  quorumSize,
} from "../../theory/ramanathan/sigma.ts";
import { LARGEST_RANKED } from "../ranks.ts";

/** The second phase: one probabilistic quorum. */
export interface QuorumParams {
  readonly estimate: number;
  readonly gamma: number;
  readonly s: number;
  readonly ask: number;
}

/** The first phase: J rounds that halve the contenders. */
export interface FirstPhaseParams extends QuorumParams {
  readonly sigma: Design["sigma"];
  readonly alpha: number;
  readonly rounding: Design["rounding"];
  readonly delta: number;
  readonly J: number;
  readonly failures: "all-yes" | "no-refusal";
  /** Whether earlier mediators are kept, and how many are asked beside them (after Theorem 5). */
  readonly mediators: "fresh" | "reuse" | "reuse-all" | "reuse-printed";
}

/** The second phase with the state machines of Figs. 3 to 5. */
export interface TimedParams {
  readonly tau: number;
  readonly reading: "repaired" | "printed" | "tables";
  readonly spread: number;
}

export const quorumParameters: readonly Parameter[] = [
  {
    name: "estimate",
    about: "factor on the n that processes believe in: ranks, sigma, s and J follow from it",
    type: "number",
    min: 1e-6,
    max: 1e6,
    default: 1,
  },
  {
    name: "gamma",
    about: "probability that a process has failed as a mediator (drawn once per run); the default of ask allows for it",
    type: "share",
    default: 0,
  },
  {
    name: "s",
    about: "quorum: positive answers needed in the second phase; default ceil(sqrt(n ln n))",
    type: "integer",
    min: 1,
    default: (n, { estimate }) => Math.min(n, quorumSize(believedSize(n, Number(estimate)))),
  },
  {
    name: "ask",
    about:
      "mediators asked in the second phase, of which s must agree; default ceil((s + 4 sqrt(s gamma)) / (1 - gamma))",
    type: "integer",
    min: 1,
    default: (n, { s, gamma }) => (Number(gamma) < 1 ? Math.min(n, overProvisioned(Number(s), Number(gamma))) : n),
  },
];

export const firstPhaseParameters: readonly Parameter[] = [
  {
    name: "sigma",
    about: "mediators asked in round j: design (sqrt(n ln2 / (n/2^(j-1) - 1))) or alpha (alpha^(j/2), Theorem 6)",
    type: ["design", "alpha"],
    default: "design",
  },
  { name: "alpha", about: "factor per round of sigma=alpha", type: "number", min: 1.01, default: 2 },
  {
    name: "rounding",
    about: "of sigma_j: ceil (as in Fig. 1), or stochastic (a coin for the fraction: halves more exactly)",
    type: ["ceil", "stochastic"],
    default: "ceil",
  },
  {
    name: "delta",
    about: "the chance of no survivor that the default J aims at; default 1/n",
    type: "share",
    default: (n, { estimate }) => 1 / believedSize(n, Number(estimate)),
  },
  {
    name: "J",
    about: "rounds of the first phase; default: the most that keep ln(1/delta) expected survivors",
    type: "integer",
    min: 0,
    default: (n, before) => defaultRounds(designFor(before, n), Number(before.delta)),
  },
  {
    name: "failures",
    about: "first phase: all-yes (every answer must be positive) or no-refusal (go on unless refused)",
    type: ["all-yes", "no-refusal"],
    default: "all-yes",
  },
  {
    name: "mediators",
    about:
      "first phase: fresh mediators in each round, or a contender's earlier ones kept: reuse asks only new ones to fill up to sigma, reuse-all asks all again, reuse-printed asks sigma less the sum of all before",
    type: ["fresh", "reuse", "reuse-all", "reuse-printed"],
    default: "fresh",
  },
];

export const timedParameters: readonly Parameter[] = [
  {
    name: "tau",
    about:
      "bound on the delay of a message, in the host's time; default: the longest delay; what is later counts as missing",
    type: "number",
    default: (_n, _before, { maxDelay }) => maxDelay,
  },
  {
    name: "reading",
    about:
      "of Tables 5 to 7: repaired, printed (with the prose of section 4.2: only the holder's decline counts) or tables (alone); the last two can elect nobody",
    type: ["repaired", "printed", "tables"],
    default: "repaired",
  },
  {
    name: "spread",
    about: "contenders start at random times within this many tau",
    type: "number",
    min: 0,
    default: 0,
  },
];

/** The first phase as n processes plan it: sigma_j, J and what they lead to. */
function designFor(params: FirstPhaseParams | Readonly<Record<string, ParameterValue>>, n: number): Design {
  const { estimate, gamma, sigma, alpha, rounding } = params as FirstPhaseParams;
  return { n: believedSize(n, estimate), gamma, sigma, alpha, rounding };
}

export function refuseQuorum({ estimate, gamma, s, ask }: QuorumParams, n: number): string | null {
  if (believedSize(n, estimate) > LARGEST_RANKED) {
    return n > LARGEST_RANKED
      ? `ranks for n = ${n} are not exact any more: choose an n of at most ${LARGEST_RANKED}`
      : `estimate = ${estimate} makes n larger than ${LARGEST_RANKED}: choose a smaller factor`;
  }
  if (gamma >= 1) return `gamma = ${gamma} leaves no mediator alive: choose a probability below 1`;
  if (s > n) return `s = ${s} mediators are more than the ${n} processes: choose s of at most ${n}`;
  if (ask < s)
    return `ask = ${ask} mediators cannot give the s = ${s} positive answers needed: choose ask of at least ${s}`;
  if (ask > n) return `ask = ${ask} mediators are more than the ${n} processes: choose ask of at most ${n}`;
  return null;
}

export function refuseFirstPhase(params: FirstPhaseParams, n: number): string | null {
  const { delta, J } = params;
  const design = designFor(params, n);
  if (!(delta >= Number.MIN_VALUE * 2 ** 52) || ln(1 / delta) > design.n) {
    return `no J meets delta = ${delta}, even all ${design.n} contenders are too few: raise delta to at least e^-${design.n}`;
  }
  const most = mostRounds(design);
  if (J <= most) return null;
  const asked = exactSigma(design, J);
  const why =
    asked > design.n && asked < Infinity
      ? `sigma = ${Math.ceil(asked)} mediators in round ${J} are more than the ${design.n} processes`
      : `J = ${J} is too large for n = ${design.n}, its last round is designed for no more than one contender`;
  return `${why}: choose J of at most ${most}`;
}

export function refuseTimed({ tau }: { readonly tau: number | null }): string | null {
  if (tau === null) return "delays have no bound here, so say after what time an answer counts as missing: tau=10";
  return tau > 0 ? null : `tau must be positive, not ${tau}`;
}
