import type { Topology } from "./topology.ts";

/** Everybody is everybody's neighbour; no memory. Port p of a node leads p+1 places further on. */
export function complete(n: number): Topology {
  return {
    name: "complete",
    size: n,
    degree: () => n - 1,
    neighbour: (node, port) => (node + port + 1) % n,
    arrival: (_node, port) => n - 2 - port,
    links: null,
    link: (node, port) => node * n + port,
  };
}
