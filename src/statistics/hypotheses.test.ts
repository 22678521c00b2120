import { describe, expect, test } from "vitest";
import { resolve } from "../simulation/settings.ts";
import { runTrial } from "../simulation/trial.ts";
import { ALPHA, holm, meansDiffer, meansEquivalent, rateBelow, ratesDiffer, ratesEquivalent } from "./hypotheses.ts";
import { rateOf } from "./intervals.ts";
import { studentTail } from "./student-t.ts";

test.each([
  [0, 5, 0.5],
  [1, 1, 0.25],
  [2, 3, 0.06966298427942152],
  [-1.5, 7, 0.911350756505015],
  [0.01, 100, 0.49602060511721424],
  [2.5, 1000, 0.0062892839005454036],
  [0.3, 100_000, 0.3820888895951688],
  [1.96, 1_000_000, 0.024998033792634926],
  [12, 30, 2.7900927075996303e-13],
  [40, 200, 1.1243698267601098e-97],
])("P(T > %d) with %d degrees of freedom is what SciPy computes", (t, df, expected) => {
  expect(studentTail(t, df) / expected).toBeCloseTo(1, 9);
});

describe("known answers, from SciPy", () => {
  const first = [10, 12, 9, 11, 14, 13];
  const second = [11, 15, 10, 13, 15, 17];
  test("the paired t test", () => {
    // Six trials cannot show less than 2^-5, whatever their spread.
    expect(meansDiffer(first, second)).toBe(2 ** -5);
    const twice = [...first, ...second];
    const other = [...second, ...second.map((value, i) => value + first[i] - 10)];
    // scipy.stats.ttest_rel
    expect(meansDiffer(twice, other)).toBeCloseTo(0.0023752882027352905, 12);
    expect(meansDiffer(other, twice)).toBe(meansDiffer(twice, other));
  });
  test("two one-sided t tests with a margin relative to the first mean", () => {
    expect(meansEquivalent([...first, ...first], [...second, ...first], 0.3)).toBe(2 ** -12);
    expect(meansEquivalent([...first, ...first], [...second, ...first], 0.15)).toBeCloseTo(0.04221388840097429, 12);
  });
  test("McNemar's exact test", () => {
    const p = (gained: number, lost: number) =>
      ratesDiffer(
        [...Array(gained).fill(0), ...Array(lost + 20).fill(1)],
        [...Array(gained).fill(1), ...Array(lost).fill(0), ...Array(20).fill(1)],
      );
    expect(p(9, 3)).toBeCloseTo(0.14599609375, 12);
    expect(p(11, 30)).toBeCloseTo(0.00432400493446039, 12);
    expect(p(5, 0)).toBe(2 ** -4);
    expect(p(0, 0)).toBe(1);
    expect(p(4, 4)).toBe(1);
  });
});

test("Holm's correction: the textbook's example, in the order given", () => {
  // R: p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm")
  expect(holm([0.01, 0.04, null, 0.03, 0.005])).toEqual([0.03, 0.06, null, 0.06, 0.02]);
  expect(holm([0.9, 0.8])).toEqual([1, 1]);
});

test("trials that do not differ, or too few, show nothing", () => {
  const same = [3, 3, 3, 3, 3, 3, 3, 3];
  expect(meansDiffer(same, same)).toBe(1);
  expect(meansEquivalent(same, same, 0.01)).toBe(2 ** -8);
  const more = same.map((value) => value + 1);
  expect(meansDiffer(same, more)).toBe(2 ** -7);
  expect(meansEquivalent(same, more, 0.2)).toBe(1);
  expect([
    meansDiffer([1], [2]),
    meansEquivalent([1], [1], 0.5),
    ratesDiffer([], []),
    ratesEquivalent([1], [1], 0.1),
  ]).toEqual([null, null, null, null]);
});

/** Trials of one protocol that have nothing in common: whatever a test finds between two stretches of them is a false alarm. */
const settings = resolve({ protocol: "chang-roberts", n: 12 });
const TRIALS = 20;
const REPEATED = 600;
const drawn = Array.from({ length: 2 * TRIALS * REPEATED }, (_, trial) => runTrial(settings, trial).messages);
const stretch = (i: number) => drawn.slice(i * TRIALS, (i + 1) * TRIALS);

test("calibration: without a difference, one test in twenty finds one", () => {
  const alarms = Array.from({ length: REPEATED }, (_, i) => meansDiffer(stretch(2 * i), stretch(2 * i + 1))!);
  const { low, high } = rateOf(alarms.filter((p) => p <= ALPHA).length, REPEATED);
  expect(low).toBeLessThan(ALPHA);
  expect(high).toBeGreaterThan(0.035);
});

test("calibration: of ten comparisons without a difference, one in twenty families has an alarm after Holm's correction", () => {
  const ps = Array.from({ length: REPEATED }, (_, i) => meansDiffer(stretch(2 * i), stretch(2 * i + 1))!);
  const families = Array.from({ length: REPEATED / 10 }, (_, i) => ps.slice(10 * i, 10 * i + 10));
  const any = (some: readonly (readonly (number | null)[])[]) =>
    some.filter((family) => family.some((p) => p! <= ALPHA)).length;
  expect(rateOf(any(families.map(holm)), families.length).low).toBeLessThan(ALPHA);
  // The planted mistake: without a correction, two families in five have one.
  expect(rateOf(any(families), families.length).low).toBeGreaterThan(0.2);
});

test("calibration: settings that differ by just the margin are called equivalent in at most one test of twenty", () => {
  const margin = 0.1;
  const alarms = Array.from({ length: REPEATED }, (_, i) => {
    const larger = stretch(2 * i + 1).map((value) => (1 + margin) * value);
    return meansEquivalent(stretch(2 * i), larger, margin)!;
  });
  const { low, high } = rateOf(alarms.filter((p) => p <= ALPHA).length, REPEATED);
  expect(low).toBeLessThan(ALPHA);
  expect(high).toBeGreaterThan(0.03);
});

/** How often the test of equivalence errs where the rates differ by just the margin, over every sample. */
function falseEquivalence(trials: number, margin: number, down: number, level: number): number {
  const up = down + margin;
  let sum = 0;
  for (let gained = 0; gained <= trials; gained++) {
    for (let lost = 0; gained + lost <= trials; lost++) {
      const p = Math.max(rateBelow(gained, lost, trials, margin), rateBelow(lost, gained, trials, margin));
      if (p <= level) sum += chance(gained, trials, up) * chance(lost, trials - gained, down / (1 - up));
    }
  }
  return sum;
}

function chance(k: number, n: number, p: number): number {
  let product = 1;
  for (let i = 1; i <= k; i++) product *= ((n - k + i) / i) * p;
  return product * (1 - p) ** (n - k);
}

test("rates that differ by just the margin are called equivalent no more often than the level, computed over every sample", () => {
  let worst = 0;
  let useful = 0;
  for (const trials of [10, 20, 50]) {
    for (const margin of [0.05, 0.1, 0.2, 0.3]) {
      for (const down of [0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.3]) {
        for (const level of [0.05, 0.01]) {
          const error = falseEquivalence(trials, margin, down, level) / level;
          worst = Math.max(worst, error);
          if (trials === 50 && margin === 0.2) useful = Math.max(useful, error);
        }
      }
    }
  }
  expect(worst).toBeLessThanOrEqual(1);
  expect(useful).toBeGreaterThan(0.5);
});
