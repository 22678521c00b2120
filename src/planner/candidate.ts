/** The candidates of a plan, as users see them, and which of them are on the Pareto frontier. */
import type { Params } from "../protocols/parameters.ts";
import type { Losses, Method } from "../theory/prediction.ts";
import type { Verified } from "./verify.ts";

/** A protocol that meets the target, with its parameters and what to expect. */
export interface Candidate {
  readonly protocol: string;
  /** All parameters, as `simulate` takes them. */
  readonly parameters: Params;
  /** What the network carries: links that are crossed, copies of multicasts, acknowledgements. */
  readonly datagrams: number;
  /** Means, counted as in `simulate`. */
  readonly messages: number;
  readonly rounds: number;
  /** Message delays, hops included: the mean, and the number within which exactly one leads with the probability asked for. */
  readonly delays: number;
  readonly time: number;
  /** The same in milliseconds; null if the user has not said how long a message takes. */
  readonly milliseconds: { readonly delays: number; readonly time: number } | null;
  readonly pNone: number;
  readonly pMany: number;
  /** About the chance of two leaders if a partition splits the network into halves. */
  readonly split: number;
  /** The faults that the protocol meets: `loss`, `multicastLoss` and `crash` of a simulation. */
  readonly rates: Losses;
  /** Whether messages are acknowledged, and sent again until they are. */
  readonly acknowledged: boolean;
  /** Whether no other candidate is as good in datagrams, time and safety, and better in one of them. */
  readonly frontier: boolean;
  /** `pilot`: costs come from a short simulation, chances from theory. */
  readonly method: Method | "pilot";
  /** What to know before using it, in sentences. */
  readonly warnings: readonly string[];
  readonly verified: Verified | null;
}

interface Weighed {
  readonly datagrams: number;
  readonly time: number;
  readonly pMany: number;
  readonly split: number;
}

/** Chances are compared by their order of magnitude: parameters are chosen to meet a target, and how far they exceed it is accidental. */
const magnitude = (p: number): number => Math.ceil(Math.log10(p));

const weightsOf = ({ datagrams, time, pMany, split }: Weighed): number[] => [
  datagrams,
  time,
  magnitude(pMany),
  splits({ split }) ? 1 : 0,
];

/** From this chance on a partition counts as one that gives two leaders. */
const SPLITS = 0.01;

/** Whether a partition may give two leaders. */
export const splits = ({ split }: Pick<Weighed, "split">): boolean => split > SPLITS;

export function frontierOf(all: readonly Weighed[]): boolean[] {
  const weights = all.map(weightsOf);
  const beats = (a: readonly number[], b: readonly number[]) =>
    a.every((weight, i) => weight <= b[i]) && a.some((weight, i) => weight < b[i]);
  return weights.map((one) => !weights.some((other) => beats(other, one)));
}
