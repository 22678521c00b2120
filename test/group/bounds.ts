/** Within which times a group promises what, in milliseconds; docs/how-it-works.md states them. */
import { type StatedTimes, statedTimes } from "../../src/elector/times.ts";
import { profiles } from "../../src/protocols/membership/profile.ts";
import type { Scenario } from "./scenario.ts";
import { engineOf } from "./strict/settings.ts";

export interface Bounds extends StatedTimes {
  /** How long after its end a process can still be heard. */
  readonly echo: number;
  /** How long without a fault until what happened before no longer counts. */
  readonly quiet: number;
}

export function boundsOf({ plan, profile, members, lease }: Scenario): Bounds {
  const { seekEvery, tick } = profiles[profile];
  const stated = statedTimes(profile, members, lease?.ttl);
  return {
    ...stated,
    // In ticks of a clock that may be slow.
    minority: stated.minority / (1 - (plan.faults.drift ?? 0)) + tick,
    // Spikes add up, where they lie between members.
    echo: 1000 + amongMembers(plan.faults.spikes ?? [], members).reduce((sum, { delay }) => sum + delay, 0),
    // Sides of a partition seek each other, and a member that was cut off brings its old verdicts along.
    quiet: plan.faults.partitions.length === 0 ? 6000 : 1000 + 2 * seekEvery * tick,
  };
}

/** What does not concern the way to an engine alone. */
export const amongMembers = <T extends { readonly link: readonly [number, number] | null }>(
  faults: readonly T[],
  members: number,
): T[] => faults.filter(({ link }) => link === null || !link.includes(engineOf(members)));
