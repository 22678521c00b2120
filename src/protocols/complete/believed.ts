/** The sizes that follow from the n a process believes in, for the two algorithms of Kutten et al. */
import type { Parameter } from "../../protocol.ts";
import { ln } from "../../random/ln.ts";

export interface BelievedParams {
  readonly estimate: number;
  readonly candidates: number;
}

/** The believed number of processes; below 2 the logarithms would lose their meaning. */
export const believed = (n: number, estimate: number): number => Math.max(2, n * estimate);

/** 2 ceil(sqrt(n ln n)): as many referees, or walks, meet another candidate's with probability 1 - n^-4. */
export const paperSample = (n: number): number => 2 * Math.ceil(Math.sqrt(n * ln(n)));

export const believedParameters: readonly Parameter[] = [
  {
    name: "estimate",
    about: "the n that processes believe in is the true one times this factor",
    type: "number",
    min: 1e-9,
    max: 1e9,
    default: 1,
  },
  {
    name: "candidates",
    about: "expected number of candidates, 2 ln n in the paper; with few there may be none, with many it costs more",
    type: "number",
    min: 0,
    default: (n, before) => 2 * ln(believed(n, Number(before.estimate))),
  },
];

/** The probability that a process becomes a candidate: the expected number over the believed n. */
export const candidacy = (params: BelievedParams, n: number): number =>
  Math.min(1, params.candidates / believed(n, params.estimate));
