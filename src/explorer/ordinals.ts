/** A run as numbers, which of the possible steps it took each time: for files, and for other threads. */

import type { Violation } from "./search/search-terms.ts";
import type { Step } from "./space/configurations.ts";
import type { StateSpace } from "./space/state-space.ts";

/** Which of the possible steps a path took each time. */
export function pathOrdinals({ network, steps }: Pick<Violation, "network" | "steps">): number[] {
  let vector = network.blank();
  return steps.map(({ action, after }, i) => {
    const ordinal = possible(network, vector, i).findIndex((step) => sameStep(step, action, after));
    vector = after;
    return ordinal;
  });
}

/** The steps that they stand for, as far as there are such. */
export function stepsAlong(network: StateSpace, path: readonly number[]): Step[] {
  const steps: Step[] = [];
  for (const [i, ordinal] of path.entries()) {
    const step = possible(network, steps.at(-1)?.after ?? network.blank(), i)[ordinal];
    if (step === undefined) break;
    steps.push(step);
  }
  return steps;
}

/** First the starts of those who start on their own, then anything. */
function possible(network: StateSpace, vector: Int32Array, taken: number): Step[] {
  const starters = network.starters();
  return taken < starters.length ? network.start(vector, starters[taken]) : network.steps(vector);
}

const sameStep = (step: Step, action: Step["action"], after: Int32Array) =>
  JSON.stringify(step.action) === JSON.stringify(action) && step.after.every((entry, i) => entry === after[i]);
