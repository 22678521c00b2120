/** Kutten, Pandurangan, Peleg, Robinson and Trehan, "Sublinear bounds for randomized leader election": what the reproduction does not assert. */
import { describe, expect, test } from "vitest";
import type { Params } from "../../src/protocols/parameters.ts";
import { resolve } from "../../src/simulation/settings.ts";
import { runTrial, type Trial } from "../../src/simulation/trial.ts";
import {
  missProbability,
  nobodyStands,
  noCollision,
  paperSizes,
  refereesMessages,
} from "../../src/theory/kutten/kutten.ts";
import { effort } from "../support/effort.ts";

function runs(trials: number, protocol: string, n: number, params: Params = {}): Trial[] {
  const settings = resolve({ protocol, n, seed: 2013, params });
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

  test("nobody stands with probability (1 - 2 ln n / n)^n, about n^-2", () => {
    // At n = 8 that is 0.28%: 5000 trials give 14, and five standard deviations of 3.8 leave a false alarm of about 1e-6.
    const expected = 5000 * nobodyStands(paperSizes(8));
    expect(expected).toBeGreaterThan(10);
    const none = runs(5000, "referees", 8).filter(({ measures }) => measures.candidates === 0).length;
    expect(Math.abs(none - expected)).toBeLessThan(5 * Math.sqrt(expected));
    expect(nobodyStands(paperSizes(1e6)) * 1e12).toBeCloseTo(1, 2);
  });

  test("there are 2 ln n candidates on average", () => {
    // Within five standard errors: a false alarm in 6e-7 of all cases.
    const candidates = runs(1000, "referees", 300).map(({ measures }) => measures.candidates);
    expect(zScore(candidates, 2 * Math.log(300))).toBeLessThan(5);
  });

  test("two candidates miss each other as often as computed", () => {
    // As exactly as computed, where it can be seen: 40 referees of 1000 each, 19.8% of pairs have none in common.
    const two = runs(4000, "referees", 1000, { referees: 40, candidates: 2 }).filter(
      (t) => t.measures.candidates === 2,
    );
    const missed = missProbability({ n: 1000, candidates: 2, referees: 40 });
    const sigma = Math.sqrt(two.length * missed * (1 - missed));
    // Five standard deviations: 6e-7.
    expect(Math.abs(count(two, "many") - two.length * missed)).toBeLessThan(5 * sigma);
  });

  test("messages have the exact mean", () => {
    for (const n of [1e3, 1e4, 1e5]) {
      const messages = runs(effort(40, 200), "referees", n).map((trial) => trial.messages);
      // Five standard errors of a t statistic with 39 degrees of freedom: 1e-5.
      expect(zScore(messages, refereesMessages(paperSizes(n)))).toBeLessThan(5);
    }
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
});
