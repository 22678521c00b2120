/** Whether what a node does next can be seen. */
import { SELF } from "../../protocol.ts";
import type { Judge } from "../search/judge.ts";
import type { NodeOutcome } from "./node-steps.ts";
import type { StateSpace } from "./state-space.ts";

/** No step of the node changes its verdict or its report, nor leads beyond a limit. Untimed, and nothing can go wrong. */
export function isQuiet(network: StateSpace, judge: Judge, cells: Int32Array, node: number): boolean {
  const { layout, links, nodes } = network;
  const state = network.state(cells, node);
  const face = judge.face(node, state);
  const quiet = (outcomes: readonly NodeOutcome[]) =>
    outcomes.every((outcome) => !outcome.beyond && judge.face(node, outcome.state) === face);
  if (network.waits(cells, node) && !quiet(nodes.outcomes(node, state, { kind: "start" }))) return false;
  for (const { timer } of network.timersOf(cells, node)) {
    if (!quiet(nodes.outcomes(node, state, { kind: "expire", timer }))) return false;
  }
  return layout.inLinks[node].every((link) =>
    network.deliverable(cells, link).every((index) => {
      const { message } = network.onLink(cells, link)[index];
      const { inbound } = links[link];
      return (inbound !== SELF && !nodes.accepts(message)) || quiet(nodes.received(node, state, inbound, message));
    }),
  );
}
