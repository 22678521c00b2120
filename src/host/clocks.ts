/** How fast the clock of each node runs. */
import { HostStream } from "../random/streams.ts";
import type { FaultPlan } from "./faults/faults.ts";

/** The rate of each node's clock; null where all run alike. */
export function clockRates(plan: FaultPlan, size: number, seed: number, trial: number): Float64Array | null {
  const { clocks = [], drift = 0 } = plan;
  if (clocks.length === 0 && drift === 0) return null;
  const draws = new HostStream(seed, trial, "clocks");
  const rates = Float64Array.from({ length: size }, () => 1 + drift * (2 * draws.uniform() - 1));
  for (const { node, rate } of clocks) rates[node] = rate;
  return rates;
}
