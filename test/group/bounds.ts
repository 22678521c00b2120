/**
 * Within which times a group promises what, in milliseconds; docs/groups.md states them. They follow from the numbers of
 * membership (docs/membership.md): a probe period P, a suspicion of D0 unconfirmed and D with all confirmations it waits for.
 */
import { doubtFor, profiles } from "../../src/protocols/membership/profile.ts";
import type { Scenario } from "./scenario.ts";

export interface Bounds {
  /** Two holders of one term who see each other: until one of them at most is left. */
  readonly conflict: number;
  /** From the last fault until views agree and exactly one leads each office, known to all. */
  readonly settle: number;
  /** From the end of a process until it is in no view, on a network that is well. */
  readonly gone: number;
  /** How long after its end a process can still be heard. */
  readonly echo: number;
  /** Under `majority`: from losing sight of the others until nobody leads there. */
  readonly minority: number;
  /** How long without a fault until what happened before no longer counts. */
  readonly quiet: number;
}

export function boundsOf({ plan, profile: name, members }: Scenario): Bounds {
  const profile = profiles[name];
  const { tick, period, health } = profile;
  const ms = (ticks: number) => Math.ceil(ticks * tick);
  /** Everybody has probed everybody, though slowly at first, and all suspicions are over. */
  const round = ms(members * period + 2 * health);
  const doubt = ms(doubtFor(profile, members, 0));
  return {
    conflict: 3000,
    // Two sides find each other by seeds or failed members within a few times `seekEvery`; suspicions and back-off come on top.
    settle: ms(125),
    gone: round + doubt,
    // Spikes add up.
    echo: 1000 + (plan.faults.spikes ?? []).reduce((sum, { delay }) => sum + delay, 0),
    minority: round + doubt,
    quiet: 15_000,
  };
}
