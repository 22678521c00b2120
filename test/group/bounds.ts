/** Within which times a group promises what, in milliseconds; docs/groups.md states them. */
import { type StatedTimes, statedTimes } from "../../src/elector/bounds.ts";
import type { Scenario } from "./scenario.ts";

export interface Bounds extends StatedTimes {
  /** How long after its end a process can still be heard. */
  readonly echo: number;
  /** How long without a fault until what happened before no longer counts. */
  readonly quiet: number;
}

export function boundsOf({ plan, profile, members, lease }: Scenario): Bounds {
  return {
    ...statedTimes(profile, members, lease?.ttl),
    // Spikes add up.
    echo: 1000 + (plan.faults.spikes ?? []).reduce((sum, { delay }) => sum + delay, 0),
    quiet: 6000,
  };
}
