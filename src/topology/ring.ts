import type { Topology } from "./topology.ts";

/** Ports of a ring: what leaves through NEXT arrives at the neighbour's PREVIOUS, and the other way round. */
export const NEXT = 0;
export const PREVIOUS = 1;

/**
 * A ring of n nodes in the order of their numbers. Nodes for which `skipped` is 1 are not part of it: the overlay closes
 * over processes that crashed before the run. On a ring of one, both ports lead to the node itself.
 */
export function ring(n: number, skipped?: Uint8Array): Topology {
  const neighbours = new Int32Array(2 * n);
  const members: number[] = [];
  for (let node = 0; node < n; node++) if (skipped === undefined || skipped[node] === 0) members.push(node);
  for (let i = 0; i < members.length; i++) {
    const next = members[i + 1 < members.length ? i + 1 : 0];
    neighbours[2 * members[i] + NEXT] = next;
    neighbours[2 * next + PREVIOUS] = members[i];
  }
  return {
    name: "ring",
    size: n,
    degree: () => 2,
    neighbour: (node, port) => neighbours[2 * node + port],
    arrival: (_node, port) => 1 - port,
    links: 2 * n,
    link: (node, port) => 2 * node + port,
  };
}
