/** From a problem to a verdict: in full, or with commuting steps in one order only where that tells the same. */

import type { Problem } from "../problem.ts";
import { StateSpace } from "../space/state-space.ts";
import { Judge } from "./judge.ts";
import { type Leaves, Pass } from "./pass.ts";
import { Reduction } from "./reduction.ts";
import type { Paused, SearchOptions, SearchResult } from "./search-terms.ts";

/** Goes on after every pause, to the end. */
export function finished<T>(work: Generator<unknown, T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
  }
}

/** So many configurations are visited in full before reduction is tried, which finds longer ways. */
export const FEW_CONFIGURATIONS = 100_000;

export function search(problem: Problem, options: SearchOptions): SearchResult {
  return finished(searching(problem, options));
}

export function* searching(problem: Problem, options: SearchOptions): Paused<SearchResult> {
  const { maxStates = Infinity, maxBytes = Infinity, reduction: wanted = "never" } = options;
  const network = options.network ?? new StateSpace(problem);
  const judge = new Judge(network, options.properties);
  if (wanted === "never") return yield* new Pass(network, judge, options).run();
  if (network.timed) {
    const whole = yield* new Pass(network, judge, options).run();
    return {
      ...whole,
      unreduced: wanted === "always" ? "with time, nodes take their turns in one order already" : null,
    };
  }
  const reduction = new Reduction(network, judge);
  if (wanted === "auto") {
    const first = new Pass(
      network,
      judge,
      { ...options, maxStates: Math.min(FEW_CONFIGURATIONS, maxStates) },
      reduction,
    );
    const few = yield* first.run();
    if (first.stopped !== "limit" || maxStates <= FEW_CONFIGURATIONS || first.bytes > maxBytes) return few;
  }
  const reduced = yield* reducing(network, judge, options, reduction);
  if (reduced !== null) return reduced;
  const unreduced = judge.readsMessages ? "a promise reads how many messages were sent" : "runs can turn in circles";
  return { ...(yield* new Pass(network, judge, options).run()), unreduced };
}

/** With commuting steps in one order only; null where that cannot tell. */
function* reducing(
  network: StateSpace,
  judge: Judge,
  options: SearchOptions,
  reduction: Reduction,
): Paused<SearchResult | null> {
  let leaves: Leaves = "commuting";
  while (!judge.readsMessages) {
    const pass: Pass = new Pass(network, judge, options, reduction, leaves);
    const result = yield* pass.run();
    if (result.violation !== null) return result;
    // Something new was learned. There is only so much of it: some time nothing is.
    if (reduction.outdated) reduction.again();
    else if (!pass.futile) {
      if (!result.loops || leaves !== "commuting") return result;
      // Runs that turn in circles: whether one of them is fair, only the full graph tells.
      if (options.properties.some(({ when }) => when === "forever")) return null;
      leaves = "commuting, in turn";
    }
  }
  return null;
}
