/**
 * Ramanathan et al. (2007), section 4: what the reproduction does not assert of the asynchronous protocol. Seeds are fixed; "5 errors" means
 * five standard errors of the mean, which another seed would exceed with probability 6e-7.
 */
import { describe, expect, test } from "vitest";
import { quorumMiss, survivorsInOrder } from "../../src/theory/ramanathan/ramanathan.ts";
import { defaultRounds, design, quorumSize, roundedSigma } from "../../src/theory/ramanathan/sigma.ts";
import { effort } from "../support/effort.ts";
import { error, mean, runs, share } from "../support/samples.ts";
import { type Contest, explore } from "../support/schedules.ts";

const uniform = { kind: "uniform", min: 0, max: 1 } as const;

describe("Theorems 6 and 7: rounds and messages", () => {
  test("Theorem 6: E[X_(j+1) | X_j] is the sum over contenders in their order (fails beyond 5 errors)", () => {
    const n = 512;
    const J = defaultRounds(design(n), 1 / n);
    const surprises = runs({ protocol: "tournament-async", n }, 150).map(({ series: { contenders } }) => {
      let sum = 0;
      for (let j = 1; j <= J; j++) {
        sum += contenders[j] - survivorsInOrder(n, roundedSigma(design(n), j).least, contenders[j - 1]);
      }
      return sum;
    });
    expect(Math.abs(mean(surprises))).toBeLessThan(5 * error(surprises));
  });
});

describe("Theorems 8 to 10: every schedule at small n", () => {
  /** Three contenders in a circle: any two quorums of two share one mediator. */
  const circle = (tau: number, reading: Contest["reading"], starts = [0, 0, 0]): Contest => ({
    n: 3,
    tau,
    reading,
    contenders: [
      { node: 0, asks: [0, 1], rank: 1, starts: starts[0] },
      { node: 1, asks: [1, 2], rank: 2, starts: starts[1] },
      { node: 2, asks: [0, 2], rank: 3, starts: starts[2] },
    ],
  });

  test("Theorem 10, repaired: exactly one leader in every schedule, for all starts", () => {
    for (let first = 0; first < 4; first++) {
      for (let second = 0; second < 4; second++) {
        for (const starts of [
          [0, first, second],
          [first, 0, second],
          [first, second, 0],
        ]) {
          expect([...explore(circle(1, "repaired", starts)).ends.keys()]).toEqual([1]);
        }
      }
    }
  });

  test("Theorem 10, repaired: exactly one leader when delays differ, and Theorem 8's 7 tau are exceeded, 10 are not", () => {
    const tau = effort(1, 2);
    const { ends, slowest } = explore(circle(tau, "repaired"));
    expect([...ends.keys()]).toEqual([1]);
    // With delays that are all equal 7 tau are enough.
    expect(slowest > 7 * tau).toBe(tau > 1);
    expect(slowest).toBeLessThanOrEqual(10 * tau);
  });

  test("Tables 5 to 7 as printed keep Theorem 8's 7 tau, but some schedules elect nobody", () => {
    const { ends, slowest } = explore(circle(1, "tables"));
    expect(ends.get(0)).toBeGreaterThan(0);
    expect(slowest).toBeLessThanOrEqual(7);
  });

  test.each(["repaired", "printed"] as const)("two leaders need disjoint quorums at this size, %s", (reading) => {
    const { ends } = explore({
      n: 4,
      tau: 1,
      reading,
      contenders: [
        { node: 0, asks: [0, 1], rank: 1, starts: 0 },
        { node: 1, asks: [2, 3], rank: 2, starts: 0 },
      ],
    });
    expect([...ends.keys()]).toEqual([2]);
  });
});

describe("Theorems 8 to 10: random schedules", () => {
  const contest = { protocol: "quorum", n: 12, seed: 2, delay: uniform };

  test("with quorums of more than half, the repaired tables elect exactly one in every run", () => {
    for (const spread of [0, 3, 6]) {
      expect(share(runs({ ...contest, params: { s: 7, spread } }, effort(80, 300)), "one")).toBe(1);
    }
  });

  test("Theorem 10: exactly one leader, but for disjoint quorums", () => {
    const n = 128;
    const sample = runs({ protocol: "tournament-async", n, delay: uniform }, effort(150, 400));
    const survivors = mean(sample.map(({ measures }) => measures.survivors));
    // Two leaders need two survivors that miss each other; there are fewer pairs than x^2/2.
    const failing = (quorumMiss(n, quorumSize(n)) * survivors ** 2) / 2;
    expect(share(sample, "none")).toBe(0);
    expect(share(sample, "many")).toBeLessThan(failing + 5 * Math.sqrt(failing / sample.length));
  });
});
