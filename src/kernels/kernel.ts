/**
 * A fast path for some protocols: it takes a host's place in a trial and gives back what a host would. It never defines
 * behaviour. `exact`: equal bit for bit to the protocol on its host. `lumped`: equal in distribution.
 */
import type { FaultPlan } from "../host/faults.ts";
import type { Result, Setup } from "../host/setup.ts";

export interface Kernel {
  readonly name: string;
  readonly kind: "exact" | "lumped";
  readonly protocols: readonly string[];
  readonly host: "lockstep" | "events";
  /** Why the kernel leaves such a run to the host, or null. */
  refuses(params: unknown, faults: FaultPlan): string | null;
  run(setup: Setup): Result;
}
