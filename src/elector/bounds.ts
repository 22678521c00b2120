/**
 * Within which times a group promises what, in milliseconds, for a profile and n members. They follow from the numbers of
 * membership (docs/membership.md); whole groups are held against them at every event of simulations (test/group).
 */
import { doubtFor, profiles } from "../protocols/membership/profile.ts";
import type { ProfileName } from "./params.ts";

export interface StatedTimes {
  /** Two who hold one office in one term and see each other: until at most one is left. 15 ticks: claims travel as rumours. */
  readonly conflict: number;
  /**
   * From the last fault until views agree, and exactly one leads each office, known to all. 125 ticks: parted sides seek each
   * other every 25, several times over if that is lost; suspicions, elections and back-off come on top. In strict mode 3 TTL more:
   * one until a winner that heard nothing of the engine asks it again, one for what is left of a lease, of a reservation, or of
   * the time for which an engine that was restarted gives none, and one for work that settles and drift.
   */
  readonly settle: number;
  /**
   * From the end of a process until it is in no view: somebody has probed it, and a suspicion that nobody confirms is over; 50
   * ticks more where all others had taken the only one left for dead, which says nothing against them while it hears that.
   */
  readonly gone: number;
  /** Under `majority`: from losing sight of half of the members until nobody leads there. */
  readonly minority: number;
}

/** In so many periods nobody has probed a given member with chance e^-20; in n at the latest everybody has. */
const PROBED = 20;

/** `ttl`: of leases, in strict mode; 0 without. */
export function statedTimes(name: ProfileName, n: number, ttl = 0): StatedTimes {
  const profile = profiles[name];
  const { tick, period, health, seekEvery } = profile;
  const ms = (ticks: number) => Math.ceil(ticks * tick);
  const found = ms(Math.min(n, PROBED) * period + 2 * health) + ms(doubtFor(profile, n, 0));
  return { conflict: ms(15), settle: ms(125) + 3 * ttl, gone: found + ms(2 * seekEvery), minority: found };
}
