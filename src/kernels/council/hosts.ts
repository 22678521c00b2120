/** What the lumped kernels of councils have in common: hosts that nothing tells apart. */
import type { FaultPlan } from "../../host/faults/faults.ts";
import type { Census } from "../../protocol.ts";
import { binomial } from "../../random/binomial.ts";
import type { Source } from "../../random/source.ts";
import { CENTRE } from "../../topology/lattices.ts";
import { areLossesAndEarlyCrashes, type KernelSettings } from "../kernel.ts";

export function refusesSchedules(faults: FaultPlan): string | null {
  const isCentre = faults.crashes.some(({ node }) => node === CENTRE);
  return isCentre || !areLossesAndEarlyCrashes(faults) ? "a schedule of faults tells hosts apart" : null;
}

/** How many hosts have not crashed before the run. */
export function hostsOf({ n, faults }: KernelSettings, source: Source): number {
  const planned = new Set(faults.crashes.map(({ node }) => node)).size;
  return binomial(source, n - planned, 1 - faults.crash);
}

/** Hosts and centre, and how many of them have a seat. */
export const censusOf = (alive: number, elected: number): Census => ({
  alive,
  elected,
  notElected: alive - elected,
  undecided: 0,
  beliefs: new Map([[null, alive]]),
  leaders: new Array(elected).fill(null),
});
