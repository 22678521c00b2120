/** Who is who in a run. */
import type { Scene } from "../narrator.ts";
import { type Id, SELF } from "../protocol.ts";
import type { Topology } from "../topology/topology.ts";

interface Cast {
  readonly ids: ArrayLike<Id> | null;
  readonly topology: Topology;
  /** What the nodes are called, by number, where a paper's example gives them names. */
  readonly names?: readonly string[];
}

export function sceneOf({ ids, topology, names = [] }: Cast): Scene {
  return {
    n: topology.size,
    name: (node, letter) => names[node] ?? (letter === undefined ? `node ${node}` : `${letter}${node}`),
    id: (node) => ids?.[node] ?? null,
    behind: (node, port) => (port === SELF ? node : topology.neighbour(node, port)),
  };
}
