/** Every kernel, and which one takes a run. */
import type { FaultPlan } from "../host/faults.ts";
import { councilKernel } from "./council.ts";
import type { Kernel } from "./kernel.ts";

export const kernels: readonly Kernel[] = [councilKernel];

export function kernelFor(protocol: string, host: string, params: unknown, faults: FaultPlan): Kernel | null {
  const able = (kernel: Kernel) =>
    kernel.protocols.includes(protocol) && kernel.host === host && kernel.refuses(params, faults) === null;
  return kernels.find(able) ?? null;
}

export function kernelNamed(name: string): Kernel {
  return kernels.find((kernel) => kernel.name === name)!;
}
