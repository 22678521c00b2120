/** A configuration as properties see it. */
import { InputError } from "../../errors.ts";
import { census } from "../../host/census.ts";
import type { View } from "../../properties/properties.ts";
import type { StateSpace } from "./state-space.ts";

export function viewOf(network: StateSpace, vector: Int32Array, messages: number | (() => number)): View {
  const { ids, topology, protocol, params } = network.problem;
  const view: View & { readonly __proto__: object } = {
    __proto__: TIMELESS,
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

/** When a configuration is reached depends on the way to it: whoever reads that without saying so would see nothing at all. */
const TIMELESS = {
  get time(): never {
    throw new InputError('a promise reads time, which a configuration does not have: declare counts: "time"');
  },
};

/** The view after so many instants. */
export const atTime = (view: View, time: number): View => Object.create(view, { time: { value: time } });
