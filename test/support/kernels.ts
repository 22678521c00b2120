/**
 * What tests of kernels share: an exact one gives what the protocol on its host gives, bit for bit, and it is the one that ran;
 * a lumped one gives the same means.
 */
import { expect, vi } from "vitest";
import type { Kernel } from "../../src/kernels/kernel.ts";
import { type Request, resolve } from "../../src/simulation/settings.ts";
import { runTrial } from "../../src/simulation/trial.ts";

export function expectEqualRuns(kernel: Kernel, request: Request, trials: number): void {
  const fast = resolve(request);
  const slow = resolve({ ...request, kernel: "off" });
  expect([fast.kernel, slow.kernel]).toEqual([kernel.name, null]);
  const ran = vi.spyOn(kernel, "run");
  try {
    for (let trial = 0; trial < trials; trial++) expect(runTrial(fast, trial)).toEqual(runTrial(slow, trial));
    expect(ran).toHaveBeenCalledTimes(trials);
  } finally {
    ran.mockRestore();
  }
}

/** That the kernel leaves these settings to the host, and says why. */
export function expectRefusal(kernel: Kernel, request: Request, reason: string): void {
  const settings = resolve(request);
  expect(settings.kernel).toBe(null);
  expect(kernel.refuses(settings)).toContain(reason);
}

const SIGMAS = 5;

type Samples = Record<string, number[]>;

/** Everything that is measured, in run after run. */
function samples(request: Request, trials: number): Samples {
  const settings = resolve(request);
  const values: Samples = {};
  for (let trial = 0; trial < trials; trial++) {
    const { rounds, messages, bits, outcome, leader, measures } = runTrial(settings, trial);
    const ends = { none: +(outcome === "none"), many: +(outcome === "many"), led: +(leader !== null) };
    const run = { ...measures, messages, bits, T: rounds, ...ends };
    for (const [name, value] of Object.entries(run)) {
      values[name] ??= [];
      values[name].push(value);
    }
  }
  return values;
}

function moments(values: readonly number[]): { readonly mean: number; readonly error: number } {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + value * value, 0) / values.length;
  return { mean, error: Math.sqrt(Math.max(0, squares - mean * mean) / values.length) };
}

function expectMeans(slow: Samples, quick: Samples): void {
  expect(Object.keys(quick)).toEqual(Object.keys(slow));
  for (const measure of Object.keys(slow)) {
    const [{ mean, error }, other] = [moments(slow[measure]), moments(quick[measure])];
    expect(Math.abs(mean - other.mean), measure).toBeLessThanOrEqual(
      SIGMAS * Math.hypot(error, other.error) + 1e-9 * Math.abs(mean),
    );
  }
}

/** Compares every mean at 5 standard errors of the difference: a false alarm has a chance of 6e-7 per mean. Seeds must differ. */
export function expectEqualMeans(one: Request, trials: number, other: Request, otherTrials: number): void {
  expectMeans(samples(one, trials), samples(other, otherTrials));
}

/**
 * Compares means as above, and the whole distribution of every measure and of its product with the messages by the test of
 * Kolmogorov and Smirnov (conservative, as values repeat): a false alarm has a chance below 6e-7 each.
 */
export function expectEqualLaws(one: Request, trials: number, other: Request, otherTrials: number): void {
  const [slow, quick] = [samples(one, trials), samples(other, otherTrials)];
  expectMeans(slow, quick);
  const farthest = Math.sqrt((-Math.log(6e-7 / 2) / 2) * (1 / trials + 1 / otherTrials));
  for (const measure of Object.keys(slow)) {
    const joint = (of: Samples) => of[measure].map((value, trial) => value * of.messages[trial]);
    expect(distance(slow[measure], quick[measure]), measure).toBeLessThan(farthest);
    expect(distance(joint(slow), joint(quick)), `${measure} with messages`).toBeLessThan(farthest);
  }
}

/** The largest difference between the shares of two samples that lie at or below a value. */
function distance(one: readonly number[], other: readonly number[]): number {
  const [a, b] = [[...one].sort((x, y) => x - y), [...other].sort((x, y) => x - y)];
  let [i, j, farthest] = [0, 0, 0];
  while (i < a.length && j < b.length) {
    const value = Math.min(a[i], b[j]);
    while (i < a.length && a[i] === value) i++;
    while (j < b.length && b[j] === value) j++;
    farthest = Math.max(farthest, Math.abs(i / a.length - j / b.length));
  }
  return farthest;
}
