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

export interface Bench {
  readonly effort: "quick" | "full";
  /** The number of trials for the effort. */
  trials(quick: number, full: number): number;
  /** A campaign on the worker pool. */
  simulate(request: Request, trials: number): Promise<Report>;
  /** Says what is being done, for the progress bar. */
  step(what: string): void;
}

export interface Reproduction {
  readonly paper: "lecture" | "ramanathan" | "kutten" | "gupta" | "raz";
  /** "fig9", "theorems", "table5": what `sortition reproduce PAPER NAME` calls it. */
  readonly name: string;
  readonly title: string;
  run(bench: Bench): Promise<Part>;
}
