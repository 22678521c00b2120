/** The claims of Kutten, Pandurangan, Peleg, Robinson and Trehan, "Sublinear bounds for randomized leader election". */
import { describe, expect, test } from "vitest";
import type { Params } from "../../src/protocols/parameters.ts";
import { resolve } from "../../src/simulation/settings.ts";
import { runTrial, type Trial } from "../../src/simulation/trial.ts";
import {
  candidateBound,
  disjointSuccess,
  expectedMessages,
  lowerBounds,
  messageBound,
  missProbability,
  nobodyStands,
  noCollision,
  paperSizes,
  walkMessageBound,
} from "../../src/theory/kutten.ts";
import { effort } from "../support/effort.ts";

function runs(trials: number, protocol: string, n: number, params: Params = {}, topology = "complete"): Trial[] {
  const settings = resolve({ protocol, n, seed: 2013, params, topology });
  return Array.from({ length: trials }, (_, trial) => runTrial(settings, trial));
}
const count = (trials: readonly Trial[], outcome: string) => trials.filter((trial) => trial.outcome === outcome).length;
const mean = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length;
/** How many standard errors the mean of the values is away from what it should be. */
function zScore(values: readonly number[], expected: number): number {
  const average = mean(values);
  const variance = values.reduce((sum, value) => sum + (value - average) ** 2, 0) / (values.length - 1);
  return Math.abs(average - expected) / Math.sqrt(variance / values.length);
}

describe("Theorem 1: referees on complete networks", () => {
  test("two nodes are each other's only referee: exactly one candidate, or no unique leader", () => {
    const trials = runs(2000, "referees", 2);
    for (const { outcome, measures } of trials) expect(outcome === "one").toBe(measures.candidates === 1);
    // 2 ln 2 (1 - ln 2) = 0.425, below 1 - 1/n; five standard deviations, a false alarm in 6e-7 of all seeds.
    const expected = 2 * Math.log(2) * (1 - Math.log(2));
    expect(Math.abs(count(trials, "one") / 2000 - expected)).toBeLessThan(
      5 * Math.sqrt((expected * (1 - expected)) / 2000),
    );
  });

  test("errs with probability at most 1/n", () => {
    // True errors are some n^-2 (nobody stands) and less; a Poisson count of trials/n = 20 passes 45 once in 10^6.
    for (const [n, trials] of [
      [10, 200],
      [100, 2000],
      [1000, 2000],
    ]) {
      const errors = trials - count(runs(trials, "referees", n), "one");
      expect(errors).toBeLessThanOrEqual(Math.max(trials / n, 1) + 5 * Math.sqrt(trials / n));
    }
  });

  test("nobody stands with probability (1 - 2 ln n / n)^n, about n^-2", () => {
    // At n = 8 that is 0.28%: 5000 trials give 14, and five standard deviations of 3.8 leave a false alarm of about 1e-6.
    const expected = 5000 * nobodyStands(paperSizes(8));
    expect(expected).toBeGreaterThan(10);
    const none = runs(5000, "referees", 8).filter(({ measures }) => measures.candidates === 0).length;
    expect(Math.abs(none - expected)).toBeLessThan(5 * Math.sqrt(expected));
    expect(nobodyStands(paperSizes(1e6)) * 1e12).toBeCloseTo(1, 2);
  });

  test("there are at most 7 ln n candidates with probability 1 - n^-2, and 2 ln n on average", () => {
    for (const n of [100, 1000]) {
      const candidates = runs(2000, "referees", n).map(({ measures }) => measures.candidates);
      // The mean within five standard errors: a false alarm in 6e-7 of all cases. The bound is far out: 2000 n^-2 = 0.2
      // at n = 100 is what the paper grants, and the binomial tail is 1e-10.
      expect(zScore(candidates, 2 * Math.log(n))).toBeLessThan(5);
      expect(Math.max(...candidates)).toBeLessThanOrEqual(candidateBound(n));
    }
  });

  test("two candidates miss each other with probability at most n^-4", () => {
    for (const n of [10, 100, 1000, 1e4, 1e6]) expect(missProbability(paperSizes(n))).toBeLessThan(n ** -4);
    // And as exactly as computed, where it can be seen: 40 referees of 1000 each, 19.8% of pairs have none in common.
    const two = runs(4000, "referees", 1000, { referees: 40, candidates: 2 }).filter(
      (t) => t.measures.candidates === 2,
    );
    const missed = missProbability({ n: 1000, candidates: 2, referees: 40 });
    const sigma = Math.sqrt(two.length * missed * (1 - missed));
    // Five standard deviations: 6e-7.
    expect(Math.abs(count(two, "many") - two.length * missed)).toBeLessThan(5 * sigma);
  });

  test("runs in two rounds and uses O(sqrt(n) log^1.5 n) messages: exact mean, bound, and exponent 1/2", () => {
    const points = [1e3, 1e4, 1e5, 1e6, 1e7].map((n) => {
      const trials = runs(n < 1e6 ? 60 : effort(6, 12), "referees", n);
      const messages = trials.map((trial) => trial.messages);
      // Five standard errors of a t statistic with 5 degrees of freedom or more: at most 4e-3; the seed is fixed.
      expect(zScore(messages, expectedMessages(paperSizes(n)))).toBeLessThan(5);
      expect(Math.max(...messages)).toBeLessThan(messageBound(n));
      for (const { rounds } of trials) expect(rounds).toBe(2);
      return [Math.log(n), Math.log(mean(messages) / Math.log(n) ** 1.5)];
    });
    const slope = fittedSlope(points);
    // Candidates vary by 1/sqrt(28·6) = 8% at the ends at most, which moves the slope by 0.01.
    expect(slope).toBeGreaterThan(0.47);
    expect(slope).toBeLessThan(0.55);
  });
});

function fittedSlope(points: readonly (readonly number[])[]): number {
  const [x, y] = [mean(points.map(([a]) => a)), mean(points.map(([, b]) => b))];
  const above = points.reduce((sum, [a, b]) => sum + (a - x) * (b - y), 0);
  return above / points.reduce((sum, [a]) => sum + (a - x) ** 2, 0);
}

describe("Corollary 1: nodes are woken by an adversary", () => {
  test.each(["uniform:10", "uniform:100", "one-then-rest:50"])("%s: a unique leader, as many messages", (wake) => {
    const trials = runs(300, "referees", 300, { wakeup: "adversarial", wake });
    // Errors are at most 1/n per trial: one expected in 300; six or more come with probability 6e-4.
    expect(300 - count(trials, "one")).toBeLessThanOrEqual(5);
    expect(
      zScore(
        trials.map(({ messages }) => messages),
        expectedMessages(paperSizes(300)),
      ),
    ).toBeLessThan(5);
  });

  test("termination in O(1) rounds is lost: all but one may wake late", () => {
    const rounds = runs(100, "referees", 300, { wakeup: "adversarial", wake: "one-then-rest:1000" }).map(
      (t) => t.rounds,
    );
    // The one is a candidate with probability 2 ln n / n = 4%; then the rest wakes by its requests or not.
    expect(rounds.filter((round) => round >= 1000).length).toBeGreaterThan(80);
  });
});

describe("Lemma 1: two candidates miss each other most often when all bins are equally likely", () => {
  const skewed = (n: number, tilt: number) => {
    const weights = Array.from({ length: n }, (_, i) => 1 + tilt * ((i * 7) % n));
    const sum = weights.reduce((a, b) => a + b);
    return weights.map((weight) => weight / sum);
  };

  test("holds, exactly, with fewer balls than bins", () => {
    for (const n of [4, 6, 9, 12]) {
      for (let balls = 1; balls < n; balls++) {
        const uniform = noCollision(Array(n).fill(1 / n), balls);
        for (const tilt of [0.01, 0.1, 0.5, 2, 10]) expect(noCollision(skewed(n, tilt), balls)).toBeLessThan(uniform);
      }
    }
  });

  test("does not hold with many: of three bins it is better to prefer two, or to use only two", () => {
    expect(noCollision([0.41, 0.41, 0.18], 5)).toBeGreaterThan(noCollision([1 / 3, 1 / 3, 1 / 3], 5));
    // The proof bounds 1-(1-e^-x)^2 by 1-x^2 from above, but it is larger.
    expect(noCollision([0.5, 0.5, 0], 10)).toBeGreaterThan(noCollision([1 / 3, 1 / 3, 1 / 3], 10));
    expect(1 - (1 - Math.exp(-0.5)) ** 2).toBeGreaterThan(1 - 0.5 ** 2);
  });
});

describe("Theorem 2: random walks on any connected network", () => {
  test.each([
    ["complete", 500, 2],
    ["regular:8", 500, null],
    ["hypercube", 512, null],
    ["ba:3", 500, null],
    ["torus", 225, null],
  ] as const)("%s of %i nodes: a unique leader in 2 tau rounds", (topology, n, tau) => {
    const trials = runs(40, "random-walks", n, {}, topology);
    // Errors are at most 1/n per trial: in 40 trials two or more come with probability at most 0.015; here none did.
    expect(40 - count(trials, "one")).toBeLessThanOrEqual(1);
    for (const { messages, rounds, measures } of trials) {
      if (tau !== null) expect(measures.tau).toBe(tau);
      expect(rounds).toBeLessThanOrEqual(2 * measures.tau);
      expect(messages).toBeLessThan(walkMessageBound(n, measures.tau));
    }
  });

  test("expanders need tau = O(log n), hypercubes O(log n log log n)", () => {
    const tau = (topology: string, n: number) =>
      resolve({ protocol: "random-walks", n, topology, seed: 1 }).params.tau as number;
    for (const n of [64, 256, 1024]) {
      expect(tau("regular:8", n)).toBeLessThan(3 * Math.log(n));
      expect(tau("hypercube", n)).toBeLessThan(3 * Math.log(n) * Math.log(Math.log(n)));
    }
  });

  test("knowing tau up to a constant is enough: half and twice the mixing time elect one as well", () => {
    const tau = resolve({ protocol: "random-walks", n: 400, topology: "regular:8", seed: 2013 }).params.tau as number;
    for (const factor of [0.5, 2]) {
      const trials = runs(40, "random-walks", 400, { tau: Math.ceil(factor * tau) }, "regular:8");
      expect(40 - count(trials, "one")).toBeLessThanOrEqual(1);
    }
    // Not so a walk that never leaves the neighbourhood.
    expect(count(runs(20, "random-walks", 400, { tau: 1 }, "regular:8"), "many")).toBe(20);
  });

  test("line 11: counting 1 per endpoint elects nobody, 1 per visited node elects several on a complete graph", () => {
    expect(count(runs(20, "random-walks", 500, { reading: "printed" }), "none")).toBe(20);
    expect(count(runs(10, "random-walks", 4000, { reading: "printed-visited" }), "many")).toBe(10);
    expect(count(runs(20, "random-walks", 500), "one")).toBe(20);
  });
});

describe("Theorem 3: fewer than about sqrt(n) messages are not enough", () => {
  test("success collapses as the budget falls below sqrt(n)", () => {
    const n = 10_000;
    const success = (referees: number) => {
      const trials = runs(200, "referees", n, { referees });
      return { messages: mean(trials.map((t) => t.messages)), share: count(trials, "one") / 200 };
    };
    const [starved, poor, fair, rich] = [2, 30, 150, 600].map(success);
    expect(starved.messages).toBeLessThan(lowerBounds(n).constantTime);
    expect(starved.share).toBe(0);
    expect(poor.share).toBeLessThan(0.1);
    expect(fair.share).toBeGreaterThan(poor.share);
    expect(rich.share).toBe(1);
    expect(rich.messages).toBeGreaterThan(lowerBounds(n).constantTime);
  });

  test("equation (5) is at least 1/e at its maximum, not at most: one candidate on average leads alone", () => {
    for (const c of [1, 2, 10, 1000]) expect(disjointSuccess(c, 1 / c)).toBeGreaterThan(1 / Math.E);
    // So without a single useful message 37% succeed; 400 trials, five standard deviations of 2.4%.
    const lonely = count(runs(400, "referees", 10_000, { candidates: 1, referees: 1 }), "one") / 400;
    expect(Math.abs(lonely - 1 / Math.E)).toBeLessThan(5 * 0.0242);
  });
});
