import fc from "fast-check";
import { expect, test } from "vitest";
import { effort } from "../../test/support/effort.ts";
import { rateOf, wilson, Z95 } from "./intervals.ts";

// SciPy: binomtest(x, n).proportion_ci(method="wilson"); 81 in 263 and 15 in 148 are Newcombe's examples (Statistics in
// Medicine 17, 1998), who prints 0.2553 to 0.3662 and 0.0624 to 0.1605.
test.each([
  [1, 10, 0.017876213095072896, 0.4041500267952385],
  [81, 263, 0.2552885198782742, 0.36620957698280004],
  [15, 148, 0.06238639953073629, 0.16048724172330803],
  [999, 1000, 0.9943574414020421, 0.9998234536293739],
])("Wilson's interval of %i in %i", (successes, trials, low, high) => {
  const interval = wilson(successes, trials);
  expect(interval.rate).toBe(successes / trials);
  expect(interval.low).toBeCloseTo(low, 13);
  expect(interval.high).toBeCloseTo(high, 13);
});

test("no success and nothing but successes keep a width, with one exact end", () => {
  const z2 = Z95 * Z95;
  const none = wilson(0, 20);
  expect(none.low).toBe(0);
  expect(none.high).toBeCloseTo(z2 / (20 + z2), 14);
  const all = wilson(20, 20);
  expect(all.high).toBe(1);
  expect(all.low).toBeCloseTo(20 / (20 + z2), 14);
  expect(wilson(0, 0)).toEqual({ rate: null, low: null, high: null });
});

test("both ends solve Wilson's equation (rate - p)^2 = z^2 p (1-p) / n", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1e6 }), fc.double({ min: 0, max: 1, noNaN: true }), (trials, share) => {
      const { rate, low, high } = wilson(Math.round(trials * share), trials);
      for (const p of [low!, high!]) {
        expect(Math.abs((rate! - p) ** 2 - (Z95 ** 2 * p * (1 - p)) / trials)).toBeLessThan(1e-13);
      }
      expect(low!).toBeLessThanOrEqual(rate!);
      expect(high!).toBeGreaterThanOrEqual(rate!);
    }),
    { seed: 1 },
  );
});

// SciPy: binomtest(x, n).proportion_ci(method="exact").
test.each([
  [1, 10, 0.0025285785444617848, 0.4450161170281954],
  [81, 263, 0.25273674558527126, 0.36762192260135135],
  [999, 1000, 0.9944410757201734, 0.9999746825125088],
  [500_000, 1_000_000, 0.49901951919531184, 0.5009804808046882],
  [1, 1_000_000, 2.5317807663794178e-8, 5.571630655166939e-6],
])("Clopper and Pearson's interval of %i in %i", (successes, trials, low, high) => {
  const interval = rateOf(successes, trials);
  expect(interval.rate).toBe(successes / trials);
  expect(interval.low! / low).toBeCloseTo(1, 9);
  expect(interval.high! / high).toBeCloseTo(1, 9);
});

test("it is two-sided at every count: 0 of 100 leaves 3.6%, and not the 3% of a one-sided limit", () => {
  const all = rateOf(100, 100);
  expect(all.high).toBe(1);
  expect(all.low).toBeCloseTo(0.025 ** 0.01, 13);
  expect(rateOf(0, 100)).toEqual({ rate: 0, low: 0, high: 1 - all.low! });
  expect(rateOf(0, 0)).toEqual({ rate: null, low: null, high: null });
  expect(rateOf(100, 100, 0.999).low).toBeLessThan(all.low!);
});

/** The chance that the interval of the successes in n trials covers p: a sum over all counts, and no simulation. */
function coverage(intervalOf: typeof rateOf, n: number, p: number): number {
  const logs = [n * Math.log1p(-p)];
  for (let k = 0; k < n; k++) logs.push(logs[k] + Math.log((n - k) / (k + 1)) + Math.log(p) - Math.log1p(-p));
  return logs.reduce((sum, log, k) => {
    const { low, high } = intervalOf(k, n);
    return low! <= p && p <= high! ? sum + Math.exp(log) : sum;
  }, 0);
}

test("Wilson's covers 83% where failures are rare", () => {
  expect(coverage(wilson, 100, 0.99824)).toBeLessThan(0.84);
});

test.each([1, 2, 5, 10, 30, 100, effort(200, 1000)])(
  "at %i trials it covers at least 95 of 100, whatever the rate",
  (n) => {
    const all = Array.from({ length: n + 1 }, (_, k) => rateOf(k, n));
    const intervalOf = (k: number) => all[k];
    // Between two neighbouring ends the same counts cover, so that the least is just beside an end.
    const beside = all.flatMap(({ low, high }) => [
      low! * (1 - 1e-9),
      low! * (1 + 1e-9),
      high! * (1 - 1e-9),
      high! * (1 + 1e-9),
    ]);
    const rare = Array.from({ length: 60 }, (_, i) => 10 ** (-i / 10));
    const rates = [...beside, ...rare, ...rare.map((p) => 1 - p), 0.99824].filter((p) => p > 0 && p < 1);
    expect(Math.min(...rates.map((p) => coverage(intervalOf, n, p)))).toBeGreaterThanOrEqual(0.95 - 1e-9);
  },
);
