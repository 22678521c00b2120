/** Confidence intervals, at 95% where nothing else is said. */
import { exp } from "../random/elementary.ts";
import { ln } from "../random/ln.ts";
import { atLeast } from "./binomial-tail.ts";

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
    if (atLeast(k, n, middle) <= tail) low = middle;
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
