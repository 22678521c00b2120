/** Binomial and hypergeometric chances in log space: no overflow at n = 10^9, and small tails without cancellation. */
import { lnDisjoint } from "./ramanathan/ramanathan.ts";
import { binomialProbability } from "./raz/replies.ts";

const HALF_LN_TAU = 0.9189385332046727;

/** ln k! for real k >= 0: Stirling's series, shifted up where k is small. */
function lnFactorial(k: number): number {
  let shift = 0;
  let x = k + 1;
  for (; x < 12; x++) shift += Math.log(x);
  const y = 1 / (x * x);
  const series = (1 / 12 - (1 / 360 - (1 / 1260 - y / 1680) * y) * y) / x;
  return (x - 0.5) * Math.log(x) - x + HALF_LN_TAU + series - shift;
}

export const lnChoose = (n: number, k: number): number =>
  k < 0 || k > n ? -Infinity : lnFactorial(n) - lnFactorial(k) - lnFactorial(n - k);

/** P(X < t): summed downwards from t-1 where that is the smaller tail. */
export function binomialBelow(n: number, p: number, t: number): number {
  if (t <= 0) return 0;
  if (t > n) return 1;
  if (p <= 0) return 1;
  if (p >= 1) return 0;
  return t - 1 <= n * p ? lowerTail(n, p, t - 1) : 1 - upperTail(n, p, t);
}

/** P(X >= t). */
export function binomialAtLeast(n: number, p: number, t: number): number {
  if (t <= 0) return 1;
  if (t > n || p <= 0) return 0;
  if (p >= 1) return 1;
  return t > n * p ? upperTail(n, p, t) : 1 - lowerTail(n, p, t - 1);
}

const NEGLIGIBLE = 1e-18;

function lowerTail(n: number, p: number, k: number): number {
  let term = binomialProbability(k, n, p);
  let sum = term;
  for (let i = k; i > 0 && term > NEGLIGIBLE * sum; i--) {
    term *= (i / (n - i + 1)) * ((1 - p) / p);
    sum += term;
  }
  return Math.min(1, sum);
}

function upperTail(n: number, p: number, k: number): number {
  let term = binomialProbability(k, n, p);
  let sum = term;
  for (let i = k; i < n && term > NEGLIGIBLE * sum; i++) {
    term *= ((n - i) / (i + 1)) * (p / (1 - p));
    sum += term;
  }
  return Math.min(1, sum);
}

/** The values of a binomial variable that matter, with their chances. */
export function binomialTerms(n: number, p: number, least = 1e-18): { readonly value: number; readonly p: number }[] {
  if (p <= 0) return [{ value: 0, p: 1 }];
  if (p >= 1) return [{ value: n, p: 1 }];
  const mode = Math.min(n, Math.floor((n + 1) * p));
  const peak = binomialProbability(mode, n, p);
  const terms = [{ value: mode, p: peak }];
  for (let i = mode, term = peak; i > 0 && term > least; i--) {
    term *= (i / (n - i + 1)) * ((1 - p) / p);
    terms.push({ value: i - 1, p: term });
  }
  for (let i = mode, term = peak; i < n && term > least; i++) {
    term *= ((n - i) / (i + 1)) * (p / (1 - p));
    terms.push({ value: i + 1, p: term });
  }
  return terms.sort((a, b) => a.value - b.value);
}

/**
 * P(j of `marked` are among `drawn` of n), for j = first, first+1, ... up to `most`, as far as it matters. Ratios lead from the smallest
 * possible j upwards, so one logarithm of a product is all that large n needs.
 */
export function hypergeometricChances(
  n: number,
  marked: number,
  drawn: number,
  most = Number.POSITIVE_INFINITY,
  lnDisjointKnown?: number,
): { first: number; p: number[] } {
  const first = Math.max(0, marked + drawn - n);
  const last = Math.min(marked, drawn, Math.max(first, most));
  const start =
    first === 0
      ? (lnDisjointKnown ?? lnDisjoint(n, marked, drawn))
      : lnChoose(marked, first) + lnChoose(n - marked, drawn - first) - lnChoose(n, drawn);
  const p = [Math.exp(start)];
  const mode = ((marked + 1) * (drawn + 1)) / (n + 2);
  for (let j = first; j < last; j++) {
    const next = (p[p.length - 1] * ((marked - j) * (drawn - j))) / ((j + 1) * (n - marked - drawn + j + 1));
    if (j > mode && next < 1e-30) break;
    p.push(next);
  }
  return { first, p };
}

/** E[q^H] where H of `marked` are among `drawn` of n: that no message reaches a marked one, if each is lost with q. */
export function noneReached(n: number, marked: number, drawn: number, q: number): number {
  if (q === 0) return Math.exp(lnDisjoint(n, marked, drawn));
  if (q === 1) return 1;
  const { first, p } = hypergeometricChances(n, marked, drawn);
  let sum = 0;
  let power = q ** first;
  for (const chance of p) {
    sum += chance * power;
    power *= q;
  }
  return sum;
}
