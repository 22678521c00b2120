/**
 * The two-sided 95% quantile of Student's t distribution. Only additions, multiplications, divisions and square roots
 * are used, so that every JavaScript engine gives the same bits.
 */
import { Z95 } from "./intervals.ts";

const TAIL = 0.05;
/** From here on the asymptotic expansion is as good as the exact computation (compared in the test). */
const MANY = 300;

/** The t for which a variable with `df` degrees of freedom lies outside [-t, t] with probability 5%. */
export function t95(df: number): number {
  let t = expansion(Math.max(df, 3));
  if (df >= MANY) return t;
  if (df < 3) t = df === 1 ? 12 : 4;
  // Newton's method on the tail; at most a handful of steps from so near.
  for (let step = 0; step < 50; step++) {
    const next = t + (tail(t, df) - TAIL) / (2 * density(t, df));
    if (Math.abs(next - t) <= 1e-14 * t) return next;
    t = next;
  }
  return t;
}

/** Fisher and Cornish's expansion about the normal quantile (Abramowitz and Stegun 26.7.5). */
export function expansion(df: number): number {
  const z = Z95;
  const z2 = z * z;
  const g1 = (z * (z2 + 1)) / 4;
  const g2 = (z * ((5 * z2 + 16) * z2 + 3)) / 96;
  const g3 = (z * (((3 * z2 + 19) * z2 + 17) * z2 - 15)) / 384;
  const g4 = (z * ((((79 * z2 + 776) * z2 + 1482) * z2 - 1920) * z2 - 945)) / 92160;
  return z + (g1 + (g2 + (g3 + g4 / df) / df) / df) / df;
}

/** P(|T| > t): the regularised incomplete beta function I_x(df/2, 1/2) by its series, all of whose terms are positive. */
function tail(t: number, df: number): number {
  const a = df / 2;
  const x = df / (df + t * t);
  let term = 1;
  let sum = 1;
  for (let k = 0; term > sum * 1e-17; k++) {
    term *= (x * (a + 0.5 + k)) / (a + 1 + k);
    sum += term;
  }
  return (power(Math.sqrt(x), df) * Math.sqrt(1 - x) * sum) / (a * beta(df));
}

/** P(T > t), for any number of degrees of freedom, by the continued fraction of the incomplete beta function. */
export function studentTail(t: number, df: number): number {
  const x = df / (df + t * t);
  const rest = (t * t) / (df + t * t);
  const front = (power(Math.sqrt(x), df) * Math.sqrt(rest)) / beta(df);
  const a = df / 2;
  const both = x < (a + 1) / (a + 2.5) ? (front * fraction(x, a, 0.5)) / a : 1 - 2 * front * fraction(rest, 0.5, a);
  return t > 0 ? both / 2 : 1 - both / 2;
}

/** By Lentz's method; it converges within about the root of a + b steps where x is below (a + 1)/(a + b + 2). */
function fraction(x: number, a: number, b: number): number {
  const away = (value: number) => (Math.abs(value) < 1e-300 ? 1e-300 : value);
  let c = 1;
  let d = 1 / away(1 - ((a + b) * x) / (a + 1));
  let value = d;
  for (let m = 1; ; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / away(1 + even * d);
    c = away(1 + even / c);
    value *= d * c;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / away(1 + odd * d);
    c = away(1 + odd / c);
    value *= d * c;
    if (Math.abs(d * c - 1) < 1e-15 || m > 1e6) return value;
  }
}

function density(t: number, df: number): number {
  return power(Math.sqrt(df / (df + t * t)), df + 1) / (Math.sqrt(df) * beta(df));
}

/** B(df/2, 1/2), from B(1/2, 1/2) = pi or B(1, 1/2) = 2 upwards. */
function beta(df: number): number {
  let value = df % 2 === 1 ? Math.PI : 2;
  for (let a = df % 2 === 1 ? 0.5 : 1; a < df / 2; a++) value *= a / (a + 0.5);
  return value;
}

function power(base: number, exponent: number): number {
  let result = 1;
  for (let square = base, rest = exponent; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) result *= square;
    square *= square;
  }
  return result;
}
