/** What the tests of Raz et al. share: the paper's ranges, the best c, and means over trials. */
import { expect } from "vitest";
import { resolve } from "../../src/simulation/settings.ts";
import { runTrial } from "../../src/simulation/trial.ts";
import type { naiveCost } from "../../src/theory/raz.ts";
import { bestForRounds } from "../../src/theory/raz-optimum.ts";

/** A false alarm has a chance of 6e-7 per comparison, below 1e-4 for all of them; seeds are fixed. */
export const SIGMAS = 5;
export const N = 10_000;
export const wide = { L: 4, U: 8 };
export const single = { L: 1, U: 1 };
export const open = { L: 1, U: 8 };
export const conservative = { guess: 100_000, alpha: 1, beta: 2 };
export const aggressive = { guess: 100_000, alpha: 0.7, beta: 1 };

type CostOf = typeof naiveCost;
export const tuned = (cost: CostOf, n: number, range: { L: number; U: number }) => {
  const c = bestForRounds({ ...range, cost: (x) => cost(n, { ...range, c: x }), messagesUnbounded: range.L === 1 });
  return { c, ...cost(n, { ...range, c }) };
};

/** Means and standard errors of T and N over the trials of one setting. */
export function simulate(
  protocol: string,
  n: number,
  params: Record<string, number | string>,
  trials: number,
  faults = {},
) {
  const settings = resolve({ protocol, n, params, faults });
  expect(settings.kernel).toBe(`${protocol}, lumped`);
  const sums = { rounds: 0, rounds2: 0, messages: 0, messages2: 0 };
  for (let trial = 0; trial < trials; trial++) {
    const { rounds, messages } = runTrial(settings, trial);
    sums.rounds += rounds;
    sums.rounds2 += rounds * rounds;
    sums.messages += messages;
    sums.messages2 += messages * messages;
  }
  const error = (sum: number, squares: number) => Math.sqrt((squares / trials - (sum / trials) ** 2) / trials);
  return {
    T: sums.rounds / trials,
    errorT: error(sums.rounds, sums.rounds2),
    N: sums.messages / trials,
    errorN: error(sums.messages, sums.messages2),
  };
}
