/** How long all but a few elections take, from a sample of them. */
import { binomialBelow } from "../theory/chance.ts";

/** The chance that more take longer than is said here, where the sample is large enough to count those. */
const DOUBT = 0.025;
/** The share of the sample from which the rest is extended. */
const TOP = 0.1;

/**
 * A time that elections exceed with a chance of at most `tail`. Where the sample is too small to show it, times beyond its
 * largest tenth are taken to fall off as an exponential does, which counts of exchanges and sums of many delays do, or faster.
 */
export function timeBeyond(times: readonly number[], tail: number): number {
  const sorted = [...times].sort((a, b) => a - b);
  const size = sorted.length;
  let exceed = 0;
  if (binomialBelow(size, tail, 1) <= DOUBT) {
    while (binomialBelow(size, tail, exceed + 2) <= DOUBT) exceed++;
    return sorted[size - 1 - exceed];
  }
  const from = sorted[Math.floor((1 - TOP) * size)];
  const above = sorted.filter((time) => time > from);
  if (above.length === 0) return sorted[size - 1];
  const mean = above.reduce((sum, time) => sum + time - from, 0) / above.length;
  const beyond = mean * (1 + 2 / Math.sqrt(above.length)) * Math.log(above.length / size / tail);
  return Math.max(sorted[size - 1], from + beyond);
}
