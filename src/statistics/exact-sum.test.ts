import fc from "fast-check";
import { expect, test } from "vitest";
import { ExactSum } from "./distribution.ts";

function sumOf(values: readonly number[]): number {
  const sum = new ExactSum();
  for (const value of values) sum.add(value);
  return sum.value();
}

/** The exact sum of doubles as a fraction of 2^1074, rounded by BigInt arithmetic: slow, and independent of ours. */
function reference(values: readonly number[]): number {
  const scaled = values.reduce((total, value) => total + scale(value), 0n);
  const magnitude = scaled < 0n ? -scaled : scaled;
  const excess = BigInt(Math.max(0, magnitude.toString(2).length - 53));
  let head = magnitude >> excess;
  const rest = magnitude - (head << excess);
  const half = excess > 0n ? 1n << (excess - 1n) : 1n;
  if (excess > 0n && (rest > half || (rest === half && head % 2n === 1n))) head++;
  return (scaled < 0n ? -1 : 1) * Number(head << excess) * 2 ** -200;
}

/** A double of at least 2^-147 in magnitude (or 0) as a whole number of 2^-200. */
const scale = (value: number): bigint => BigInt(value * 2 ** 200);

test("keeps what naive summation loses", () => {
  expect(sumOf([1e16, 1, -1e16])).toBe(1);
  expect(sumOf([0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1])).toBe(1);
  expect(sumOf([])).toBe(0);
});

test("rounds once, ties to even, with what lies below a tie deciding", () => {
  expect(sumOf([2 ** 53, 1])).toBe(2 ** 53);
  expect(sumOf([2 ** 53, 1, 2 ** -60])).toBe(2 ** 53 + 2);
  expect(sumOf([2 ** 53, 2, 1])).toBe(2 ** 53 + 4);
  expect(sumOf([2 ** 53, 2, 1, -(2 ** -60)])).toBe(2 ** 53 + 2);
});

const double = fc
  .double({ noNaN: true, noDefaultInfinity: true, min: -1e30, max: 1e30 })
  .map((value) => (Math.abs(value) < 2 ** -147 ? 0 : value + 0));

test("equals the exact sum, in any order and any grouping", () => {
  fc.assert(
    fc.property(fc.array(double, { maxLength: 40 }), fc.nat(), (values, cut) => {
      const expected = reference(values) + 0;
      expect(sumOf(values) + 0).toBe(expected);
      expect(sumOf(values.toReversed()) + 0).toBe(expected);
      const left = new ExactSum();
      const right = new ExactSum();
      values.forEach((value, index) => {
        (index % 7 < cut % 8 ? left : right).add(value);
      });
      left.merge(new ExactSum(right.parts));
      expect(left.value() + 0).toBe(expected);
    }),
    { seed: 1 },
  );
});
