/** Runs of one setting and their statistics, for tests of claims. */
import { type Request, resolve } from "../../src/simulation/settings.ts";
import { runTrial, type Trial } from "../../src/simulation/trial.ts";

export function runs(request: Request, count: number): Trial[] {
  const settings = resolve(request);
  return Array.from({ length: count }, (_, trial) => runTrial(settings, trial));
}

export const mean = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0) / values.length;

function variance(values: readonly number[]): number {
  const centre = mean(values);
  return values.reduce((sum, value) => sum + (value - centre) ** 2, 0) / (values.length - 1);
}

/** The standard error of the mean. */
export const error = (values: readonly number[]): number => Math.sqrt(variance(values) / values.length);

export const share = (trials: readonly Trial[], outcome: Trial["outcome"]): number =>
  trials.filter((trial) => trial.outcome === outcome).length / trials.length;
