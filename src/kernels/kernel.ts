/**
 * A fast path for one protocol on one host. It never defines behaviour: it refuses what it cannot do, and tests compare
 * it with the protocol, bit for bit where it is exact.
 */
import type { BeginningChoices } from "../host/beginning.ts";
import type { Delay } from "../host/delays.ts";
import { type FaultPlan, isFaultless } from "../host/faults/faults.ts";
import type { Result } from "../host/setup.ts";
import type { AnyProtocol } from "../protocol.ts";

/** What a kernel reads of a campaign's settings. */
export interface KernelSettings extends BeginningChoices {
  readonly topology: string;
  readonly host: string;
  readonly delay: Delay;
  readonly params: Readonly<Record<string, unknown>>;
}

/** A fast path for one protocol: the same results, or the same distribution, in less time. */
export interface Kernel {
  /** Named in the output of every run that used it. */
  readonly name: string;
  readonly protocol: AnyProtocol;
  /** Draws counts instead of nodes: equal to the protocol in distribution, not in each draw. */
  readonly lumped?: true;
  /** Why these settings need the protocol itself, or null. */
  refuses(settings: KernelSettings): string | null;
  run(settings: KernelSettings, trial: number): Result;
  /** The tables of a trial in bytes; where missing, they are small. */
  memory?(settings: KernelSettings): number;
}

/** How long every message takes, in the host's time; for kernels that know fixed delays only. */
export const delayOf = ({ host, delay }: KernelSettings): number =>
  host === "events" && delay.kind === "fixed" ? delay.value : 1;

export const areLossesAndEarlyCrashes = (faults: FaultPlan): boolean =>
  isFaultless(faults, ["loss", "multicastLoss", "crash", "crashes"]) && !faults.crashes.some(({ at }) => at > 0);

/** Why a kernel that bears no others cannot run under these, or null. */
export const refusesOtherFaults = (protocol: string, faults: FaultPlan): string | null =>
  areLossesAndEarlyCrashes(faults)
    ? null
    : `the ${protocol} kernel knows no faults but lost messages and crashes before the start`;
