/** How long a contender may have to wait for its verdict, over every schedule of a small timed network. */
import { type ExploreRequest, explorationProblem } from "../explorer/explore.ts";
import { StateSpace } from "../explorer/state-space.ts";
import { protocolNamed } from "../protocols/catalogue.ts";

export interface DecisionTime {
  /** The latest instant at which an initiator decides; all start at 0. */
  readonly slowest: number;
  /** Configurations at their instants that were visited. */
  readonly visited: number;
}

/** Depth first; unlike the explorer's search it tells apart when a configuration is reached. */
export function slowestDecision(protocol: string, request: ExploreRequest): DecisionTime {
  const problem = explorationProblem(protocolNamed(protocol), request);
  const network = new StateSpace(problem);
  const decided = (vector: Int32Array, node: number) =>
    network.nodes.verdict(node, network.state(vector, node)).status !== "undecided";
  let start = network.blank();
  for (const node of network.starters()) start = network.start(start, node)[0].after;
  const stack = [{ vector: start, now: 0 }];
  const seen = new Set<string>();
  let slowest = 0;
  for (let here = stack.pop(); here !== undefined; here = stack.pop()) {
    const { vector, now } = here;
    const key = `${now}:${vector.join()}`;
    if (seen.has(key)) continue;
    seen.add(key);
    for (const { action, after } of network.steps(vector)) {
      if (problem.initiators.some((node) => !decided(vector, node) && decided(after, node))) {
        slowest = Math.max(slowest, now);
      }
      stack.push({ vector: after, now: now + (action.do === "tick" ? action.by : 0) });
    }
  }
  return { slowest, visited: seen.size };
}
