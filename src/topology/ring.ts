import type { Topology } from "./topology.ts";

/** Ports of a ring: what leaves through NEXT arrives at the neighbour's PREVIOUS, and the other way round. */
export const NEXT = 0;

/** The port towards the predecessor, against the direction of messages. */
export const PREVIOUS = 1;

/** The port on the other side of a node. */
export const opposite = (port: number): number => (port === NEXT ? PREVIOUS : NEXT);

/**
 * A ring of n nodes in the order of their numbers. The overlay closes over nodes that are `skipped`:
 * processes that crashed before the run. On a ring of one, both ports lead to the node itself.
 */
export function ring(n: number, skipped: readonly number[] = []): Topology {
  const shape = { name: "ring", size: n, degree: () => 2, links: 2 * n };
  const arrival = (_node: number, port: number) => 1 - port;
  const link = (node: number, port: number) => 2 * node + port;
  if (skipped.length === 0) {
    const neighbour = (node: number, port: number) =>
      port === NEXT ? (node + 1 === n ? 0 : node + 1) : node === 0 ? n - 1 : node - 1;
    return { ...shape, neighbour, arrival, link };
  }
  const neighbours = overlay(n, new Set(skipped));
  return { ...shape, neighbour: (node, port) => neighbours[2 * node + port], arrival, link };
}

function overlay(n: number, skipped: ReadonlySet<number>): Int32Array {
  const neighbours = new Int32Array(2 * n);
  const members: number[] = [];
  for (let node = 0; node < n; node++) if (!skipped.has(node)) members.push(node);
  for (let i = 0; i < members.length; i++) {
    const next = members[i + 1 < members.length ? i + 1 : 0];
    neighbours[2 * members[i] + NEXT] = next;
    neighbours[2 * next + PREVIOUS] = members[i];
  }
  return neighbours;
}
