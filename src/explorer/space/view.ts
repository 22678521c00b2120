/** A configuration as properties see it. */
import { census } from "../../host/census.ts";
import type { View } from "../../properties/properties.ts";
import type { StateSpace } from "./state-space.ts";

export function viewOf(network: StateSpace, vector: Int32Array, messages: number | (() => number)): View {
  const { ids, topology, protocol, params } = network.problem;
  const view: View = {
    size: topology.size,
    alive: (node) => !network.crashed(vector, node),
    awake: (node) => network.awake(vector, node),
    id: (node) => ids?.[node] ?? null,
    verdict: (node) => network.nodes.verdict(node, network.state(vector, node)),
    report: (node) => network.nodes.report(node, network.state(vector, node)),
    get messages() {
      return typeof messages === "number" ? messages : messages();
    },
    outcome: () => {
      const found = census(view);
      const byLeaders = found.elected === 0 ? "none" : found.elected === 1 ? "one" : "many";
      return protocol.judge?.(params, found) ?? byLeaders;
    },
  };
  return view;
}
