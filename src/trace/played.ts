/** Plays a written schedule on the explorer's network, such as the examples that a paper draws, and draws it. */
import { type ExploreRequest, explorationProblem } from "../explorer/explore.ts";
import { Player } from "../explorer/player.ts";
import type { Verdict } from "../protocol.ts";
import { protocolNamed } from "../protocols/catalogue.ts";
import { diagram } from "./diagram/diagram.ts";
import type { TraceEvent } from "./events.ts";
import { tracePath } from "./exploration.ts";
import { pathHeadline } from "./headline.ts";
import { tellPath } from "./replay.ts";

export interface PlayedTrace {
  readonly events: readonly TraceEvent[];
  readonly verdicts: readonly Verdict["status"][];
  /** A node's state after the last move. */
  state(node: number): unknown;
  draw(look: { readonly title: string; readonly width?: number | undefined }): string;
}

/** `names`: what the paper calls the nodes. */
export function play(
  protocol: string,
  request: ExploreRequest,
  moves: readonly string[],
  names: readonly string[] = [],
): PlayedTrace {
  const problem = explorationProblem(protocolNamed(protocol), request);
  const player = new Player(problem);
  for (const move of moves) player.move(move);
  const { network, steps, vector } = player;
  return {
    events: tracePath(network, steps),
    verdicts: Array.from(
      { length: request.n },
      (_, node) => network.nodes.verdict(node, network.state(vector, node)).status,
    ),
    state: (node) => network.nodes.states.value(network.state(vector, node)),
    draw({ title, width }) {
      const story = tellPath(problem, network, steps, names);
      const { unit } = pathHeadline(protocol, request.n, network.timed, story);
      // Papers have names and no ids.
      return diagram(story, { unit, title, ids: false, ...(width === undefined ? {} : { width }) });
    },
  };
}
