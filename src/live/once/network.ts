/** The network of an election: members, numbered by ascending id, on the topology that the protocol assumes. */
import { InputError } from "../../errors.ts";
import type { AnyProtocol, Id } from "../../protocol.ts";
import { type Params, resolveParameters } from "../../protocols/parameters.ts";
import { findProtocol, type ProtocolChoice } from "../../protocols/registry.ts";
import { complete } from "../../topology/complete.ts";
import { componentsOf } from "../../topology/components.ts";
import { EdgeList, graphOf } from "../../topology/csr.ts";
import { factsOf } from "../../topology/facts.ts";
import { ring } from "../../topology/ring.ts";
import { star } from "../../topology/star.ts";
import type { Topology } from "../../topology/topology.ts";
import type { Membership } from "./members.ts";

/**
 * Rings run through the members by id and close after the last; the centre of a star is the member with the lowest id;
 * other graphs are given as edges, and complete where there are none.
 */
export function electionTopology(protocol: AnyProtocol, { members, edges }: Membership): Topology {
  switch (protocol.assumes.topology) {
    case "ring":
      return ring(members.length);
    case "complete":
      return complete(members.length);
    case "star":
      if (members.length > 1) return star(members.length - 1);
      throw new InputError(`${protocol.name} needs a centre and at least one more member`);
    case "connected":
      return edges.length === 0
        ? complete(members.length)
        : given(
            members.map(({ id }) => id),
            edges,
          );
    case "open":
      throw new InputError(`${protocol.name} makes its links itself, and an election has a list of members`);
  }
}

/** Every parameter, given or by default, for this group; the centre of a star is not one of the n. */
export function parametersFor(choice: ProtocolChoice, values: Params, membership: Membership): Params {
  const { protocol } = findProtocol(choice);
  const topology = electionTopology(protocol, membership);
  const n = protocol.assumes.topology === "star" ? topology.size - 1 : topology.size;
  const params = resolveParameters(protocol, values, n);
  const adapted = protocol.adapt?.(params, factsOf(topology)) ?? params;
  if (typeof adapted === "string") throw new InputError(`${protocol.name}: ${adapted}`);
  return adapted;
}

function given(ids: readonly Id[], pairs: Membership["edges"]): Topology {
  const number = new Map(ids.map((id, node) => [id, node]));
  const edges = new EdgeList();
  for (const [a, b] of pairs) edges.add(number.get(a)!, number.get(b)!);
  const graph = graphOf("given", ids.length, edges);
  if (graph.dropped.loops > 0) throw new InputError("an edge from a member to itself is not allowed");
  if (graph.dropped.duplicates > 0) throw new InputError("an edge is given twice");
  const { count } = componentsOf(graph);
  if (count > 1) throw new InputError(`the edges leave the members in ${count} parts: connect them`);
  return graph;
}
