import fc from "fast-check";
import { expect, test } from "vitest";
import { wilson, Z95 } from "./intervals.ts";

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
