/** A configuration as properties see it. */
import type { View } from "../properties/properties.ts";
import type { StateSpace } from "./state-space.ts";

export function viewOf(network: StateSpace, vector: Int32Array, messages: number): View {
  const { ids, topology } = network.problem;
  return {
    size: topology.size,
    alive: (node) => !network.crashed(vector, node),
    id: (node) => ids?.[node] ?? null,
    verdict: (node) => network.nodes.verdict(node, network.state(vector, node)),
    report: (node) => network.nodes.report(node, network.state(vector, node)),
    messages,
  };
}
