/** Confidence intervals, at 95% where nothing else is said. */
import { exp, log1p } from "../random/elementary.ts";
import { ln } from "../random/ln.ts";

export const CONFIDENCE = 0.95;

/** The two-sided 95% quantile of the normal distribution. */
export const Z95 = 1.959963984540054;

/** A share of trials with its 95% interval. */
export interface Rate {
  readonly rate: number | null;
  readonly low: number | null;
  readonly high: number | null;
}

/**
 * The interval of Clopper and Pearson (Biometrika 26, 1934): the rates at which so many successes, or more, or so many, or
 * fewer, have at least 2.5%. Whatever the rate is, it covers it in at least 95% of all campaigns, also where failures are rare.
 * It stays two-sided where nothing or everything has failed: what is decided after a look at the data has no guarantee.
 */
export function rateOf(successes: number, trials: number, confidence = CONFIDENCE): Rate {
  if (trials === 0) return { rate: null, low: null, high: null };
  const tail = (1 - confidence) / 2;
  return {
    rate: successes / trials,
    low: lowEnd(successes, trials, tail),
    high: 1 - lowEnd(trials - successes, trials, tail),
  };
}

/** The largest rate at which at least k of n succeed with a chance of at most `tail`, by bisection to the last bit. */
function lowEnd(k: number, n: number, tail: number): number {
  if (k === 0) return 0;
  if (k === n) return exp(ln(tail) / n);
  let low = 0;
  let high = k / n;
  for (;;) {
    const middle = (low + high) / 2;
    if (middle <= low || middle >= high) return low;
    if (binomialTail(k, n, middle) <= tail) low = middle;
    else high = middle;
  }
}

/**
 * The Wilson score interval (E. B. Wilson, JASA 22, 1927). It covers 95% on average over rates, and 83% at some near 0 or 1: it
 * steers (how a live group is set up by the losses that it sees), and is reported nowhere.
 */
export function wilson(successes: number, trials: number): Rate {
  if (trials === 0) return { rate: null, low: null, high: null };
  const rate = successes / trials;
  const spread = (Z95 * Z95) / trials;
  const centre = (rate + spread / 2) / (1 + spread);
  const half = Math.sqrt(spread * (rate * (1 - rate) + spread / 4)) / (1 + spread);
  return {
    rate,
    low: successes === 0 ? 0 : Math.max(0, centre - half),
    high: successes === trials ? 1 : Math.min(1, centre + half),
  };
}

// The chance of at least k successes in n trials, with the same bits in every JavaScript engine (see ln.ts): the chance of
// exactly k by Loader's saddle-point form (C. Loader, "Fast and accurate computation of binomial probabilities", 2000), and the
// terms after it by their ratios.

/** For 0 < k < n and 0 < p < 1. */
export function binomialTail(k: number, n: number, p: number): number {
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
