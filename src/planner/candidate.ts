/** A way to hold the election that meets the target, as users are told of it, and which candidates no other beats. */
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
  /** Means, as `simulate` counts them. */
  readonly messages: number;
  readonly rounds: number;
  /** Message delays on average, hops counted; and within how many exactly one leads with the probability asked for. */
  readonly delays: number;
  readonly time: number;
  /** The same in milliseconds; null where nobody said how long a message takes. */
  readonly milliseconds: { readonly delays: number; readonly time: number } | null;
  readonly pNone: number;
  readonly pMany: number;
  /** The chance of two leaders where the network falls into two halves, about. */
  readonly split: number;
  /** What its messages meet here: as `loss`, `multicastLoss` and `crash` of a simulation. */
  readonly rates: Losses;
  /** Messages are acknowledged, and sent again until they are. */
  readonly acknowledged: boolean;
  /** No other candidate has as few datagrams, is as quick and as safe, and better in one of these. */
  readonly frontier: boolean;
  /** pilot: costs come from a short simulation, the chances from theory. */
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

/** Chances are compared by their order of magnitude: parameters are chosen for a target, and what is left of it is chance. */
const magnitude = (p: number): number => Math.ceil(Math.log10(p));

const weightsOf = ({ datagrams, time, pMany, split }: Weighed): number[] => [
  datagrams,
  time,
  magnitude(pMany),
  splits({ split }) ? 1 : 0,
];

/** From this chance on a partition counts as one that gives two leaders. */
const SPLITS = 0.01;

/** Whether two may lead where the network falls in two. */
export const splits = ({ split }: Pick<Weighed, "split">): boolean => split > SPLITS;

export function frontierOf(all: readonly Weighed[]): boolean[] {
  const weights = all.map(weightsOf);
  const beats = (a: readonly number[], b: readonly number[]) =>
    a.every((weight, i) => weight <= b[i]) && a.some((weight, i) => weight < b[i]);
  return weights.map((one) => !weights.some((other) => beats(other, one)));
}
