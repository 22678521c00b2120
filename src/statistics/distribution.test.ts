import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { HostStream } from "../random/streams.ts";
import { Distribution } from "./distribution.ts";

function distributionOf(values: readonly number[]): Distribution {
  const distribution = new Distribution();
  for (const value of values) distribution.add(value);
  return distribution;
}

const summaryOf = (values: readonly number[]) => distributionOf(values).summary();

/** Many ties among whole numbers, and fractions of which most are distinct. */
const numbers = fc.array(
  fc.oneof(fc.integer({ min: -5, max: 5 }), fc.double({ noNaN: true, min: -1e6, max: 1e6 }), fc.constant(-0)),
  { minLength: 2, maxLength: 3000, size: "max" },
);

test("agrees with brute force over the sorted list", () => {
  fc.assert(
    fc.property(numbers, (values) => {
      const sorted = values.map((value) => value + 0).sort((a, b) => a - b);
      const mean = values.reduce((a, b) => a + b, 0) / values.length;
      const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1);
      const summary = summaryOf(values);
      const scale = Math.max(...values.map(Math.abs), 1);
      expect(Math.abs(summary.mean! - mean) / scale).toBeLessThan(1e-11);
      expect(Math.abs(summary.sd! - Math.sqrt(variance)) / scale).toBeLessThan(1e-11);
      expect(summary.min).toBe(sorted[0]);
      expect(summary.max).toBe(sorted[sorted.length - 1]);
      for (const [key, percent] of [
        ["p50", 50],
        ["p90", 90],
        ["p99", 99],
      ] as const) {
        // By definition: the first value that at least `percent` per cent of all do not exceed.
        const rank = sorted.findIndex((_, index) => (index + 1) * 100 >= percent * sorted.length);
        expect(summary[key]).toBe(sorted[rank]);
      }
    }),
    { seed: 1, numRuns: 60 },
  );
});

test("the same bits for any order and any partition", () => {
  fc.assert(
    fc.property(numbers, fc.array(fc.nat({ max: 4 }), { minLength: 1, maxLength: 20 }), (values, owners) => {
      const expected = summaryOf(values);
      const parts = Array.from({ length: 5 }, () => new Distribution());
      values.toReversed().forEach((value, index) => {
        parts[owners[index % owners.length]].add(value);
      });
      const merged = new Distribution();
      for (const part of parts) merged.merge(new Distribution(structuredClone(part.run())));
      expect(merged.summary()).toEqual(expected);
      expect(Object.is(merged.summary().min, expected.min)).toBe(true);
      expect(merged.run()).toEqual(distributionOf(values).run());
    }),
    { seed: 1, numRuns: 60 },
  );
});

describe("a hundred thousand distinct values", () => {
  const stream = new HostStream(1, 0, "delays");
  const values = Array.from({ length: 100_000 }, () => stream.uniform());

  test("are kept exactly, each once", () => {
    const run = distributionOf(values).run();
    expect([...run.values]).toEqual(values.toSorted((a, b) => a - b));
    expect(run.counts.every((count) => count === 1)).toBe(true);
  });

  test("adding goes on after a look", () => {
    const distribution = distributionOf(values.slice(0, 50_000));
    distribution.summary();
    for (const value of values.slice(50_000)) distribution.add(value);
    expect(distribution.summary()).toEqual(summaryOf(values));
  });
});

test("a textbook sample: mean 5, sd 2.138, interval by t with 7 degrees of freedom", () => {
  const { mean, low, high, sd, p50 } = summaryOf([2, 4, 4, 4, 5, 5, 7, 9]);
  expect(mean).toBe(5);
  expect(sd).toBeCloseTo(Math.sqrt(32 / 7), 14);
  expect(high).toBeCloseTo(5 + (2.364624251592785 * Math.sqrt(32 / 7)) / Math.sqrt(8), 12);
  expect(low! + high!).toBeCloseTo(10, 14);
  expect(p50).toBe(4);
});

test("one value has no spread, none has nothing, equal ones have their value for a mean", () => {
  expect(summaryOf([7])).toEqual({ mean: 7, low: null, high: null, sd: null, min: 7, p50: 7, p90: 7, p99: 7, max: 7 });
  expect(Object.values(summaryOf([])).every((value) => value === null)).toBe(true);
  expect(summaryOf([0.1, 0.1, 0.1])).toMatchObject({ mean: 0.1, sd: 0, low: 0.1, high: 0.1 });
});

test("refuses what is not a number", () => {
  expect(() => new Distribution().add(Number.NaN)).toThrow(RangeError);
  expect(() => new Distribution().add(Number.POSITIVE_INFINITY)).toThrow(RangeError);
});
