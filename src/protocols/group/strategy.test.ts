import { expect, test } from "vitest";
import { relaysExpected, relayTime } from "./filter-relay-parameters.ts";

const rounds = (initial: number, factor: number, maximum: number, n: number) =>
  Array.from({ length: maximum }, (_, i) => relaysExpected({ initial, factor, maximum }, i + 1, n));

test("the strategy of section 5: 7, 14, 28, 56, then everybody", () => {
  expect(rounds(7, 2, 5, 2000)).toEqual([7, 14, 28, 56, 2000]);
});

test("K never passes N, and one round is the final one", () => {
  expect(rounds(7, 2, 5, 20)).toEqual([7, 14, 20, 20, 20]);
  expect(rounds(7, 2, 1, 2000)).toEqual([2000]);
  expect(rounds(3, 1, 3, 10)).toEqual([3, 3, 10]);
});

test("the relay phase lasts 3K/2 unicast delays", () => {
  expect(relayTime(7, 1)).toBe(10.5);
  expect(relayTime(8, 0.5)).toBe(6);
});
