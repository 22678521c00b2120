/**
 * The numbers of the watch. Times are ticks, the watch's own clock, so a profile differs mostly in how long a tick is. With m
 * watchers:
 *
 *   beat    = max(shortest, m + 1) ticks     from one beat to a watcher to the next to the same one; at most one a tick leaves
 *   doubt   = beat + 2 ticks                 from then on a silent watcher asks the holder, once a tick
 *   window  = beat + grace ticks             of silence, and a watcher reports
 *   known   = grace + 1 to 3 ticks           after the crash, and a message: by the two watchers whose beats were due next
 *   alone   = 2 window - up to one beat      if only one watcher is left
 *   load    = m / beat pulses and m / exchange answers a tick; a sealed pulse is 46 to 48 bytes (31 + 7 + 8..10)
 *
 * lan, m = 5: a beat every 300 ms, a window of 650 ms, known after 350 to 500 ms; 17 beats and 2.5 answers a second, 880 bytes,
 * for any n and any number of offices held. profiles.test.ts checks these numbers.
 */
import type { CouncilNumbers } from "../council/company.ts";

export interface WatchProfile extends CouncilNumbers {
  /** Milliseconds. Shorter costs more bytes; longer makes the window longer. */
  readonly tick: number;
  /** The least ticks between two beats to one watcher. Fewer would cost more in groups of two and three. */
  readonly shortest: number;
  /** Ticks that a holder may be paused (garbage collection, a busy machine) without being taken for dead. */
  readonly grace: number;
  /** Ticks after which an overdue tick shows a watcher that it was paused itself. */
  readonly stall: number;
  /** Ticks from one report to its next. */
  readonly renewal: number;
  /**
   * A report counts for a window less these ticks: reports that waited in the sockets of a paused watcher have lapsed
   * before its own window, begun anew, is over. With `renewal` it survives the loss of one report.
   */
  readonly margin: number;
}

const LAN: WatchProfile = {
  tick: 50,
  shortest: 3,
  // 350 ms: four times the latest timer seen beside starting processes (86 ms).
  grace: 7,
  stall: 4,
  renewal: 3,
  margin: 2,
  // Two reports declare a death, so three watchers bear the loss of one; more than five only cost beats.
  L: 3,
  U: 5,
  low: 3,
  spare: 3,
  // Answers every 2 s; with 5 tries, 300 ms apart, a dead watcher loses its seat after 3.5 s, or when membership says so.
  exchange: 40,
  again: 40,
  patience: 5,
  lease: 100,
  // A second is enough for an invitation by gossip; if no member accepts, rounds grow to half a minute.
  round: 20,
  longestRound: 640,
  tells: true,
  publishes: false,
};

export const WATCH_PROFILES: Readonly<Record<"local" | "lan" | "wan", WatchProfile>> = {
  // One machine, where messages are quick. A death is known after 250 to 400 ms. On a machine that is too busy for that, use lan.
  local: { ...LAN, grace: 5 },
  lan: LAN,
  // Round trips of up to 300 ms: a beat every 1.2 s, a window of 2.6 s, known after 1.5 to 2.3 s, 240 bytes a second.
  wan: { ...LAN, tick: 200, exchange: 20, again: 20, lease: 50, round: 10, longestRound: 160 },
};

/** From one beat to one of m watchers to the next. */
export const beatOf = ({ shortest }: WatchProfile, m: number): number => Math.max(shortest, m + 1);

/** The silence after which one of m watchers asks the holder, and after which it reports. */
export const doubtOf = (profile: WatchProfile, m: number): number => beatOf(profile, m) + 2;
export const windowOf = (profile: WatchProfile, m: number): number => beatOf(profile, m) + profile.grace;
