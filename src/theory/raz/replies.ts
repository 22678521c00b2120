/**
 * The distribution of the number of replies when each of m hosts answers with probability p, cut at the range [L, U]:
 * equation (1) of Raz et al., to nearly full double precision for m from 1 to 10^9 and beyond.
 *
 * Single probabilities come from the saddle-point form (C. Loader, "Fast and accurate computation of binomial
 * probabilities", 2000), which no factorial can overflow; their neighbours follow by ratios. What is left out weighs
 * less than 1e-22 of what is kept.
 */
import { exp, log1p } from "../../random/elementary.ts";
import { ln } from "../../random/ln.ts";

/** Terms below this share of the largest (or of the sum so far) are left out. */
const NEGLIGIBLE = 1e-22;

export interface Replies {
  /** P(fewer than L). */
  readonly under: number;
  /** The mean of the replies where they are fewer than L, 0 elsewhere. */
  readonly underMean: number;
  /** P(L <= replies <= U). */
  readonly within: number;
  /** over[k] = P(first + k replies); all of these are more than U. */
  readonly first: number;
  readonly over: Float64Array;
}

export function replies(m: number, p: number, L: number, U: number): Replies {
  const mode = p >= 1 ? m : Math.min(m, Math.floor((m + 1) * p));
  const low = mass(m, p, mode, 0, Math.min(L - 1, m));
  return {
    under: low.total,
    underMean: low.mean,
    within: mass(m, p, mode, L, Math.min(U, m)).total,
    ...terms(m, p, mode, U + 1, m),
  };
}

/** P(from <= replies <= to), and the mean there; summed from the term nearest to the mode outwards. */
function mass(m: number, p: number, mode: number, from: number, to: number): { total: number; mean: number } {
  if (from > to) return { total: 0, mean: 0 };
  const anchor = Math.min(Math.max(mode, from), to);
  const peak = binomialProbability(anchor, m, p);
  let total = peak;
  let mean = anchor * peak;
  if (peak === 0 || p >= 1) return { total, mean };
  const odds = p / (1 - p);
  for (let i = anchor, term = peak; i < to && term > NEGLIGIBLE * peak; ) {
    term *= ((m - i) / (i + 1)) * odds;
    total += term;
    mean += ++i * term;
  }
  for (let i = anchor, term = peak; i > from && term > NEGLIGIBLE * peak; ) {
    term *= i / (m - i + 1) / odds;
    total += term;
    mean += --i * term;
  }
  return { total, mean };
}

/** The single probabilities of from .. to replies, as far as they matter. */
function terms(m: number, p: number, mode: number, from: number, to: number): { first: number; over: Float64Array } {
  if (from > to) return { first: from, over: new Float64Array(0) };
  const anchor = Math.min(Math.max(mode, from), to);
  const peak = binomialProbability(anchor, m, p);
  if (peak === 0 || p >= 1) return { first: anchor, over: Float64Array.of(peak) };
  const odds = p / (1 - p);
  const down: number[] = [];
  for (let i = anchor, term = peak; i > from && term > NEGLIGIBLE * peak; i--) {
    term *= i / (m - i + 1) / odds;
    down.push(term);
  }
  down.reverse();
  down.push(peak);
  const first = anchor - down.length + 1;
  for (let i = anchor, term = peak; i < to && term > NEGLIGIBLE * peak; i++) {
    term *= ((m - i) / (i + 1)) * odds;
    down.push(term);
  }
  return { first, over: Float64Array.from(down) };
}

/** P(i of m) for one i. */
export function binomialProbability(i: number, m: number, p: number): number {
  if (p <= 0) return i === 0 ? 1 : 0;
  if (p >= 1) return i === m ? 1 : 0;
  if (i === 0) return exp(m * log1p(-p));
  if (i === m) return exp(m * ln(p));
  const saddle =
    stirlingError(m) - stirlingError(i) - stirlingError(m - i) - deviance(i, m * p) - deviance(m - i, m * (1 - p));
  return exp(saddle) * Math.sqrt(m / (2 * Math.PI * i * (m - i)));
}

/** ln k! - ln(sqrt(2 pi k) (k/e)^k), k >= 1. */
function stirlingError(k: number): number {
  if (k < EXACT_ERRORS.length) return EXACT_ERRORS[k];
  const y = 1 / (k * k);
  return (1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680 - y / 1188) * y) * y) * y) / k;
}

/** Downwards from where the series is exact: error(k) = error(k+1) + (k+1/2) ln(1+1/k) - 1. */
const EXACT_ERRORS: readonly number[] = (() => {
  const errors = new Array<number>(33).fill(0);
  const y = 1 / (32 * 32);
  errors[32] = (1 / 12 - (1 / 360 - (1 / 1260 - y / 1680) * y) * y) / 32;
  for (let k = 31; k >= 1; k--) errors[k] = errors[k + 1] + (k + 0.5) * log1p(1 / k) - 1;
  return errors;
})();

/** x ln(x/mean) + mean - x without cancellation where x is near the mean. */
function deviance(x: number, mean: number): number {
  const difference = x - mean;
  if (Math.abs(difference) >= 0.1 * (x + mean)) return x * ln(x / mean) - difference;
  const v = difference / (x + mean);
  let total = difference * v;
  let term = 2 * x * v;
  for (let k = 3; ; k += 2) {
    term *= v * v;
    const next = total + term / k;
    if (next === total) return total;
    total = next;
  }
}

// The polls of Bolot et al. with masks of fewer and fewer bits (Raz et al., section II).

/** P(the first poll that is answered brings more than k replies). */
export function moreThan(k: number, n: number, most: number): number {
  let total = 0;
  for (let bits = most; bits >= 0; bits--) {
    const now = 2 ** -bits;
    const before = bits === most ? 0 : now / 2;
    const { over } = replies(n, (now - before) / (1 - before), 1, k);
    total += (1 - before) ** n * over.reduce((sum, p) => sum + p, 0);
  }
  return total;
}

/** Mean rounds where every poll is a new draw. */
export function freshRounds(n: number, most: number): number {
  let [rounds, silent] = [0, 1];
  for (let bits = most; bits >= 0; bits--) {
    rounds += silent;
    silent *= (1 - 2 ** -bits) ** n;
  }
  return rounds;
}
