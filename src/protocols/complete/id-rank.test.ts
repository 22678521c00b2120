import fc from "fast-check";
import { expect, test } from "vitest";
import { beats, drawIdRank, type IdRank, idRankBits, LARGEST_RANKED } from "../ranks.ts";

const half = fc.integer({ min: 0, max: 3 });
const rank = fc.record({ high: half, low: half, id: half });

test("ranks are ordered by (rank, id): the order of n^4 * id-wide integers", () => {
  const value = ({ high, low, id }: IdRank) => (high * 4 + low) * 4 + id;
  fc.assert(
    fc.property(rank, rank, (a, b) => beats(a, b) === value(a) > value(b)),
    { seed: 1, numRuns: 500 },
  );
});

test("both halves are drawn below n^2, which stays exact for the largest n", () => {
  const asked: number[] = [];
  const choose = (m: number) => asked.push(m) && m - 1;
  expect(drawIdRank(LARGEST_RANKED, 7, { choose }).id).toBe(7);
  expect(asked.every(Number.isSafeInteger)).toBe(true);
  expect(asked).toEqual([LARGEST_RANKED ** 2, LARGEST_RANKED ** 2]);
});

test("the size of a rank in a message", () => {
  expect(idRankBits({ high: 5, low: 1, id: 0 })).toBe(4);
});
