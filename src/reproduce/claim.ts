/** What a reproduction says: claims with verdicts, figures with their data, and the words around them. */

import type { Request } from "../simulation/settings.ts";
import type { Report } from "../statistics/report.ts";

export type Verdict = "holds" | "holds after repair" | "does not hold";

export interface Claim {
  /** Where the paper says it: "Theorem 6", "Fig. 9", "section 7.2". */
  readonly section: string;
  readonly statement: string;
  /** The paper's value, as text. */
  readonly paper: string;
  readonly ours: number | string | null;
  readonly interval: readonly [number, number] | null;
  readonly verdict: Verdict;
  readonly note: string;
}

export interface Figure {
  /** The file name without its ending, such as "ramanathan-fig9". */
  readonly name: string;
  readonly title: string;
  readonly caption: string;
  readonly csv: string;
  readonly svg: string;
}

export interface Part {
  readonly claims: readonly Claim[];
  readonly figures: readonly Figure[];
  /** A paragraph for docs/reproduction.md: what the figures show and where the paper errs. */
  readonly text: string;
}

/** The same for either effort, or one for each. */
export type Trials = number | readonly [quick: number, full: number];

export interface Bench {
  readonly effort: "quick" | "full";
  /** The number of trials for the effort. */
  trials(quick: number, full: number): number;
  /** A campaign on the worker pool. */
  simulate(request: Request, trials: Trials): Promise<Report>;
  /** One after the other, in order; campaigns of each have a seed of their own (see bench.ts). */
  each<X, Y>(xs: readonly X[], run: (x: X, i: number) => Promise<Y>): Promise<Y[]>;
  /** A campaign for each x. */
  sweep<X>(xs: readonly X[], request: (x: X) => Request, trials: Trials): Promise<Map<X, Report>>;
  /** Says what is being done, for the progress bar, where it is not a campaign. */
  step(what: string): void;
}

export interface Reproduction {
  readonly paper: "lecture" | "ramanathan" | "kutten" | "gupta" | "raz";
  /** "fig9", "theorems", "table5": what `sortition reproduce PAPER NAME` calls it. */
  readonly name: string;
  readonly title: string;
  run(bench: Bench): Promise<Part>;
}
