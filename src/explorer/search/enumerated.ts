/** A random walk as a search would have found it: the same steps, among all that there are. */

import type { Problem } from "../problem.ts";
import type { Step } from "../space/configurations.ts";
import { StateSpace } from "../space/state-space.ts";
import type { Violation } from "./search-terms.ts";

/** Only of walks whose draws were picked among those that a search tries. */
export function enumerated<V extends Violation & { readonly problem: Problem }>(violation: V): V {
  const { draw, ...problem } = violation.problem;
  if (draw === undefined) return violation;
  const network = new StateSpace(problem);
  const starters = network.starters();
  const steps: Step[] = [];
  let vector = network.blank();
  for (const [i, wanted] of violation.steps.entries()) {
    const possible = i < starters.length ? network.start(vector, starters[i]) : network.steps(vector);
    const mark = markOf(violation.network, wanted);
    const step = possible.find((other) => markOf(network, other) === mark)!;
    steps.push(step);
    vector = step.after;
  }
  return { ...violation, problem, network, steps };
}

/** What tells a step from the others out of one configuration: what happened, what was drawn, how long timers wait. */
const markOf = (network: StateSpace, { action, outcome, after }: Step): string =>
  JSON.stringify([action, outcome?.draws, network.everybody.map((node) => network.timersOf(after, node))]);
