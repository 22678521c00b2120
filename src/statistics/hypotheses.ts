/**
 * Tests of hypotheses about two settings, trial by trial: is there a difference, and is it smaller than a margin? What each test
 * promises, and how that was checked, stands in docs/sweep.md.
 */
import { Distribution } from "./distribution.ts";
import { binomialTail } from "./intervals.ts";
import { studentTail } from "./student-t.ts";

/** The chance of a false alarm that all tests of one table share. */
export const ALPHA = 0.05;

/** The two-sided p-value of no difference: the paired t test of means. */
export function meansDiffer(first: readonly number[], second: readonly number[]): number | null {
  const upper = meanAbove(first, second, 1);
  const lower = meanAbove(second, first, 1);
  return upper === null || lower === null ? null : Math.min(1, 2 * Math.min(upper, lower));
}

/**
 * The p-value of "the means differ by at least the margin", a share of the first mean: two one-sided t tests (Schuirmann 1987), of
 * second - (1 + margin) first and of (1 - margin) first - second, so that the first mean may be uncertain too (Sasabuchi 1988).
 */
export function meansEquivalent(first: readonly number[], second: readonly number[], margin: number): number | null {
  const above = meanAbove(second, first, 1 + margin);
  const below = meanAbove(first, second, 1 / (1 - margin));
  return above === null || below === null ? null : Math.max(above, below);
}

/**
 * The one-sided p-value for the alternative "factor times the mean of b is above the mean of a". It is never less than 2^-trials: what
 * one arrangement of signs in this many trials can show, also where all differences are equal.
 */
function meanAbove(a: readonly number[], b: readonly number[], factor: number): number | null {
  const trials = Math.min(a.length, b.length);
  if (trials < 2) return null;
  const differences = new Distribution();
  for (let i = 0; i < trials; i++) differences.add(factor * b[i] - a[i]);
  const { mean, sd } = differences.summary();
  const p = sd === 0 ? (mean! > 0 ? 0 : 1) : studentTail((mean! * Math.sqrt(trials)) / sd!, trials - 1);
  return Math.max(p, 2 ** -trials);
}

/** How many trials succeeded with the second setting only, and with the first only. */
function discordant(first: readonly number[], second: readonly number[]) {
  const trials = Math.min(first.length, second.length);
  let gained = 0;
  let lost = 0;
  for (let i = 0; i < trials; i++) {
    if (second[i] > first[i]) gained++;
    else if (second[i] < first[i]) lost++;
  }
  return { trials, gained, lost };
}

/** The two-sided p-value of equal success rates: McNemar's test, exact. Its chance of a false alarm is never above the level. */
export function ratesDiffer(first: readonly number[], second: readonly number[]): number | null {
  const { trials, gained, lost } = discordant(first, second);
  if (trials === 0) return null;
  const [most, all] = [Math.max(gained, lost), gained + lost];
  if (all === 0) return 1;
  return Math.min(1, 2 * (most === all ? 2 ** -all : binomialTail(most, all, 0.5)));
}

/**
 * The p-value of "the success rates differ by at least the margin", in points: two one-sided score tests (T. Tango, Stat. Med. 17, 1998)
 * with a correction for continuity. As published the test errs in up to 6.9% of samples at a level of 5%; so corrected, in no more than the
 * level wherever we computed it (hypotheses.test.ts).
 */
export function ratesEquivalent(first: readonly number[], second: readonly number[], margin: number): number | null {
  const { trials, gained, lost } = discordant(first, second);
  if (trials < 2) return null;
  return Math.max(rateBelow(gained, lost, trials, margin), rateBelow(lost, gained, trials, margin));
}

/** One-sided: up minus down is below the margin. */
export function rateBelow(up: number, down: number, trials: number, margin: number): number {
  const a = 2 * trials;
  const b = (2 * trials - up + down) * margin - up - down;
  const c = -down * margin * (1 - margin);
  // The likeliest rate of `down` where the difference is the margin.
  const rate = (Math.sqrt(Math.max(0, b * b - 4 * a * c)) - b) / (2 * a);
  const deviation = Math.sqrt(trials * (2 * rate + margin * (1 - margin)));
  return studentTail((trials * margin - (up - down) - 0.5) / deviation, trials - 1);
}

/**
 * Holm's correction (Scand. J. Stat. 6, 1979), in the order given: whichever hypotheses are true, the chance that one of them has an adjusted p-value
 * of at most alpha is at most alpha. Comparisons without a p-value do not count.
 */
export function holm(values: readonly (number | null)[]): (number | null)[] {
  const order = values.flatMap((p, index) => (p === null ? [] : [{ p, index }])).sort((a, b) => a.p - b.p);
  const adjusted: (number | null)[] = values.map(() => null);
  let least = 0;
  for (const [rank, { p, index }] of order.entries()) {
    least = Math.max(least, Math.min(1, (order.length - rank) * p));
    adjusted[index] = least;
  }
  return adjusted;
}
