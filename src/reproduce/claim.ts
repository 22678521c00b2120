/** What a reproduction says: claims with verdicts, figures with their data, and the words around them. */
import type { Plot, PlotPoint } from "../plot/plot.ts";
import type { Request } from "../simulation/settings.ts";
import type { Trial } from "../simulation/trial.ts";
import type { Rate, Report, Summary } from "../statistics/report.ts";

/** "open": too few runs to tell. "not testable": no run can show it, such as a bound over all algorithms. */
export type ClaimVerdict = "holds" | "holds after repair" | "does not hold" | "open" | "not testable";

/** What would be wrong if the claim were: the result itself, a step of its proof, a printed number, or words. */
export type Severity = "theorem" | "proof step" | "number" | "wording";

export interface PaperClaim {
  /** Its name in the texts; the part after a "/" tells apart claims that share their words. */
  readonly key: string;
  /** Where the paper says it: "Theorem 6", "Fig. 9", "section 7.2". */
  readonly section: string;
  /** The sentence as printed; empty where the paper does not say it (see `kind`). */
  readonly says: string;
  /** What of it was put to the test. */
  readonly statement: string;
  /** The paper's value, as text. */
  readonly paper: string;
  readonly ours: number | string | null;
  readonly interval: readonly [number, number] | null;
  readonly verdict: ClaimVerdict;
  readonly severity: Severity;
  /** A claim of the text, a check of our own theory against our own runs, or an answer to what the text leaves open. */
  readonly kind: "claim" | "self-check" | "extension";
  /** A threshold of our own that the verdict rests on; empty where the text has one, or none is needed. */
  readonly criterion: string;
  /** The error that a failing claim is an instance of, so that one error counts once; empty where it stands alone. */
  readonly error: string;
  readonly note: string;
}

export interface Figure {
  /** The file name without its ending, such as "ramanathan-fig9". */
  readonly name: string;
  readonly title: string;
  readonly caption: string;
  readonly csv: string;
  readonly picture: Plot;
}

export interface ReproductionResult {
  readonly claims: readonly PaperClaim[];
  readonly figures: readonly Figure[];
  /** A paragraph for the page: what the figures show and where the paper errs. */
  readonly text: string;
}

/** The same for either effort, or one for each. */
export type Trials = number | readonly [quick: number, full: number];
/** A campaign, as it is declared. */
export type DeclaredRun = readonly [request: Request, trials: Trials];
/** A campaign for each x, with a seed of its own. */
export interface Over<X> {
  readonly xs: readonly X[] | Readonly<Record<Bench["effort"], readonly X[]>>;
  run(x: X, i: number): DeclaredRun;
}
// biome-ignore lint/suspicious/noExplicitAny: of any x, which `Ran` finds out
export type Runs = Readonly<Record<string, DeclaredRun | Over<any>>>;

/** The reports of a sweep, in the order of its xs. */
export type Swept<X> = readonly Report[] & { readonly xs: readonly X[]; of(x: X): Report };
/** What declared runs found, by name. */
export type Ran<R> = {
  readonly [K in keyof R]: R[K] extends Over<infer X> ? Swept<X> : Report;
};

export const over = <X>(xs: Over<X>["xs"], run: Over<X>["run"]): Over<X> => ({ xs, run });

/** Every pair. */
export const grid = <A, B>(
  as: readonly A[],
  bs: readonly B[],
  run: (a: A, b: B) => DeclaredRun,
): Over<readonly [A, B]> => ({
  xs: as.flatMap((a) => bs.map((b) => [a, b] as const)),
  run: ([a, b]) => run(a, b),
});

export interface Bench {
  readonly effort: "quick" | "full";
  /** The number of trials for the effort. */
  trials(quick: number, full: number): number;
  /** Executes what is declared, one after the other. */
  runs<R extends Runs>(declared: R): Promise<Ran<R>>;
  /** A campaign of which every trial is looked at; `x` is its place on a curve, or null. */
  simulate(run: string, x: unknown, declared: DeclaredRun, take: (trials: readonly Trial[]) => void): Promise<Report>;
  /** Says what is being done, for the progress bar, where it is not a campaign. */
  step(what: string): void;
}

/** What the placeholders of a text begin with: `${report.rounds.mean:2}` wants a `report`. */
export type TextValues = Readonly<Record<string, unknown>>;
/** A value that was computed or is the same in every run, what was measured, or a value with an interval of its own. */
export type FoundValue = number | string | Summary | Rate | PlotPoint | Pick<PaperClaim, "ours" | "interval">;
/** Facts and what they decide, apart, so that a test can plant others. */
export interface GivenFacts<T> {
  readonly facts: T;
  decide(facts: T): boolean | ClaimVerdict;
}
/** What decides: facts, a test, a test of the value, a verdict, or that the value is the printed decimal, rounded or cut. */
export type Test = boolean | ClaimVerdict | GivenFacts<never> | ((ours: number) => boolean | ClaimVerdict) | "digits";
/** What was found and what decides; alone the latter, where the text has in words what was found; values of its own. */
export type Judged = Test | readonly [found: FoundValue, test: Test, values?: TextValues];

export interface Reproduction {
  readonly paper: "lecture" | "ramanathan" | "kutten" | "gupta" | "raz";
  /** "fig9", "theorems", "table5": what `sortition reproduce PAPER NAME` calls it. */
  readonly name: string;
  readonly title: string;
  run(bench: Bench): Promise<ReproductionResult>;
  /** What decides each claim, without the words: for tests that plant results. */
  judgements(bench: Bench): Promise<Readonly<Record<string, Judged>>>;
}
