/**
 * What Ramanathan et al. (Distributed Computing 19, 2007) leads one to expect: contenders per round, messages, and the
 * chance that two quorums miss each other. Sets are drawn without replacement, so the exact chances are hypergeometric.
 */
import { type Design, expectedSurvivors, overProvisioned, roundedSigma } from "./sigma.ts";

/** Contenders expected to enter rounds 1 .. J+1, from x of them, by the recursion that also chooses J. */
export function expectedContenders(design: Design, J: number, x = design.n): number[] {
  const expected = [x];
  for (let j = 1; j <= J; j++) expected.push(expectedSurvivors(design, j, expected[j - 1]));
  return expected;
}

/** Messages of the synchronous tournament that follow from it: each request and each answer of a live mediator. */
export function tournamentMessages(design: Design, J: number, s: number): number {
  const contenders = expectedContenders(design, J);
  const perRequest = 2 - design.gamma;
  const firstPhase = contenders.slice(0, J).map((contending, i) => {
    const { least, fraction } = roundedSigma(design, i + 1);
    return contending * (least + fraction);
  });
  const asked = Math.min(overProvisioned(s, design.gamma), design.n);
  return perRequest * (firstPhase.reduce((a, b) => a + b, 0) + contenders[J] * asked);
}

/** ln of the chance that random sets of a and b among n have no common member: C(n-a, b) / C(n, b). */
export function lnDisjoint(n: number, a: number, b: number): number {
  const [small, large] = a < b ? [a, b] : [b, a];
  if (small + large > n) return -Infinity;
  let sum = 0;
  for (let i = 0; i < small; i++) sum += Math.log1p(-large / (n - i));
  return sum;
}

/** The chance that two quorums of s among n miss each other; the paper's approximation is 1/n. */
export const quorumMiss = (n: number, s: number): number => Math.exp(lnDisjoint(n, s, s));

/** At most this is the chance that x survivors end with several leaders: some quorum misses that of the largest rank. */
export const severalLeadersBound = (n: number, s: number, x: number): number =>
  Math.min(1, Math.max(x - 1, 0) * quorumMiss(n, s));

/** Exactly the mean number that goes on from x contenders with sigma mediators each, where a collision refuses both. */
export const survivorsOfCollisions = (n: number, sigma: number, x: number): number =>
  x * Math.exp(lnDisjoint(n, sigma, sigma) * (x - 1));

/**
 * Exactly the mean number that goes on when a mediator accepts the first and all requests of one contender come before
 * those of the next, as with one fixed delay (Theorem 6's sum): the i-th goes on if it avoids the i-1 before it.
 */
export function survivorsInOrder(n: number, sigma: number, x: number): number {
  const avoids = Math.exp(lnDisjoint(n, sigma, sigma));
  return avoids === 1 ? x : (1 - avoids ** x) / (1 - avoids);
}

/** The chance that x survivors are none, when each contender of a large group survives independently: e^-x. */
export const noSurvivor = (x: number): number => Math.exp(-x);
