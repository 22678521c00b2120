/** Every kernel, and the one that can take a run. */
import { councilKernels } from "./council.ts";
import type { Kernel, KernelSettings } from "./kernel.ts";
import { refereesKernel } from "./referees.ts";

export const kernels: readonly Kernel[] = [refereesKernel, ...councilKernels];

export function kernelNamed(name: string): Kernel {
  return kernels.find((kernel) => kernel.name === name)!;
}

/** The kernel for a run, or why there is none. Made for a protocol of ours, not for one of the same name. */
export function kernelFor(settings: KernelSettings): { kernel: Kernel | null; reason: string } {
  const made = kernels.filter(({ protocol }) => protocol === settings.protocol);
  const kernel = made.find((candidate) => candidate.refuses(settings) === null) ?? null;
  const reason = made.map((candidate) => candidate.refuses(settings)).find((refusal) => refusal !== null);
  return { kernel, reason: reason ?? `${settings.protocol.name} has no kernel` };
}
