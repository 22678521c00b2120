/**
 * The numbers of membership, for three kinds of networks. All times are ticks of the member's own clock, so that a pause of its process
 * does not count as waiting. `tick` is the length of a tick in the host's unit of time (milliseconds on a live host).
 */
import { ln } from "../../random/ln.ts";

/** How often a member probes and gossips, and how patient it is. Times are in ticks unless stated otherwise. */
export interface Profile {
  readonly name: string;
  /** Milliseconds. The grain of every other time: halving it doubles the timer events and changes nothing else. */
  readonly tick: number;
  /** A member probes one other each period; in large groups less often (`probeEvery`). Longer: slower detection; shorter: more traffic, both in proportion. */
  readonly period: number;
  /** How long a direct answer may take: more than the slowest round trip, plus one tick. Shorter: helpers are asked without need. */
  readonly timeout: number;
  /** The number of helpers that are asked to probe. Fewer: loss is taken for silence, p = (1-(1-q)^2)·(1-(1-q)^4)^helpers for loss q. */
  readonly helpers: number;
  /** The least periods from an unanswered ping until a member is declared failed: about how long it may be paused. In groups of a thousand longer, see `leastDoubt`. Less: healthy members are declared failed. */
  readonly doubt: number;
  /** How many times as long an unconfirmed suspicion lasts. Less: a member with a bad link declares others failed. */
  readonly patience: number;
  /** Confirmations that bring the time of a suspicion down to its least (Lifeguard's K). More: detection waits for probes of others. */
  readonly confirmations: number;
  /** The worst health of a member: its timeouts and periods grow to 1 + health times. Less: a slow member suspects others. */
  readonly health: number;
  /** Ticks between two rounds of gossip while a member has news... */
  readonly gossipEvery: number;
  /** ...and the number of members it tells in each: news reach n members in about ln n / ln(1 + gossipTo) rounds. */
  readonly gossipTo: number;
  /** Each rumour leaves a member spread + ceil(ln n) times; about n·e^-that members miss it (anti-entropy repairs that, later). */
  readonly spread: number;
  /** Mean time between comparisons of all records with a random member. Longer: what rumours missed stays missed for longer. */
  readonly compareEvery: number;
  /** Time between tries to reach failed members, and seeds that are not in the view. Decides how soon a healed partition merges. */
  readonly seekEvery: number;
  /** About the most tries of the whole group in that time: the load on an address without a member. */
  readonly seekers: number;
  /** How long a joiner waits for an answer before it becomes a group of its own. */
  readonly joinPatience: number;
  /** How long a failed or departed member is remembered, so that an old rumour does not bring it back. */
  readonly tombstone: number;
  /** The largest message, in encoded bytes. It must fit into a datagram with what parents and the host add. */
  readonly packet: number;
  /** The most packets that answer comparisons in one tick: bounds what a thousand joiners can make a seed send. */
  readonly answers: number;
  /** The most joiners that are answered in one tick. Fewer: joiners at a busy seed get no answer, and become groups of their own. */
  readonly welcomes: number;
  /** The most resurrected members that are asked for a direct answer in one tick. */
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

/** In groups of more members than this, each member probes less often, so that the whole group sends this many probes a period. */
export const LARGE = 256;

/** Ticks between two probes of a member in a group of n. */
export const probeEvery = ({ period }: Profile, n: number): number => Math.round(period * Math.max(1, n / LARGE));

/** About the ticks in which news reach n members. */
export const spreading = ({ gossipEvery, gossipTo }: Profile, n: number): number =>
  (gossipEvery * ln(Math.max(1, n))) / ln(1 + gossipTo);

/**
 * The least time of a suspicion among n members, in ticks from the ping that was not answered: for that probe, for the news to spread, the
 * answer to come back, both half as long again, and a last call. Up to some hundred members that is less than the pause that a member may take.
 */
export const leastDoubt = (profile: Profile, n: number): number =>
  Math.max(profile.doubt * profile.period, profile.period + 3 * spreading(profile, n) + profile.timeout);

/** The confirmations that a suspicion among n members waits for: fewer in small groups. */
export const wantedConfirmations = ({ confirmations }: Profile, n: number): number =>
  Math.max(0, Math.min(confirmations, n - 2));

/** How long a suspicion with this many confirmations lasts, in ticks (Lifeguard, section IV-B). */
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
