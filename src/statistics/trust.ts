/** When a mean is not to be trusted: two tests, stated in docs/simulate.md. */
import type { Distribution, Summary } from "./distribution.ts";

/** A mean whose spread comes from fewer trials than this hangs on them (see Distribution.carriers). */
export const FEW_TRIALS = 8;
/** So much of a mean harms nobody. */
const HARMLESS = 0.01;
/** Half-widths of a 95% interval: by chance theory is farther off in one campaign of a thousand. */
const FAR = 1.7;

/** Whether few trials make up the spread, and the spread matters. */
export function hangsOnFew(distribution: Distribution): boolean {
  const { mean, low, high } = distribution.summary();
  const carriers = distribution.carriers();
  return carriers !== null && carriers < FEW_TRIALS && (high! - low!) / 2 > HARMLESS * Math.abs(mean!);
}

/** Whether a mean is so far from what exact theory expects that chance does not explain it. */
export function contradicts({ mean, low, high }: Summary, expected: number | null): boolean {
  if (low === null || expected === null) return false;
  return Math.abs(mean! - expected) > Math.max((FAR * (high! - low)) / 2, HARMLESS * Math.abs(expected));
}
