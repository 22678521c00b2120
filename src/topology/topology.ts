/** A network as the hosts see it: nodes 0 .. size-1, each with ports 0 .. degree-1. */
export interface Topology {
  readonly name: string;
  readonly size: number;
  degree(node: number): number;
  /** The node behind a port. */
  neighbour(node: number, port: number): number;
  /** The port at which the node behind `port` receives what is sent there. */
  arrival(node: number, port: number): number;
  /** The number of directed links, which link(node, port) numbers 0 .. links-1; null where they are too many to number. */
  readonly links: number | null;
  link(node: number, port: number): number;
  /** Overlays only: k distinct ports of a node (`size`-1 and above stand for the node itself), found by walking. */
  sample?(node: number, k: number, includingSelf: boolean, choose: (n: number) => number): number[];
  /** Overlays only: over how many links of the network below a message travels. */
  hops?(from: number, to: number): number;
  /** Overlays only: what walks have found so far, remembered; the answer puts it back. */
  save?(): () => void;
}

/** Nodes without links: a node makes its links, by address (see host/open-links.ts). */
export function open(n: number): Topology {
  const none = (): never => {
    throw new Error("an open network has no links of its own");
  };
  return { name: "open", size: n, degree: () => 0, neighbour: none, arrival: none, links: null, link: none };
}
