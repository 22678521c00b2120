/** What tests of kernels share: an exact one gives what the protocol on its host gives, bit for bit, and it is the one that ran. */
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
