/** Chi-squared at 5 standard deviations of its normal approximation: a false alarm in one of 10^5 runs of this file. Fixed seeds. */
import { expect, test } from "vitest";
import { hypergeometric } from "./hypergeometric.ts";
import { NodeStream } from "./streams.ts";

/** By the ratio of neighbours, from any start; scaled at the end. */
function probabilities(good: number, bad: number, sample: number): Map<number, number> {
  const [least, most] = [Math.max(0, sample - bad), Math.min(sample, good)];
  const logs: number[] = [0];
  for (let k = least; k < most; k++) {
    logs.push(logs[k - least] + Math.log(((good - k) / (k + 1)) * ((sample - k) / (bad - sample + k + 1))));
  }
  const top = Math.max(...logs);
  const weights = logs.map((log) => Math.exp(log - top));
  const total = weights.reduce((a, b) => a + b, 0);
  return new Map(weights.map((weight, i) => [least + i, weight / total]));
}

test.each([
  [3, 5, 4],
  [50, 50, 7],
  [30, 70, 40],
  [70, 30, 40],
  [20, 15, 30],
  [1000, 9000, 300],
  [100, 1_000_000, 50_000],
  [12_000, 20_000, 9_000],
  [5, 1000, 500],
])("%i good, %i bad, a sample of %i: as often as it should be", (good, bad, sample) => {
  const source = new NodeStream(9, good, sample);
  const draws = 20_000;
  const counts = new Map<number, number>();
  for (let i = 0; i < draws; i++) {
    const drawn = hypergeometric(source, good, bad, sample);
    counts.set(drawn, (counts.get(drawn) ?? 0) + 1);
  }
  let chi = 0;
  let cells = 0;
  let rare = [0, 0];
  const add = (expected: number, count: number) => {
    chi += (count - expected) ** 2 / expected;
    cells++;
  };
  const probable = probabilities(good, bad, sample);
  expect([...counts.keys()].filter((drawn) => !probable.has(drawn))).toEqual([]);
  for (const [value, p] of probable) {
    const count = counts.get(value) ?? 0;
    if (p * draws >= 10) add(p * draws, count);
    else rare = [rare[0] + p * draws, rare[1] + count];
  }
  if (rare[0] >= 10) add(rare[0], rare[1]);
  expect(chi).toBeLessThan(cells + 5 * Math.sqrt(2 * cells));
});

test("nothing to choose, nothing drawn, and what cannot be", () => {
  const source = new NodeStream(1, 0, 0);
  expect([hypergeometric(source, 0, 5, 3), hypergeometric(source, 5, 0, 3), hypergeometric(source, 5, 5, 0)]).toEqual([
    0, 3, 0,
  ]);
  expect(hypergeometric(source, 5, 7, 12)).toBe(5);
  expect(() => hypergeometric(source, 2, 3, 6)).toThrow("cannot be drawn");
});

test("a billion: the mean and the variance", () => {
  const source = new NodeStream(2, 0, 0);
  const [good, all, sample, draws] = [1e7, 1e9, 288_000, 2000];
  const values = Array.from({ length: draws }, () => hypergeometric(source, good, all - good, sample));
  const mean = values.reduce((a, b) => a + b, 0) / draws;
  const variance = values.reduce((a, b) => a + (b - mean) ** 2, 0) / draws;
  const expected = sample * 0.01 * 0.99 * ((all - sample) / (all - 1));
  expect(Math.abs(mean - sample * 0.01)).toBeLessThan(5 * Math.sqrt(expected / draws));
  expect(Math.abs(variance / expected - 1)).toBeLessThan(5 * Math.sqrt(2 / draws));
});
