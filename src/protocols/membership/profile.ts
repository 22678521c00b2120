/**
 * The numbers of membership, for three kinds of networks. Everything is counted in ticks of the member's own clock, so that
 * a process that stood still has not waited; `tick` says how many units of the host's time one takes (milliseconds on a
 * live host).
 */
import { ln } from "../../random/ln.ts";

/** How often a member looks around, and how patient it is. Times are in ticks unless it says otherwise. */
export interface Profile {
  readonly name: string;
  /** Milliseconds. The grain of every other time: halving it doubles the timer events and changes nothing else. */
  readonly tick: number;
  /** A member probes one other each period; in large groups less often (`probeEvery`). Longer: slower detection; shorter: more traffic, both in proportion. */
  readonly period: number;
  /** How long a direct answer may take: above the slowest round trip (plus one tick, which the first may fall into). Shorter: helpers are asked in vain. */
  readonly timeout: number;
  /** Who are asked to probe in one's place. Fewer: loss is taken for silence, p = (1-(1-q)^2)·(1-(1-q)^4)^helpers for loss q. */
  readonly helpers: number;
  /** A suspicion lasts at least so many periods: how long a member may be paused. In groups of many thousands longer, see `leastDoubt`. Less: healthy members are declared failed. */
  readonly doubt: number;
  /** A suspicion that nobody confirms lasts so many times as long. Less: a member with a bad link of its own declares others failed. */
  readonly patience: number;
  /** Confirmations that bring the time of a suspicion down to its least (Lifeguard's K). More: detection waits for probes of others. */
  readonly confirmations: number;
  /** The worst self-health: time-outs and periods grow to 1 + health times. Less: a slow member suspects others in earnest. */
  readonly health: number;
  /** With news to tell, a member gossips every so many ticks... */
  readonly gossipEvery: number;
  /** ...to so many others: news reach n members in about ln n / ln(1 + gossipTo) rounds. */
  readonly gossipTo: number;
  /** Each rumour leaves a member spread + ceil(ln n) times; about n·e^-that members miss it (anti-entropy repairs that, later). */
  readonly spread: number;
  /** Between comparisons of all that is known with one random other, on average. Longer: what rumours missed stays missed for longer. */
  readonly compareEvery: number;
  /** Between tries to reach members that have failed, and seeds that are not in the view: how soon a healed partition merges. */
  readonly seekEvery: number;
  /** How many tries the whole group makes in that time at most, about: the load on an address where nobody is. */
  readonly seekers: number;
  /** How long a joiner waits for any answer before it counts as a group of its own. */
  readonly joinPatience: number;
  /** How long a failed or departed member is remembered, so that no old rumour brings it back. */
  readonly tombstone: number;
  /** The largest message, in encoded bytes. It has to fit into a datagram with what parents and the host wrap around it. */
  readonly packet: number;
  /** Packets that answer comparisons in one tick, at most: what a thousand joiners at one seed can make it send. */
  readonly answers: number;
  /** Joiners that are answered in one tick, at most. Fewer: joiners at a busy seed take themselves for alone, and are groups of their own. */
  readonly welcomes: number;
  /** Direct answers that are asked of resurrected members in one tick, at most. */
  readonly proofs: number;
}

const DAY = 24 * 60 * 60 * 1000;

const lan: Profile = {
  name: "lan",
  tick: 200,
  period: 5,
  timeout: 2,
  helpers: 3,
  doubt: 4,
  patience: 6,
  confirmations: 3,
  health: 8,
  gossipEvery: 1,
  gossipTo: 3,
  spread: 4,
  compareEvery: 75,
  seekEvery: 25,
  seekers: 16,
  joinPatience: 15,
  tombstone: DAY / 200,
  packet: 1100,
  answers: 128,
  welcomes: 1024,
  proofs: 8,
};

/** `local`: one machine; `lan`: one site; `wan`: over the internet. */
export const profiles: Readonly<Record<"local" | "lan" | "wan", Profile>> = {
  local: { ...lan, name: "local", tick: 100, tombstone: DAY / 100 },
  lan,
  wan: { ...lan, name: "wan", tick: 500, period: 10, timeout: 5, doubt: 5, gossipTo: 4, tombstone: DAY / 500 },
};

/** In a group of more members than this, each member probes less often: the whole group sends so many probes a period. */
export const LARGE = 256;

/** Ticks between two probes of a member in a group of n. */
export const probeEvery = ({ period }: Profile, n: number): number => Math.round(period * Math.max(1, n / LARGE));

/** Ticks in which news reach n members, about. */
export const spreading = ({ gossipEvery, gossipTo }: Profile, n: number): number =>
  (gossipEvery * ln(Math.max(1, n))) / ln(1 + gossipTo);

/**
 * The least time of a suspicion among n members, in ticks. The news have to get round, the answer has to come back, and both may be
 * late by a half; a last call is waited for. Up to some thousand members that takes less than the pause that a member may take.
 */
export const leastDoubt = (profile: Profile, n: number): number =>
  Math.max(profile.doubt * profile.period, 3 * spreading(profile, n) + profile.timeout);

/** How many confirmations a suspicion among n members waits for: fewer where there are fewer others to confirm it. */
export const wantedConfirmations = ({ confirmations }: Profile, n: number): number =>
  Math.max(0, Math.min(confirmations, n - 2));

/** How long a suspicion lasts that so many others have confirmed, in ticks: Lifeguard, section IV-B. */
export function doubtFor(profile: Profile, n: number, confirmed: number): number {
  const least = leastDoubt(profile, n);
  const wanted = wantedConfirmations(profile, n);
  if (wanted === 0) return Math.ceil(least);
  const most = profile.patience * least;
  const share = ln(Math.min(confirmed, wanted) + 1) / ln(wanted + 1);
  return Math.ceil(most - (most - least) * share);
}

/** How often a rumour leaves each member of a group of n. */
export const transmissions = ({ spread }: Profile, n: number): number => spread + Math.ceil(ln(Math.max(1, n)));
