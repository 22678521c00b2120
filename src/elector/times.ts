/** How long the elector waits for what, in milliseconds, for each profile. */

import { doubtFor, probeEvery, profiles } from "../protocols/membership/profile.ts";
import type { ProfileName } from "./params.ts";

export interface Times {
  /** A message that takes longer counts as late: the unit of time of child protocols. */
  readonly tau: number;
  /** The second in line stands this much after the first, the third twice as much: long enough to hear of the first one. */
  readonly stagger: number;
  /** All others wait at least so long before they remind the first three, and up to `spread` more. */
  readonly patience: number;
  /** At least four round trips: in it one of many is the first, and the others hear of it. */
  readonly spread: number;
  /** No wait between two tries is longer. */
  readonly longestBackOff: number;
  /** What an election may take besides the waits of its protocol. */
  readonly election: number;
  /** After joining, and after each newcomer while settling: about two periods of gossip. */
  readonly settle: number;
  /** So many times at most, so that a group that never stops growing gets a leader too. */
  readonly settlings: number;
  /** So many times at most while a crowd joins. */
  readonly mostSettlings: number;
  /** How long a claim of somebody this member does not know is believed. */
  readonly unknown: number;
  /** A holder looks so often whether the setting of the next term should change. */
  readonly review: number;
}

function timesOf(tau: number, gossip: number): Times {
  const roundTrip = 2 * tau;
  return {
    tau,
    stagger: 3 * tau,
    patience: 8 * tau,
    spread: 4 * roundTrip,
    longestBackOff: 5000,
    election: 10 * tau,
    settle: 2 * gossip,
    settlings: 8,
    mostSettlings: 32,
    unknown: 20 * gossip,
    review: 10 * gossip,
  };
}

const TIMES: Readonly<Record<ProfileName, Times>> = {
  local: timesOf(25, 100),
  lan: timesOf(50, 200),
  wan: timesOf(250, 500),
};

export const timesFor = (profile: ProfileName): Times => TIMES[profile];

// Within which times a group promises what, in milliseconds, for a profile and n members. They follow from the numbers of
// membership (docs/how-it-works.md#membership); whole groups are held against them at every event of simulations (test/group).

export interface StatedTimes {
  /** Two who hold one office in one term and see each other: until at most one is left. 15 ticks: claims travel as rumours. */
  readonly conflict: number;
  /**
   * From the last fault until views agree, and exactly one leads each office, known to all. 125 ticks: sides of a partition seek each
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

/** In so many turns nobody has probed a given member with chance e^-20; in n at the latest everybody has. */
const PROBED = 20;

/** `ttl`: of leases, in strict mode; 0 without. */
export function statedTimes(name: ProfileName, n: number, ttl = 0): StatedTimes {
  const profile = profiles[name];
  const { tick, health, seekEvery } = profile;
  const ms = (ticks: number) => Math.ceil(ticks * tick);
  const found = ms(Math.min(n, PROBED) * probeEvery(profile, n) + 2 * health) + ms(doubtFor(profile, n, 0));
  return { conflict: ms(15), settle: ms(125) + 3 * ttl, gone: found + ms(2 * seekEvery), minority: found };
}
