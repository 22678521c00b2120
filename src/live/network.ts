/** The network of an election: members, numbered by ascending id, on the topology that the protocol assumes. */
import { InputError } from "../errors.ts";
import type { AnyProtocol, Id } from "../protocol.ts";
import { complete } from "../topology/complete.ts";
import { ring } from "../topology/ring.ts";
import type { Topology } from "../topology/topology.ts";
import type { Membership } from "./members.ts";

/** Rings run through the members by id and close after the last; other graphs are given as edges. */
export function topologyOf(protocol: AnyProtocol, { members, edges }: Membership): Topology {
  const { topology } = protocol.assumes;
  switch (topology) {
    case "ring":
      return ring(members.length);
    case "complete":
      return complete(members.length);
    case "connected":
      return edges.length === 0
        ? complete(members.length)
        : given(
            members.map(({ id }) => id),
            edges,
          );
    default:
      throw new InputError(
        `${protocol.name} runs on a ${topology} network, which the live host cannot lay over members yet`,
      );
  }
}

function given(ids: readonly Id[], edges: Membership["edges"]): Topology {
  const number = new Map(ids.map((id, node) => [id, node]));
  const neighbours: number[][] = ids.map(() => []);
  for (const [a, b] of edges) {
    const [from, to] = [number.get(a)!, number.get(b)!];
    if (from === to) throw new InputError(`the edge from ${a} to itself is not allowed`);
    if (neighbours[from].includes(to)) throw new InputError(`the edge between ${a} and ${b} is given twice`);
    neighbours[from].push(to);
    neighbours[to].push(from);
  }
  for (const list of neighbours) list.sort((a, b) => a - b);
  const lost = unreached(neighbours);
  if (lost !== undefined) throw new InputError(`the edges do not connect member ${ids[lost]} with member ${ids[0]}`);
  const starts = neighbours.map((_, node) => neighbours.slice(0, node).reduce((sum, list) => sum + list.length, 0));
  return {
    name: "given",
    size: ids.length,
    degree: (node) => neighbours[node].length,
    neighbour: (node, port) => neighbours[node][port],
    arrival: (node, port) => neighbours[neighbours[node][port]].indexOf(node),
    links: 2 * edges.length,
    link: (node, port) => starts[node] + port,
  };
}

function unreached(neighbours: readonly (readonly number[])[]): number | undefined {
  const reached = new Set([0]);
  for (const node of reached) for (const next of neighbours[node]) reached.add(next);
  return [...neighbours.keys()].find((node) => !reached.has(node));
}
