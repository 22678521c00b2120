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
}
