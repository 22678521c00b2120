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
  for (let trial = 0; trial < trials; trial++) expect(runTrial(fast, trial)).toEqual(runTrial(slow, trial));
  expect(ran).toHaveBeenCalledTimes(trials);
  ran.mockRestore();
}

/** That the kernel leaves these settings to the host, and says why. */
export function expectRefusal(kernel: Kernel, request: Request, reason: string): void {
  const settings = resolve(request);
  expect(settings.kernel).toBe(null);
  expect(kernel.refuses(settings)).toContain(reason);
}

const SIGMAS = 5;

interface Moments {
  mean: number;
  error: number;
}

function moments(request: Request, trials: number): Record<string, Moments> {
  const settings = resolve(request);
  const sums = new Map<string, [number, number]>();
  for (let trial = 0; trial < trials; trial++) {
    const { rounds, messages, bits, outcome, measures } = runTrial(settings, trial);
    const values = { ...measures, messages, bits, T: rounds, none: +(outcome === "none"), many: +(outcome === "many") };
    for (const [name, value] of Object.entries(values)) {
      const [sum, squares] = sums.get(name) ?? [0, 0];
      sums.set(name, [sum + value, squares + value * value]);
    }
  }
  return Object.fromEntries(
    [...sums].map(([name, [sum, squares]]) => {
      const mean = sum / trials;
      return [name, { mean, error: Math.sqrt(Math.max(0, squares / trials - mean * mean) / trials) }];
    }),
  );
}

/** Compares every mean at 5 standard errors of the difference: a false alarm has a chance of 6e-7 per mean. Seeds must differ. */
export function expectEqualMeans(one: Request, trials: number, other: Request, otherTrials: number): void {
  const [slow, quick] = [moments(one, trials), moments(other, otherTrials)];
  expect(Object.keys(quick)).toEqual(Object.keys(slow));
  for (const [measure, { mean, error }] of Object.entries(slow)) {
    const difference = Math.abs(mean - quick[measure].mean);
    expect(difference, measure).toBeLessThanOrEqual(
      SIGMAS * Math.hypot(error, quick[measure].error) + 1e-9 * Math.abs(mean),
    );
  }
}
