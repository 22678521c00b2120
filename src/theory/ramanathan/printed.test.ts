import { describe, expect, test } from "vitest";
import { asPrinted } from "./printed.ts";
import { expectedContenders } from "./ramanathan.ts";
import { design } from "./sigma.ts";

describe("the printed number of rounds", () => {
  test("there is none up to n = 2^30: all contend in the second phase", () => {
    expect(asPrinted(30).left).toBe(2 ** 30);
    expect(asPrinted(30).messages).toBeCloseTo(2 * Math.sqrt(2 ** 30 * 30 * Math.LN2), 6);
    expect(asPrinted(31).left).toBeLessThan(2 ** 30);
  });

  test("is followed by the recursion that chooses J, where that can compute it", () => {
    // n = 2^40: 40 - 6 log2 40 = 8.07 rounds. The common recursion loses digits in 1 - s/n, six are left.
    expect(asPrinted(40).left / expectedContenders(design(2 ** 40), 8)[8]).toBeCloseTo(1, 3);
  });

  test("Theorem 2 fails: log^6 n contenders are left, not half of it", () => {
    for (const k of [64, 128, 256]) expect(asPrinted(k).left / k ** 6).toBeCloseTo(1, 3);
  });

  test("failures cost more than the last round's factor, but no more than a constant", () => {
    const lost = asPrinted(128, 0.9).left / asPrinted(128).left;
    expect(lost).toBeLessThan(Math.exp(-0.9));
    expect(lost).toBeCloseTo(asPrinted(256, 0.9).left / asPrinted(256).left, 3);
  });
});
