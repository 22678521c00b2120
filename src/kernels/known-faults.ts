/** The faults that most kernels bear: lost messages, and processes that had crashed before the start. */
import { type FaultPlan, isFaultless } from "../host/faults/faults.ts";

export const areLossesAndEarlyCrashes = (faults: FaultPlan): boolean =>
  isFaultless(faults, ["loss", "multicastLoss", "crash", "crashes"]) && !faults.crashes.some(({ at }) => at > 0);

/** Why a kernel that bears no others cannot run under these, or null. */
export const refusesOtherFaults = (protocol: string, faults: FaultPlan): string | null =>
  areLossesAndEarlyCrashes(faults)
    ? null
    : `the ${protocol} kernel knows no faults but lost messages and crashes before the start`;
