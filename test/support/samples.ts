/** Runs of one setting and their statistics, for tests of claims. */
import { type Request, resolve } from "../../src/simulation/settings.ts";
import { runTrial, type Trial } from "../../src/simulation/trial.ts";

export function runs(request: Request, count: number): Trial[] {
  const settings = resolve(request);
  return Array.from({ length: count }, (_, trial) => runTrial(settings, trial));
}

export const mean = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0) / values.length;

export function variance(values: readonly number[]): number {
  const centre = mean(values);
  return values.reduce((sum, value) => sum + (value - centre) ** 2, 0) / (values.length - 1);
}

/** The standard error of the mean. */
export const error = (values: readonly number[]): number => Math.sqrt(variance(values) / values.length);

export const share = (trials: readonly Trial[], outcome: Trial["outcome"]): number =>
  trials.filter((trial) => trial.outcome === outcome).length / trials.length;

/** The slope of a least-squares line through (ln x, ln y): the exponent of a power law. */
export function exponent(points: readonly (readonly [number, number])[]): number {
  const xs = points.map(([x]) => Math.log(x));
  const ys = points.map(([, y]) => Math.log(y));
  const [mx, my] = [mean(xs), mean(ys)];
  const covariance = xs.reduce((sum, x, i) => sum + (x - mx) * (ys[i] - my), 0);
  return covariance / xs.reduce((sum, x) => sum + (x - mx) ** 2, 0);
}
