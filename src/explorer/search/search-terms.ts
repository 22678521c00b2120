/** What a search is asked, and what it tells. */
import type { Property } from "../../properties/properties.ts";
import type { Problem } from "../problem.ts";
import type { Step } from "../space/configurations.ts";
import type { Keeping } from "../space/orders.ts";
import type { StateSpace } from "../space/state-space.ts";

export interface SearchOptions {
  readonly properties: readonly Property[];
  /** Takes a breach that was expected and says null, or gives one back that was not: then the search ends. */
  readonly unexpected?: (violation: Violation) => Violation | null;
  /**
   * Stop with `complete: false` when the tables of configurations take more than this. Not counted: what nodes can do,
   * which is remembered, and tables twice as large while they grow.
   */
  readonly maxBytes?: number | undefined;
  readonly maxStates?: number | undefined;
  /** Treat configurations of a ring that differ by a rotation as one; sound only where nodes have no ids. */
  readonly symmetry?: boolean;
  /** With symmetry: whether all permutations of a complete network are one, not only its rotations. */
  readonly interchangeable?: boolean;
  /**
   * Whether commuting steps are tried in one order only: never; always; or where more than a few configurations are left
   * without it (auto). With time there is none.
   */
  readonly reduction?: "never" | "auto" | "always";
  /** What is kept of numbers that are kept by order; the order alone where missing. */
  readonly keeping?: Keeping;
  /** Of the problem, where the caller wants to look into it afterwards. */
  readonly network?: StateSpace;
  /** Called at every pause, also with whether anybody has drawn yet; false stops the search. */
  readonly onProgress?: (found: number, done: number, draws: boolean) => boolean;
}

/** A run that breaks a promise: its steps from the start. */
export interface Violation {
  readonly property: string;
  readonly what: string;
  readonly problem: Problem;
  readonly network: StateSpace;
  /** Whether no run that breaks it has fewer steps: so where nothing was left out before it was found. */
  readonly shortest: boolean;
  /** From the blank network to the violation. */
  readonly steps: readonly Step[];
  /** Where the run never ends: how many of its last steps repeat for ever. */
  readonly loop?: RepeatedSteps;
}

/** The part of a run that repeats for ever (the loop of a lasso). */
export interface RepeatedSteps {
  readonly steps: number;
  /** What is possible in some of its configurations, and never happens; weak fairness allows that. */
  readonly starves: readonly string[];
}

/** What a search visited: of one case, or sums and extremes over all cases of an exploration. */
export interface SearchCounts {
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
}

export interface SearchResult extends SearchCounts {
  /** Promises that remain open because numbers were kept by order. */
  readonly doubtful: readonly string[];
  readonly violation: Violation | null;
}

/**
 * Work that pauses now and then, so that its caller can do other things. Where it waits for others itself, which it
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
