/** The random choices of a trial before it begins: who has crashed, who has which id, who starts. */
import type { AnyProtocol, Id } from "../protocol.ts";
import { HostStream } from "../random/streams.ts";
import { eachOfBernoulli, permutation, sample } from "../random/subsets.ts";
import type { FaultPlan } from "./faults/faults.ts";

/** What the choices depend on. */
export interface BeginningChoices {
  readonly protocol: AnyProtocol;
  readonly n: number;
  readonly seed: number;
  readonly ids: "random" | "increasing" | "decreasing" | readonly Id[];
  readonly initiators: "all" | number;
  readonly faults: FaultPlan;
}

/** Whether the network has a centre beside the n processes: only if the protocol assumes a star, not if a user has chosen one. */
export const hasCentre = ({ assumes }: AnyProtocol): boolean => assumes.topology === "star";

/** Nodes that have crashed before the run begins, some perhaps twice: by chance, ascending, then as planned. */
export function eachCrashedBefore(
  { protocol, n, seed, faults }: Omit<BeginningChoices, "ids" | "initiators">,
  trial: number,
  act: (node: number) => void,
): void {
  const p = protocol.crash === "round" ? 0 : faults.crash;
  // The centre is trusted: only the hosts, nodes 1 .. n, crash by chance.
  const first = hasCentre(protocol) ? 1 : 0;
  eachOfBernoulli(new HostStream(seed, trial, "crashes"), n, p, (node) => act(node + first));
  for (const { node, at } of faults.crashes) if (at <= 0) act(node);
}

/** The same, each once and ascending. */
export function crashedBefore(chances: Omit<BeginningChoices, "ids" | "initiators">, trial: number): number[] {
  const crashed: number[] = [];
  eachCrashedBefore(chances, trial, (node) => crashed.push(node));
  const planned = chances.faults.crashes.length > 0;
  if (!planned) return crashed;
  // Not by a `Set`: there may be more nodes than a set can hold.
  crashed.sort((a, b) => a - b);
  return crashed.filter((node, i) => i === 0 || node !== crashed[i - 1]);
}

/** The id of each node; random ones in an array of n that is overwritten, where one is given. */
export function nodeIdsOf(
  { ids, n, seed }: Pick<BeginningChoices, "ids" | "n" | "seed">,
  trial: number,
  into?: Int32Array<ArrayBuffer>,
): Int32Array | Float64Array {
  if (ids === "random") return permutation(new HostStream(seed, trial, "ids"), n, into);
  if (ids === "increasing") return Int32Array.from({ length: n }, (_, node) => node + 1);
  if (ids === "decreasing") return Int32Array.from({ length: n }, (_, node) => n - node);
  return Float64Array.from(ids);
}

/** Nodes that start on their own, ascending; null: all. */
export function initiatorsOf(
  { initiators, n, seed }: Pick<BeginningChoices, "initiators" | "n" | "seed">,
  trial: number,
) {
  if (initiators === "all") return null;
  const source = new HostStream(seed, trial, "initiators");
  return sample((m) => source.choose(m), initiators, n).sort((a, b) => a - b);
}
