/** From a problem to a verdict: in full, or with commuting steps in one order only where that tells the same. */
import type { Property } from "../properties/properties.ts";
import { Judge } from "./judge.ts";
import { type Leaves, Pass } from "./pass.ts";
import type { Problem } from "./problem.ts";
import { Reduction } from "./reduction.ts";
import { StateSpace, type Step } from "./state-space.ts";

export interface SearchOptions {
  readonly properties: readonly Property[];
  /**
   * Stop with `complete: false` when the tables of configurations take more than this. Not counted: what nodes can do,
   * which is remembered, and tables twice as large while they grow.
   */
  readonly maxBytes?: number | undefined;
  readonly maxStates?: number | undefined;
  /** Treat configurations of a ring that differ by a rotation as one; sound only where nodes have no ids. */
  readonly symmetry?: boolean;
  /**
   * Whether commuting steps are tried in one order only: never; always; or where more than a few configurations are left
   * without it (auto). With time there is none.
   */
  readonly reduction?: "never" | "auto" | "always";
  /** Of the problem, where the caller wants to look into it afterwards. */
  readonly network?: StateSpace;
  /** Called at every pause, also with whether anybody has drawn yet; false stops the search. */
  readonly onProgress?: (found: number, done: number, draws: boolean) => boolean;
}

/** A run that breaks a promise: its steps from the start. */
export interface Violation {
  readonly property: string;
  readonly what: string;
  readonly network: StateSpace;
  /** Whether no run that breaks it has fewer steps: so where nothing was left out before it was found. */
  readonly shortest: boolean;
  /** From the blank network to the violation. */
  readonly steps: readonly Step[];
}

export interface SearchResult {
  readonly states: number;
  /** Configurations in which nothing is left to happen, unless a fault that need not come. */
  readonly ends: number;
  /** Configurations with a step that the limits forbid. */
  readonly cut: number;
  /** The longest shortest way to a configuration, in steps. */
  readonly depth: number;
  /** Whether commuting steps were tried in one order only: then `states`, `cut` and `depth` are of what was visited. */
  readonly reduced: boolean;
  /** Why they were not, in words, where that was wanted. */
  readonly unreduced: string | null;
  /** Whether everything reachable was visited, or stands for what was not. */
  readonly complete: boolean;
  /** Whether a run can come to the same configuration twice; known where everything was visited. */
  readonly loops: boolean;
  /** The largest draw, and how many of its values were tried; null where nobody draws. */
  readonly draws: { readonly tried: number; readonly of: number } | null;
  /** Messages of a whole run, over all schedules; null where nothing ended, and the largest where runs can turn in circles. */
  readonly messages: { readonly min: number | null; readonly max: number | null };
  readonly violation: Violation | null;
}

/**
 * Work that pauses now and then, so that whoever waits for it can see to other things. Where it waits for others itself, which it
 * does only with a crew, it says for what: that is no pause of a search.
 */
export type Paused<T> = Generator<undefined | Promise<void>, T>;

/** Goes on after every pause, to the end. */
export function finished<T>(work: Generator<unknown, T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
  }
}

/** So many configurations are visited in full before reduction is tried, which finds longer ways. */
export const FEW = 100_000;

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
    const first = new Pass(network, judge, { ...options, maxStates: Math.min(FEW, maxStates) }, reduction);
    const few = yield* first.run();
    if (first.stopped !== "limit" || maxStates <= FEW || first.bytes > maxBytes) return few;
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
