/** Every schedule of a small timed network, step by step at its instants; the explorer's search does not tell apart when. */
import { protocolNamed } from "../../protocols/catalogue.ts";
import { type ExploreRequest, explorationProblem } from "../explore.ts";
import { StateSpace } from "../space/state-space.ts";

/** A step at its instant: the node that acts, what makes it act ("start", the kind of a message, or a timer), its states. */
export interface SeenStep {
  readonly now: number;
  readonly node: number;
  readonly from: number | null;
  readonly input: string;
  readonly before: unknown;
  readonly after: unknown;
  readonly decides: boolean;
}

/** Depth first, with every draw at the start or the first alone; how many configurations there are at their instants. */
export function visitSchedules(
  protocol: string,
  request: ExploreRequest,
  see: (step: SeenStep) => void,
  draws: "first" | "all" = "all",
): number {
  const problem = explorationProblem(protocolNamed(protocol), request);
  const network = new StateSpace(problem);
  const { nodes, links } = network;
  const decided = (vector: Int32Array, node: number) =>
    nodes.verdict(node, network.state(vector, node)).status !== "undecided";
  const stateOf = (vector: Int32Array, node: number) => nodes.states.value(network.state(vector, node));
  let starts = [network.blank()];
  for (const node of network.starters()) {
    starts = starts.flatMap((vector) => network.start(vector, node).map(({ after }) => after));
    if (draws === "first") starts.length = 1;
  }
  const stack = starts.map((vector) => ({ vector, now: 0 }));
  const known = new Set<string>();
  for (let here = stack.pop(); here !== undefined; here = stack.pop()) {
    const { vector, now } = here;
    const key = `${now}:${vector.join()}`;
    if (known.has(key)) continue;
    known.add(key);
    for (const { action, after } of network.steps(vector)) {
      stack.push({ vector: after, now: now + (action.do === "tick" ? action.by : 0) });
      if (action.do !== "deliver" && action.do !== "expire") continue;
      const link = action.do === "deliver" ? links[action.link] : null;
      const node = link?.to ?? (action as { node: number }).node;
      const flight = action.do === "deliver" ? network.onLink(vector, action.link)[action.index] : null;
      const input =
        flight === null
          ? (action as { timer: string }).timer
          : (nodes.messages.value(flight.message) as { kind: string }).kind;
      const [before, later] = [stateOf(vector, node), stateOf(after, node)];
      const decides = problem.initiators.includes(node) && !decided(vector, node) && decided(after, node);
      see({ now, node, from: link?.from ?? null, input, before, after: later, decides });
    }
  }
  return known.size;
}

/** The latest instant at which an initiator decides, and the number of configurations. */
export function slowestDecision(protocol: string, request: ExploreRequest, draws: "first" | "all") {
  let slowest = 0;
  const see = ({ now, decides }: SeenStep) => {
    if (decides) slowest = Math.max(slowest, now);
  };
  const visited = visitSchedules(protocol, request, see, draws);
  return { slowest, visited };
}
