import { describe, expect, test } from "vitest";
import {
  type Design,
  defaultRounds,
  designContenders,
  exactSigma,
  expectedSurvivors,
  mostRounds,
  overProvisioned,
  quorumSize,
  roundedSigma,
} from "./sigma.ts";

const design = (n: number, more: Partial<Design> = {}): Design => ({
  n,
  gamma: 0,
  sigma: "design",
  alpha: 2,
  rounding: "ceil",
  ...more,
});

describe("sizes", () => {
  test("Fig. 1: n = 8 asks one, then two mediators, then a quorum of five", () => {
    expect([1, 2].map((j) => roundedSigma(design(8), j).least)).toEqual([1, 2]);
    expect(quorumSize(8)).toBe(5);
  });

  test.each([
    [1, 1],
    [2, 2],
    [3, 2],
    [4, 3],
    [1000, 84],
    [50_000, 736],
  ])("a quorum among %i is %i", (n, s) => expect(quorumSize(n)).toBe(s));

  test("sigma=alpha is alpha^(j/2), exact where that is whole", () => {
    const sizes = design(1000, { sigma: "alpha", alpha: 3 });
    expect([1, 2, 3, 4, 8].map((j) => roundedSigma(sizes, j).least)).toEqual([2, 3, 6, 9, 81]);
    expect(designContenders(sizes, 3)).toBeCloseTo(1000 / 9, 12);
  });

  test("stochastic rounding keeps the mean, also below one mediator", () => {
    const sizes = design(1000, { rounding: "stochastic" });
    const { least, fraction } = roundedSigma(sizes, 5);
    expect(least + fraction).toBeCloseTo(exactSigma(sizes, 5), 12);
    expect(roundedSigma(sizes, 1)).toEqual({ least: 0, fraction: exactSigma(sizes, 1) });
  });

  test("over-provisioning for failed mediators", () => {
    expect(overProvisioned(84, 0)).toBe(84);
    expect(overProvisioned(84, 0.1)).toBe(Math.ceil((84 + 4 * Math.sqrt(8.4)) / 0.9));
  });
});

describe("default J", () => {
  /** The rule of the text, written down once more without the code's helpers. */
  function byTheRule(n: number, gamma: number, delta: number): number {
    let x = n;
    for (let j = 1; ; j++) {
      const e = n / 2 ** (j - 1);
      if (e <= 1) return j - 1;
      const s = Math.min(n, Math.max(1, Math.ceil(Math.sqrt((n * Math.log(2)) / (e - 1)))));
      x *= (1 - s / n) ** (s * (x - 1)) * (1 - gamma) ** s;
      if (x < Math.log(1 / delta)) return j - 1;
    }
  }

  test.each([
    [1, 0],
    [2, 0],
    [3, 0],
    [8, 1],
    [16, 1],
    [100, 3],
    [1000, 7],
    [50_000, 12],
  ])("for n = %i is %i", (n, J) => expect(defaultRounds(design(n), 1 / n)).toBe(J));

  test("is the rule's for all small n and some large ones, with and without failures", () => {
    const sizes = [...Array.from({ length: 300 }, (_, i) => i + 2), 1023, 1024, 1025, 2 ** 17, 1_000_000, 2 ** 24];
    for (const n of sizes) {
      for (const gamma of [0, 0.01, 0.3]) {
        expect([n, gamma, defaultRounds(design(n, { gamma }), 1 / n)]).toEqual([n, gamma, byTheRule(n, gamma, 1 / n)]);
      }
    }
  });

  test("never exceeds what the sizes allow", () => {
    expect(mostRounds(design(1))).toBe(0);
    expect(mostRounds(design(8))).toBe(3);
    expect(mostRounds(design(9))).toBe(4);
    expect(defaultRounds(design(8), 1)).toBeLessThanOrEqual(3);
  });

  test("one more round would leave too few", () => {
    const d = design(5000);
    const J = defaultRounds(d, 1 / 5000);
    let x = 5000;
    for (let j = 1; j <= J; j++) x = expectedSurvivors(d, j, x);
    expect(x).toBeGreaterThanOrEqual(Math.log(5000));
    expect(expectedSurvivors(d, J + 1, x)).toBeLessThan(Math.log(5000));
  });
});
