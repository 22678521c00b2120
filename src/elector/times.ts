/** How long the elector waits for what, in milliseconds, for each profile. */
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
