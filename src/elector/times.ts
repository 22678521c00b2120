/** The elector's waits for each profile, in milliseconds, and the times within which a group keeps its promises. */

import { doubtFor, probeEvery, profiles } from "../protocols/membership/profile.ts";
import type { ProfileName } from "./params.ts";

export interface Times {
  /** A message that takes longer counts as late: the unit of time of child protocols. */
  readonly tau: number;
  /** The second in line stands this much after the first, the third twice as much: enough to hear of the first one's election. */
  readonly stagger: number;
  /** All others wait this long, and up to `spread` more, before they remind the first three. */
  readonly patience: number;
  /** The range of random waits: at least four round trips, so that one of many members is the first and the others hear of it. */
  readonly spread: number;
  /** The longest wait between two tries. */
  readonly longestBackOff: number;
  /** The time of an election, besides the waits of its protocol. */
  readonly election: number;
  /** The wait after joining, and after each newcomer while settling: about two periods of gossip. */
  readonly settle: number;
  /** The most such waits, so that a group that never stops growing gets a leader too. */
  readonly settlings: number;
  /** The most such waits while a crowd joins. */
  readonly mostSettlings: number;
  /** How long a member believes the claim of a holder that it has not met. */
  readonly unknown: number;
  /** The time after which a holder reviews the setting of the next term. */
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

// The times within which a group keeps its promises, in milliseconds, for a profile and n members. They follow from the numbers of
// membership (docs/how-it-works.md#membership). Simulations check them at every event (test/group).

export interface StatedTimes {
  /** From when two holders of one office in one term see each other until at most one is left. 15 ticks: claims travel by gossip. */
  readonly conflict: number;
  /**
   * From the last fault until views agree, and each office has exactly one leader that all know. 125 ticks: sides of a partition seek each
   * other every 25 ticks, several times if messages are lost; suspicions, elections and back-off come on top. In strict mode 3 TTL more:
   * one until a winner without an answer asks the lease store again; one for the rest of a lease or reservation, or for the time in which
   * a restarted store grants nothing; and one for work that settles, and drift.
   */
  readonly settle: number;
  /**
   * From the end of a process until it is in no view: a member has probed it, and an unconfirmed suspicion has run out. 50 ticks more, for
   * the case that the others had taken the only remaining member for dead: while it hears that, it does not suspect them.
   */
  readonly gone: number;
  /** Under `majority`: from when a side no longer sees half of the members until no member leads there. */
  readonly minority: number;
}

/**
 * Ticks of membership for which half of the members may be suspected: long enough to refute a suspicion. A member that is cut off
 * suspects the others long before it declares them failed. If it hears that they take it for dead, it does not even declare them failed.
 */
export const DOUBTFUL = 25;

/** After this many turns, a given member was not probed with chance e^-20. After n turns, every member has probed it. */
const PROBED = 20;

/** `ttl`: of leases; 0 without leases. */
export function statedTimes(name: ProfileName, n: number, ttl = 0): StatedTimes {
  const profile = profiles[name];
  const { tick, health, seekEvery } = profile;
  const ms = (ticks: number) => Math.ceil(ticks * tick);
  const found = ms(Math.min(n, PROBED) * probeEvery(profile, n) + 2 * health) + ms(doubtFor(profile, n, 0));
  // A member whose probes have failed before is slow to suspect others, but not to notice that nobody answers.
  const minority = Math.max(found, ms(2 * DOUBTFUL));
  return { conflict: ms(15), settle: ms(125) + 3 * ttl, gone: found + ms(2 * seekEvery), minority };
}
