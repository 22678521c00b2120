import type { Topology } from "./topology.ts";

/** Nodes without links: whoever wants one makes it, by address (see host/open-links.ts). */
export function open(n: number): Topology {
  const none = (): never => {
    throw new Error("an open network has no links of its own");
  };
  return { name: "open", size: n, degree: () => 0, neighbour: none, arrival: none, links: null, link: none };
}
