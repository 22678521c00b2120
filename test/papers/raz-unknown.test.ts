/**
 * D. Raz, Y. Shavitt, L. Zhang, "Distributed Council Election", 2004, section VII: an n that is wrong or unknown, and loss.
 * "Verdict" marks what does not hold. Criteria as in raz.test.ts.
 */
import { describe, expect, test } from "vitest";
import { masksCost, skipResetCost, smaller, unknownCost } from "../../src/theory/raz/raz.ts";
import { aggressive, conservative, N, open } from "../support/raz.ts";

describe("VII. robustness", () => {
  const wrong = (estimate: number) => skipResetCost(N, { ...open, c: 5.6, estimate });

  test("Fig. 15: ten times too few costs one round and ten times the messages", () => {
    expect(wrong(0.1).rounds - wrong(1).rounds).toBeCloseTo(0.99, 2);
    expect(wrong(0.1).messages / wrong(1).messages).toBeCloseTo(9.93, 2);
  });

  test("Verdict: ten times too many costs 1.21 rounds, more than one and more than ten times too few", () => {
    expect(wrong(10).rounds - wrong(1).rounds).toBeCloseTo(1.21, 2);
  });

  test("Verdict: it does not always pay to overestimate: in messages yes, in rounds only up to a factor of 2.51", () => {
    for (const factor of [2, 5, 10, 100]) expect(wrong(factor).messages).toBeLessThan(wrong(1).messages);
    for (const factor of [1.1, 2, 2.51]) expect(wrong(factor).rounds).toBeLessThan(wrong(1).rounds);
    for (const factor of [2.52, 5, 10]) expect(wrong(factor).rounds).toBeGreaterThan(wrong(1).rounds);
    expect(wrong(100).rounds).toBeGreaterThan(18);
  });
});

describe("VII-A. unknown n", () => {
  const search = (n: number, how: typeof aggressive) => unknownCost(n, { ...open, c: 5.6 }, how);

  test("equation (17): halving, or the power 0.7, as long as more than U is left", () => {
    expect(smaller(100_000, open, conservative)).toBe(50_000);
    expect(smaller(100_000, open, aggressive)).toBeCloseTo(100_000 ** 0.7, 8);
    expect(smaller(16, open, conservative)).toBeNull();
    expect(smaller(16.1, open, conservative)).toBeCloseTo(8.05, 12);
  });

  test("Fig. 17, n = 10: over 13 rounds for Bolot, about 10 conservative, about 4 aggressive", () => {
    expect(masksCost(10, 16).rounds).toBeCloseTo(13.2746, 4);
    expect(search(10, conservative).rounds).toBeCloseTo(10.4518, 4);
    expect(search(10, aggressive).rounds).toBeCloseTo(4.0478, 4);
  });

  test("four rounds suffice for all n from 10 on; verdict: up to 5.4 below", () => {
    for (let n = 11; n <= 100_000; n = Math.ceil(n * 1.3)) expect(search(n, aggressive).rounds).toBeLessThan(4.01);
    expect(search(1, aggressive).rounds).toBeCloseTo(5.4139, 4);
  });

  test("Verdict: the aggressive search is not quicker than the conservative one from n = 5750 on", () => {
    const rounds = (n: number) => [conservative, aggressive].map((how) => search(n, how).rounds);
    const [slow, quick] = rounds(5500);
    expect(quick).toBeLessThan(slow);
    for (const n of [5760, N, 50_000, 100_000]) expect(rounds(n)[1]).toBeGreaterThan(rounds(n)[0]);
    expect(rounds(N)[1]).toBeCloseTo(2.179, 3);
    expect(rounds(N)[0]).toBeCloseTo(1.779, 3);
  });
});
