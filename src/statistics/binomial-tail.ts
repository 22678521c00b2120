/**
 * The chance of at least k successes in n trials, with the same bits in every JavaScript engine (see ln.ts): the chance of
 * exactly k by Loader's saddle-point form (C. Loader, "Fast and accurate computation of binomial probabilities", 2000), and the
 * terms after it by their ratios.
 */
import { exp, log1p } from "../random/elementary.ts";
import { ln } from "../random/ln.ts";

/** For 0 < k < n and 0 < p < 1. */
export function atLeast(k: number, n: number, p: number): number {
  const odds = p / (1 - p);
  let term = 1;
  let sum = 1;
  for (let j = k; j < n && term > sum * 1e-17; j++) {
    term *= ((n - j) / (j + 1)) * odds;
    sum += term;
  }
  return exactly(k, n, p) * sum;
}

/** For 0 < k < n. */
function exactly(k: number, n: number, p: number): number {
  const stirling = stirlingError(n) - stirlingError(k) - stirlingError(n - k);
  const deviance = k * ln(k / (n * p)) + (n - k) * (log1p(-k / n) - log1p(-p));
  return exp(stirling - deviance - 0.5 * ln((2 * Math.PI * k * (n - k)) / n));
}

/** ln k! less k ln k - k + ln(2 pi k)/2, for k > 0: as it is, and from 30 on by its series, to the last bits. */
function stirlingError(k: number): number {
  if (k >= 30) {
    const y = 1 / (k * k);
    return (1 / 12 - (1 / 360 - (1 / 1260 - y / 1680) * y) * y) / k;
  }
  let factorial = 0;
  for (let i = 2; i <= k; i++) factorial += ln(i);
  return factorial - (k + 0.5) * ln(k) + k - 0.5 * ln(2 * Math.PI);
}
