/**
 * How a verdict follows from what was found. A measured value is judged by its interval: the claim is contradicted where the
 * interval lies outside of what the claim allows, it holds where the interval lies inside of what counts as shown, and in
 * between it is open: there were too few runs to tell. So no claim holds because hardly anything was run.
 */
import type { FittedValue } from "../statistics/fits.ts";
import { rateOf } from "../statistics/intervals.ts";
import type { Rate, Report } from "../statistics/report.ts";
import type { ClaimVerdict, FoundValue, GivenFacts } from "./claim.ts";

/** Ends of an interval, as summaries, rates and fits have them; a null end is none. */
type Measured = Pick<Rate, "low" | "high"> | Pick<FittedValue, "interval">;

function endsOf(found: Measured): readonly [number, number] {
  const [low, high] = "interval" in found ? found.interval : [found.low, found.high];
  return low === null || high === null || Number.isNaN(low) || Number.isNaN(high)
    ? [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]
    : [low, high];
}

/** The true value is at most `bound`; shown where the interval ends at or below `shown`. */
export function atMost(found: Measured, bound: number, shown = bound): ClaimVerdict {
  const [low, high] = endsOf(found);
  if (low > bound) return "does not hold";
  return high <= Math.max(bound, shown) ? "holds" : "open";
}

/** The true value is at least `bound`; shown where the interval begins at or above `shown`. */
export function atLeast(found: Measured, bound: number, shown = bound): ClaimVerdict {
  const [low, high] = endsOf(found);
  if (high < bound) return "does not hold";
  return low >= Math.min(bound, shown) ? "holds" : "open";
}

/** An exact value is contradicted this many half-widths of the interval away: 3.3 standard errors, once in a thousand by chance. */
const HALF_WIDTHS = 1.7;

/** The true value is `value`; shown where the whole interval is within `tolerance` of it. */
export function equalTo(found: Measured, value: number, tolerance: number): ClaimVerdict {
  const [low, high] = endsOf(found);
  if (Math.abs(value - (low + high) / 2) > HALF_WIDTHS * ((high - low) / 2)) return "does not hold";
  return low >= value - tolerance && high <= value + tolerance ? "holds" : "open";
}

/** The true value is within `tolerance` of `value`. */
export const near = (found: Measured, value: number, tolerance: number): ClaimVerdict =>
  all(atMost(found, value + tolerance), atLeast(found, value - tolerance));

/** One value is above the other: shown, or contradicted, where the intervals do not overlap. */
export function above(one: Measured, other: Measured): ClaimVerdict {
  const [[low, high], [least, most]] = [endsOf(one), endsOf(other)];
  if (low > most) return "holds";
  return high < least ? "does not hold" : "open";
}

/** Two values are the same: contradicted where the intervals do not overlap, shown where both are narrow (relative to the larger). */
export function similar(one: Measured, other: Measured, tolerance: number): ClaimVerdict {
  const [[low, high], [least, most]] = [endsOf(one), endsOf(other)];
  if (low > most || high < least) return "does not hold";
  const spread = Math.max(high, most) - Math.min(low, least);
  if (!Number.isFinite(spread)) return "open";
  return spread <= tolerance * Math.max(Math.abs(high), Math.abs(most)) ? "holds" : "open";
}

/** A share of failures that the claim bounds: up to twice the bound is allowed to an interval, whose ends it must not exceed. */
export const failsAtMost = (failed: Rate, bound: number): ClaimVerdict => atMost(failed, bound, 2 * bound);

/** All of them: one that does not hold decides, then one that is open. */
export function all(...parts: readonly (boolean | ClaimVerdict)[]): ClaimVerdict {
  const verdicts = parts.map((part) => (typeof part === "boolean" ? verdictIf(part) : part));
  return (
    (["does not hold", "not testable", "open", "holds after repair"] as const).find((one) => verdicts.includes(one)) ??
    "holds"
  );
}

/** Verdicts follow from tests: what is printed was decided by numbers, not by hand. */
const verdictIf = (test: boolean): ClaimVerdict => (test ? "holds" : "does not hold");

/** For a claim that only a repair makes true. */
export function afterRepair(test: boolean | ClaimVerdict): ClaimVerdict {
  const verdict = all(test);
  return verdict === "holds" ? "holds after repair" : verdict;
}

/** For a claim that fails as it is stated but is true of what was meant. */
export function verdictOr(asStated: boolean | ClaimVerdict, repaired: boolean | ClaimVerdict): ClaimVerdict {
  const stated = all(asStated);
  return stated === "holds" ? stated : afterRepair(repaired);
}

/** Elections that did not end with one leader, as a share. */
export const failing = ({ trials, outcomes }: Pick<Report, "trials" | "outcomes">): Rate =>
  rateOf(trials - outcomes.one, trials);

/** Elections of several campaigns that ended with one leader, as a share. */
export const pooled = (reports: readonly Report[]): Rate =>
  rateOf(
    reports.reduce((sum, { outcomes }) => sum + outcomes.one, 0),
    reports.reduce((sum, { trials }) => sum + trials, 0),
  );

/**
 * "With high probability" over several n: an error of 1/n in every trial, on average. Open where the claim would not fail even
 * if errors were as frequent as it allows: then fewer than three are allowed in all, and none has a chance of 5%.
 */
export function withHighProbability(reports: readonly Report[]): ClaimVerdict {
  const allowed = allowedErrors(reports);
  if (failedElections(reports) > allowed) return "does not hold";
  return allowed < 3 ? "open" : "holds";
}

export const failedElections = (reports: readonly Report[]): number =>
  reports.reduce((sum, { trials, outcomes }) => sum + trials - outcomes.one, 0);

export const allowedErrors = (reports: readonly Report[]): number =>
  reports.reduce((sum, { trials, n }) => sum + trials / n, 0);

/** O(f(n)), given what was measured in units of f(n): the last ratio is not above all those before, to 2%. */
export const levelsOff = (ratios: readonly number[]): boolean =>
  ratios.length > 1 && ratios[ratios.length - 1] <= Math.max(...ratios.slice(0, -1)) * 1.02;

/** An event that must occur: shown by `least` trials in which it always did. Fewer leave a rate above 0.1% possible. */
const LEAST_RUNS = 100;

/** What is said of maxima, minima or means without an interval wants so many trials of each campaign. */
export const enoughRuns = (reports: readonly Pick<Report, "trials">[], least: number): ClaimVerdict =>
  reports.every(({ trials }) => trials >= least) ? "holds" : "open";

/** In every one of at least this many runs. */
export function always(rate: Rate, trials: number, least = LEAST_RUNS): ClaimVerdict {
  if (rate.rate !== 1) return rate.rate === null ? "open" : "does not hold";
  return trials >= least ? "holds" : "open";
}

/** What decides, apart from the facts that it decides on. */
export const given = <T>(facts: T, decide: (facts: T) => boolean | ClaimVerdict): GivenFacts<never> =>
  ({ facts, decide }) as unknown as GivenFacts<never>;

/** The printed decimal is the value, rounded to this many digits or cut after them. */
export function isPrinted(value: number, printed: number, digits: number): boolean {
  const units = (value - printed) * 10 ** digits;
  return units >= -0.5 - 1e-9 && units < 1 - 1e-9;
}

/** A text, or a value, is the expected one. */
export const is = (found: string, expected: string) => given(found, (text) => text === expected);

/** What was measured, or the value and its interval. */
export function measuredValue(found: FoundValue): {
  readonly ours: number | string | null;
  readonly interval: readonly [number, number] | null;
} {
  if (typeof found !== "object") return { ours: found, interval: null };
  const ours = "ours" in found ? found.ours : "mean" in found ? found.mean : "rate" in found ? found.rate : found.y;
  const [low, high] = "interval" in found ? (found.interval ?? [null, null]) : [found.low, found.high];
  const known = low != null && high != null && Number.isFinite(low) && Number.isFinite(high);
  return { ours, interval: known ? [low, high] : null };
}
