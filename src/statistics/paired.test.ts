import { expect, test } from "vitest";
import { type Request, resolve } from "../simulation/settings.ts";
import { runTrial, setUp, type Trial } from "../simulation/trial.ts";
import { meanDifference, rateDifference, TrialValues } from "./paired.ts";

const run = (request: Request, trials: number): Trial[] =>
  Array.from({ length: trials }, (_, trial) => runTrial(resolve(request), trial));

const half = ({ low, high }: { low: number | null; high: number | null }) => (high! - low!) / 2;

const BASE = { protocol: "chang-roberts", n: 50, initiators: 50, ids: "random" } as const;

test("trials of one number have the same ids and initiators in settings that differ otherwise", () => {
  const settings = [BASE, { ...BASE, params: { passive: "join" } }, { ...BASE, faults: { loss: 0.1 } }].map(resolve);
  for (let trial = 0; trial < 5; trial++) {
    const [first, ...others] = settings.map((one) => setUp(one, trial));
    for (const { ids, initiators } of others) {
      expect(ids).toEqual(first.ids);
      expect(initiators).toEqual(first.initiators);
    }
  }
});

test("where only the loss changes, paired differences are much narrower than those of independent runs", () => {
  const without = run({ ...BASE, faults: { loss: 0 } }, 400);
  const lossy = run({ ...BASE, faults: { loss: 0.001 } }, 400);
  const elsewhere = run({ ...BASE, seed: 2, faults: { loss: 0.001 } }, 400);
  const messages = (trials: readonly Trial[]) => trials.map((trial) => trial.messages);
  const paired = meanDifference(messages(without), messages(lossy));
  const unpaired = meanDifference(messages(without), messages(elsewhere));
  // 0.41 to 0.46 over five seeds of 200 trials with all starting; not so between unrelated protocols (docs/sweep.md).
  expect(half(paired)).toBeLessThan(0.7 * half(unpaired));
  // Both estimate the same difference: more than 5 standard errors apart has probability 6e-7.
  const error = Math.hypot(half(paired), half(unpaired)) / 1.96;
  expect(Math.abs(paired.mean! - unpaired.mean!)).toBeLessThan(5 * error);
});

test("a mean of differences, with Student's interval", () => {
  const { mean, low, high } = meanDifference([1, 2, 3, 9], [2, 4, 6]);
  expect(mean).toBe(2);
  expect(high! - 2).toBeCloseTo(4.302652729749462 / Math.sqrt(3), 12);
  expect(2 - low!).toBeCloseTo(high! - 2, 12);
});

test("differences of rates have a width also where no trial differs", () => {
  const ones = new Array(98).fill(1);
  const same = rateDifference(ones, ones);
  expect(same.mean).toBe(0);
  expect(same.high).toBeCloseTo((2.03 * (1 + 0.5 / Math.sqrt(98)) * Math.sqrt((2 * 1.5) / 101)) / Math.sqrt(101), 12);
  expect(same.low).toBeCloseTo(-same.high!, 12);
  const lost = rateDifference([1, 1, 1, 0], [0, 0, 1, 1]);
  expect(lost.mean).toBe(-0.25);
  expect(rateDifference([], [])).toEqual({ mean: null, low: null, high: null });
});

test("differences of rates cover the truth in 95% of all samples, computed over every sample", () => {
  const rates = [0, 0.002, 0.02, 0.06, 0.2, 0.3, 0.5, 0.7, 0.9, 0.98];
  const missed: unknown[] = [];
  for (const n of [1, 2, 5, 10, 17, 30]) {
    const intervals = new Map<string, ReturnType<typeof rateDifference>>();
    for (let gained = 0; gained <= n; gained++) {
      for (let lost = 0; gained + lost <= n; lost++) {
        const first = Array.from({ length: n }, (_, i) => (i >= gained && i < gained + lost ? 1 : 0));
        const second = Array.from({ length: n }, (_, i) => (i < gained ? 1 : 0));
        intervals.set(`${gained} ${lost}`, rateDifference(first, second));
      }
    }
    for (const up of rates) {
      for (const down of rates.filter((rate) => up + rate <= 1)) {
        let covered = 0;
        for (const [key, { low, high }] of intervals) {
          const [gained, lost] = key.split(" ").map(Number);
          const inside = low! <= up - down && up - down <= high!;
          if (inside) covered += chance(gained, n, up) * chance(lost, n - gained, down / (1 - up));
        }
        if (covered < 0.95) missed.push([n, up, down, covered]);
      }
    }
  }
  expect(missed).toEqual([]);
});

function chance(k: number, n: number, p: number): number {
  let product = (1 - p) ** (n - k) * p ** k;
  for (let i = 1; i <= k; i++) product *= (n - k + i) / i;
  return product;
}

test("trial values by name, measures too", () => {
  const [first, second] = [new TrialValues(["success", "measures.phases"]), new TrialValues(["measures.phases"])];
  const trial = { trial: 0, outcome: "one", leader: 1, messages: 7, rounds: 2, bits: 9, series: {} } as const;
  first.add([
    { ...trial, measures: { phases: 3 } },
    { ...trial, measures: { phases: 5 } },
  ]);
  second.add([
    { ...trial, measures: { phases: 4 } },
    { ...trial, measures: {} },
  ]);
  const differences = TrialValues.differences(first, second);
  expect(Object.keys(differences)).toEqual(["measures.phases"]);
  expect(differences["measures.phases"].mean).toBe((1 - 5) / 2);
});
