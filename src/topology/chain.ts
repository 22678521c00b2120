/** Random walks on a network as reversible Markov chains over compressed arrays. */
import { compress } from "./csr.ts";
import type { Topology } from "./topology.ts";

/**
 * simple: to a uniform neighbour. lazy: stay with probability 1/2, else as simple. metropolis: propose a uniform
 * neighbour and accept with min(1, d_i/d_j), which makes every node equally likely in the end (Metropolis-Hastings).
 */
export type Walk = "simple" | "lazy" | "metropolis";

export interface Chain {
  readonly size: number;
  readonly offsets: Uint32Array;
  readonly targets: Uint32Array;
  /** The probability of each directed link, and of staying. */
  readonly weights: Float64Array;
  readonly rest: Float64Array;
  readonly stationary: Float64Array;
}

/** What definition (1) allows. Deviations are compared with a hair of tolerance: K_3 meets the bound with equality at k = 2. */
export const bound = (n: number): number => (1 + 1e-9) / (2 * n);

export function chainOf(topology: Topology, walk: Walk): Chain {
  const { size, offsets, targets, links } = compress(topology);
  const weights = new Float64Array(links);
  const rest = new Float64Array(size).fill(walk === "lazy" ? 0.5 : 0);
  const stationary = new Float64Array(size);
  const degree = (node: number) => offsets[node + 1] - offsets[node];
  for (let v = 0; v < size; v++) {
    const own = degree(v);
    stationary[v] = walk === "metropolis" ? 1 / size : own / links;
    let stay = 1;
    for (let i = offsets[v]; i < offsets[v + 1]; i++) {
      if (walk === "metropolis") weights[i] = 1 / Math.max(own, degree(targets[i]));
      else weights[i] = (walk === "lazy" ? 0.5 : 1) / own;
      stay -= weights[i];
    }
    if (walk === "metropolis") rest[v] = Math.max(0, stay);
  }
  return { size, offsets, targets, weights, rest, stationary };
}

/** One step backwards: out[i] is the expected value of f one step after i. */
export function step({ size, offsets, targets, weights, rest }: Chain, f: Float64Array, out: Float64Array): void {
  for (let v = 0, i = 0; v < size; v++) {
    let sum = rest[v] * f[v];
    for (const end = offsets[v + 1]; i < end; i++) sum += weights[i] * f[targets[i]];
    out[v] = sum;
  }
}
