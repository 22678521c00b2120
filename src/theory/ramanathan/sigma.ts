/**
 * The arithmetic of Ramanathan et al.: how many mediators a contender asks (sigma_j in the first phase, s in the second),
 * how many contenders that leaves on average, and how many rounds J the first phase has. The protocols take
 * their sizes from here.
 */
import { ln } from "../../random/ln.ts";

/** What sigma_j follows from. */
export interface Sizes {
  /** The number of processes that the protocol believes in. */
  readonly n: number;
  /** design: halving as in the synchronous protocol; alpha: sigma_j = alpha^(j/2), Theorem 6. */
  readonly sigma: "design" | "alpha";
  readonly alpha: number;
  readonly rounding: "ceil" | "stochastic";
}

/** What J follows from. */
export interface Design extends Sizes {
  /** Probability that a mediator has failed. */
  readonly gamma: number;
}

/** A design with the defaults of the protocols. */
export const design = (n: number, more: Partial<Design> = {}): Design => ({
  n,
  gamma: 0,
  sigma: "design",
  alpha: 2,
  rounding: "ceil",
  ...more,
});

export const believedSize = (n: number, estimate: number): number => Math.max(1, Math.round(n * estimate));

/** s = ceil(sqrt(n ln n)): two sets of s among n are disjoint with probability about 1/n. */
export const quorumSize = (n: number): number => Math.max(1, Math.ceil(Math.sqrt(n * ln(n))));

/** How many mediators to ask in the second phase so that s of them answer although each has failed with probability gamma. */
export function overProvisioned(s: number, gamma: number): number {
  return Math.ceil((s + 4 * Math.sqrt(s * gamma)) / (1 - gamma));
}

/** The design value E_j of contenders that enter round j: n, n/2, n/4, ... (or powers of alpha). */
export const designContenders = ({ n, sigma, alpha }: Sizes, j: number): number =>
  n / power(sigma === "alpha" ? alpha : 2, j - 1);

/** sigma_j before rounding; infinite once no more than one contender is designed for. */
export function exactSigma(design: Sizes, j: number): number {
  if (design.sigma === "alpha") return Math.sqrt(power(design.alpha, j));
  const others = designContenders(design, j) - 1;
  return others > 0 ? Math.sqrt((design.n * Math.LN2) / others) : Infinity;
}

/**
 * How sigma_j is rounded: `least`, and one more with probability `fraction`. At most n; at least 1 where it is rounded up. A coin
 * may say 0, and a contender that asks nobody goes on: only so are the contenders halved while sigma_j is below 1.
 */
export function roundedSigma(design: Sizes, j: number): { readonly least: number; readonly fraction: number } {
  const exact = exactSigma(design, j);
  const whole = design.rounding === "ceil" ? Math.ceil(exact) : Math.floor(exact);
  const least = Math.min(Math.max(whole, design.rounding === "ceil" ? 1 : 0), design.n);
  return { least, fraction: least === whole && least < design.n ? Math.max(exact - whole, 0) : 0 };
}

/**
 * Of x contenders in round j, how many are expected to go on when a mediator that hears two refuses both:
 * x (1 - s/n)^(s(x-1)) (1-gamma)^s with s = sigma_j as rounded, averaged over the coin where rounding is stochastic.
 */
export function expectedSurvivors(design: Design, j: number, x: number): number {
  const { least, fraction } = roundedSigma(design, j);
  const undisturbed = (1 - (least + fraction) / design.n) ** Math.max(x - 1, 0) * (1 - design.gamma);
  return x * undisturbed ** least * (1 - fraction + fraction * undisturbed);
}

/** The largest J that the sizes allow: every round is designed for more than one contender and asks at most n mediators. */
export function mostRounds(design: Sizes): number {
  let j = 0;
  while (designContenders(design, j + 1) > 1 && exactSigma(design, j + 1) <= design.n) j++;
  return j;
}

/**
 * The default J: the largest for which the expected number of survivors of a start with n contenders stays at or above
 * ln(1/delta). More rounds save messages until too few survivors are expected, so the best J is the largest safe one.
 */
export function defaultRounds(design: Design, delta: number): number {
  const enough = ln(1 / delta);
  const most = mostRounds(design);
  let x = design.n;
  for (let j = 1; j <= most; j++) {
    x = expectedSurvivors(design, j, x);
    if (x < enough) return j - 1;
  }
  return most;
}

/** By multiplication, so that alpha^j is exact where it can be and sigma_j = alpha^(j/2) is not rounded up by an ulp. */
function power(base: number, exponent: number): number {
  let value = 1;
  for (let i = 0; i < exponent; i++) value *= base;
  return value;
}
