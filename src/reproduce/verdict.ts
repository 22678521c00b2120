/** Verdicts from tests: what is printed here was decided by numbers, not by hand. */
import type { Rate } from "../statistics/intervals.ts";
import type { Summary } from "../statistics/report.ts";
import type { Claim, Verdict } from "./claim.ts";
import { intervalOf } from "./draw.ts";

export const verdictIf = (test: boolean, holding: Verdict = "holds"): Verdict => (test ? holding : "does not hold");

/** For a claim that fails as it is stated but is true of what was meant. */
export const verdictOr = (asStated: boolean, repaired: boolean): Verdict =>
  asStated ? "holds" : verdictIf(repaired, "holds after repair");

/** What was measured, as a claim wants it. */
export const measuredMean = (summary: Summary): Pick<Claim, "ours" | "interval"> => ({
  ours: summary.mean,
  interval: intervalOf(summary),
});

export const measuredRate = (rate: Rate): Pick<Claim, "ours" | "interval"> => ({
  ours: rate.rate,
  interval: intervalOf(rate),
});

/** What was computed, or is the same in every run. */
export const exactly = (ours: number | string): Pick<Claim, "ours" | "interval"> => ({ ours, interval: null });
