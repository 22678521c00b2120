/** The network that is explored: the one that the protocol assumes, or a small graph where it takes any. */
import { InputError } from "../errors.ts";
import type { AnyProtocol } from "../protocol.ts";
import { complete } from "../topology/complete.ts";
import { star } from "../topology/lattices.ts";
import { ring } from "../topology/ring.ts";
import { buildNetwork } from "../topology/spec.ts";
import type { Topology } from "../topology/topology.ts";

/** Random graphs are those that a simulation with seed 1 draws. */
const SEED = 1;

export function networkFor({ name, assumes }: AnyProtocol, n: number, spec: string | undefined): Topology {
  const needed = assumes.topology;
  if (needed === "open") {
    throw new InputError(
      `${name} makes its links by address, and the explorer has given links only: explore a protocol that it embeds, or simulate it`,
    );
  }
  if (needed !== "connected" && spec !== undefined && spec !== needed) {
    throw new InputError((field) => `${name} is explored on a ${needed} topology: leave ${field("topology")} out`);
  }
  if (needed === "ring") return ring(n);
  if (needed === "star") return star(n);
  if (needed === "complete" || spec === undefined || spec === "complete") return complete(n);
  const { topology } = buildNetwork({ spec, n, seed: SEED, largestComponent: false });
  if (topology.size === n) return topology;
  throw new InputError((field) => `${spec} has ${topology.size} nodes: set ${field("n")} to ${topology.size}`);
}

/** Whether the network looks the same from each node, ports included: turned by one place, it is itself. */
export function isRound({ assumes }: AnyProtocol, topology: Topology): boolean {
  if (assumes.topology === "ring" || assumes.topology === "complete") return true;
  const { size } = topology;
  for (let node = 0; node < size; node++) {
    const next = (node + 1) % size;
    if (topology.degree(node) !== topology.degree(next)) return false;
    for (let port = 0; port < topology.degree(node); port++) {
      if (topology.neighbour(next, port) !== (topology.neighbour(node, port) + 1) % size) return false;
      if (topology.arrival(next, port) !== topology.arrival(node, port)) return false;
    }
  }
  return true;
}
