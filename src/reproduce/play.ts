/** Plays a written schedule on the explorer's network, such as the examples that a paper draws. */
import { type ExploreRequest, explorationProblem } from "../explorer/explore.ts";
import { type Action, Network, type Step } from "../explorer/network.ts";
import type { Verdict } from "../protocol.ts";
import { protocolNamed } from "../protocols/catalogue.ts";
import type { TraceEvent } from "../trace/events.ts";
import { tracePath } from "../trace/exploration.ts";

export interface Played {
  readonly events: readonly TraceEvent[];
  readonly verdicts: readonly Verdict["status"][];
  /** A node's state after the last move. */
  state(node: number): unknown;
}

/**
 * Moves, as in test/scenarios: `start 2 0`, `tick`, `deliver 0->3`, `timer 4 hold`, `round` (a tick and all that it
 * brings), `run` (to the end); `with 1 0 0` after any of them says what is drawn.
 */
export function play(protocol: string, request: ExploreRequest, moves: readonly string[]): Played {
  const network = new Network(explorationProblem(protocolNamed(protocol), request));
  const steps: Step[] = [];
  let vector = network.blank();
  let draws: number[] = [];

  const take = (ways: readonly Step[]) => {
    const drawn = ({ outcome }: Step) => outcome?.draws.every((draw, i) => draw === draws[i]) ?? true;
    const step = ways.length === 1 ? ways[0] : ways.find(drawn);
    if (step === undefined) throw new Error(`a node draws one of ${ways.map(({ outcome }) => outcome?.draws)}`);
    draws.splice(0, step.outcome?.draws.length ?? 0);
    steps.push(step);
    vector = step.after;
  };
  const choose = (wanted: (action: Action) => boolean): boolean => {
    const possible = network.steps(vector);
    const first = possible.find(({ action }) => wanted(action));
    if (first === undefined) return false;
    take(possible.filter(({ action }) => JSON.stringify(action) === JSON.stringify(first.action)));
    return true;
  };
  const insist = (move: string, wanted: (action: Action) => boolean) => {
    if (!choose(wanted)) throw new Error(`«${move}» cannot happen now`);
  };
  const isOn = (action: Action, arrow: string) => {
    if (action.do !== "deliver") return false;
    const { from, to } = network.links[action.link];
    return `${from}->${to}` === arrow;
  };
  const isTick = (action: Action) => action.do === "tick";
  const round = (move: string) => {
    insist(move, isTick);
    while (choose((action) => !isTick(action)));
  };

  for (const move of moves) {
    const [command, given] = move.split(" with ");
    draws = given === undefined ? [] : given.split(" ").map(Number);
    const [verb, ...words] = command.split(" ");
    if (verb === "start") {
      const nodes = words.length > 0 ? words.map(Number) : network.starters();
      for (const node of nodes) take(network.start(vector, node));
    } else if (verb === "tick") insist(move, isTick);
    else if (verb === "deliver") insist(move, (action) => isOn(action, words[0]));
    else if (verb === "timer") {
      insist(move, (action) => action.do === "expire" && `${action.node} ${action.timer}` === words.join(" "));
    } else if (verb === "round") round(move);
    else if (verb === "run") {
      do while (choose((action) => !isTick(action)));
      while (choose(isTick));
    } else throw new Error(`no schedule has «${move}»`);
  }
  const stateOf = (node: number) => network.nodes.states.value(network.state(vector, node));
  return {
    events: tracePath(network, steps),
    verdicts: Array.from(
      { length: request.n },
      (_, node) => network.nodes.verdict(node, network.state(vector, node)).status,
    ),
    state: stateOf,
  };
}
