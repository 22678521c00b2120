/** When an asymptotic statement of Kutten et al. counts as true of what was measured. */
import type { Report } from "../../statistics/report.ts";

/** Elections that did not end with one leader. */
export const failedElections = (reports: readonly Report[]): number =>
  reports.reduce((sum, { trials, outcomes }) => sum + trials - outcomes.one, 0);

/** What "with high probability" grants in both theorems: an error of 1/n in every trial, on average. The true errors are so much rarer that no slack is needed. */
export const allowedErrors = (reports: readonly Report[]): number =>
  reports.reduce((sum, { trials, n }) => sum + trials / n, 0);

/** O(f(n)), given what was measured in units of f(n): the last ratio is not above all those before, to 2%. */
export const levelsOff = (ratios: readonly number[]): boolean =>
  ratios[ratios.length - 1] <= Math.max(...ratios.slice(0, -1)) * 1.02;
