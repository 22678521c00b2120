/**
 * What a member makes of what it hears of members. The newer record wins (records.ts); a suspicion gathers accusers; a member that
 * was dead and is said to live counts once it has answered itself; what is said of this very member it answers.
 */

import { type Port, SELF } from "../../protocol.ts";
import { leavesRoom } from "../shape.ts";
import type { Gossip } from "./messages.ts";
import { Packet, packed, sized } from "./packets.ts";
import { pingFor } from "./pings.ts";
import { doubtFor, LARGE, leastDoubt, wantedConfirmations } from "./profile.ts";
import {
  accusersOf,
  isLiveStatus,
  isNewer,
  isSameRecord,
  type KnownMember,
  type MemberRecord,
  toEntry,
  toMember,
  toNote,
} from "./records.ts";
import { heardAgain, isCrowded, isFlooded, isThronged, learnNote, tellOfMember } from "./rumours.ts";
import { hearOfOwnName } from "./self.ts";
import type { MembershipContext, MembershipState, Suspicion, UnprovenMember } from "./state.ts";
import { memberSubject } from "./sums.ts";
import { ofLife, sampleHeard, store } from "./view.ts";

/** This member finds another one silent. */
export function accuse(state: MembershipState, name: string, ctx: MembershipContext): void {
  const known = state.members.get(name);
  if (known === undefined) return;
  if (known.status === "suspect") {
    const isSaid = state.suspicions.get(name)?.by.includes(state.life) === true;
    confirm(state, name, [state.life]);
    // Where many have died, most of those who were told it could not hear it.
    if (isSaid) tellOfMember(state, name);
  } else if (known.status === "alive") {
    const said: KnownMember = { ...known, status: "suspect" };
    store(state, said, ctx);
    tellOfMember(state, name);
    doubt(state, said, [state.life]);
  }
}

function doubt(state: MembershipState, { name, life }: KnownMember, accusers: readonly number[]): void {
  const { profile, now, life: own } = state;
  const by = accusers.slice(0, 1 + profile.confirmations);
  // An accuser has waited a period for an answer. What others say was on its way for a while.
  const since = now - profile.period + (accusers.includes(own) ? 0 : profile.timeout);
  const suspicion: Suspicion = { since, by, due: 0, againAt: nextTelling(state), hasCalled: false };
  state.suspicions.set(name, suspicion);
  // One more who cannot confirm the others.
  for (const each of state.suspicions.values()) setDue(state, each);
  state.news.push({ what: "suspected", name, life });
}

/** Members of a large group that probe a suspect at once or confirm that it is silent, on average: there it would be long until its turn. */
const CONFIRMERS = 6;

/** Whether a suspicion that was heard is to be confirmed or refuted by this member, at its next tick. */
function hurry(state: MembershipState, name: string, ctx: MembershipContext): void {
  const { live, order } = state;
  if (live.length <= LARGE || !ctx.coin(CONFIRMERS / live.length)) return;
  const at = order.indexOf(name);
  if (at < 0) return;
  if (at < state.turn) state.turn--;
  [order[at], order[state.turn]] = [order[state.turn], order[at]];
  state.probeAt = state.now;
}

/** More accusers make a suspicion shorter; so many are passed on, and no more. */
function confirm(state: MembershipState, name: string, accusers: readonly number[]): void {
  const suspicion = state.suspicions.get(name);
  if (suspicion === undefined) return;
  const before = suspicion.by.length;
  for (const accuser of accusers) {
    if (suspicion.by.length > state.profile.confirmations) break;
    if (!suspicion.by.includes(accuser)) suspicion.by.push(accuser);
  }
  if (suspicion.by.length === before) heardAgain(state, memberSubject(name));
  else {
    setDue(state, suspicion);
    tellOfMember(state, name);
  }
}

function setDue(state: MembershipState, suspicion: Suspicion): void {
  // The last call is waited for.
  if (suspicion.hasCalled) return;
  const confirmed = Math.max(0, suspicion.by.length - 1);
  // Where many are silent at once, few are left who could confirm it.
  const able = state.live.length - (state.suspicions.size - 1);
  const isSure = haveManyDied(state) && confirmed >= wantedConfirmations(state.profile, able);
  suspicion.due = suspicion.since + Math.ceil((isSure ? SOONER : 1) * doubtFor(state.profile, able, confirmed));
  expectNext(state, suspicion);
}

/**
 * Suspects that are taken for crashed together: at least so many and this part of the group; not a larger part, which may be cut off; and
 * none of them has refuted it.
 */
const MANY_SILENT = 8;
const PART_AT_LEAST = 0.1;
const PART_AT_MOST = 1 / 3;
/** A suspicion with all its confirmations then takes this part of its time. */
const SOONER = 0.9;

function haveManyDied({ suspicions: { size }, live, now, refutedAt, profile }: MembershipState): boolean {
  const [fewest, most] = [Math.max(MANY_SILENT, PART_AT_LEAST * live.length), PART_AT_MOST * live.length];
  return size >= fewest && size <= most && now - refutedAt > leastDoubt(profile, live.length);
}

/** When a suspicion that has not ended by then is told again. */
const nextTelling = ({ now, profile, live }: MembershipState): number =>
  now + Math.ceil(leastDoubt(profile, live.length));

// What is heard.

/**
 * Rumours from somebody, by life. Who is dead here is not believed about others: it may hear nobody, and take all for silent.
 * If a teller accuses a member, and this member knows something newer of it, better or worse, the teller is told at once. Two
 * members that correct each other come to an end: each answer says something newer, or the same with one more accuser.
 */
export function hearAll(
  state: MembershipState,
  port: Port,
  from: number,
  gossip: Gossip,
  ctx: MembershipContext,
  how: Hearing = "rumour",
): void {
  if (gossip.members === undefined && gossip.notes === undefined) return;
  const teller = ofLife(state, from);
  const isDead = teller !== undefined && !isLiveStatus(teller.status);
  const better: MemberRecord[] = [];
  for (const entry of gossip.members ?? []) {
    if (isDead && entry[1] !== from) continue;
    hearRecord(state, entry, ctx, how);
    if (entry[4] === 0) continue;
    const known = state.members.get(entry[0]);
    if (known === undefined) continue;
    const said = toMember(entry);
    if (isNewer(known, said)) better.push(toEntry(known));
    const accusers = accusersOf(entry);
    const isCounted = accusers.includes(state.life) || accusers.length > state.profile.confirmations;
    if (isDeadIn(known, said) && !isCounted) better.push(toEntry(said, [...accusers, state.life]));
  }
  if (isDead) return;
  if (better.length > 0) correct(state, port, better, ctx);
  for (const entry of gossip.notes ?? []) learnNote(state, toNote(entry), how);
}

/** Tells a teller what is known better here, as far as it fits into one message. */
function correct(state: MembershipState, port: Port, better: readonly MemberRecord[], ctx: MembershipContext): void {
  const head = { kind: "gossip", from: state.life } as const;
  const packet = new Packet(state, head);
  for (const entry of better) packet.add(sized(entry));
  const { gossip } = packet;
  if (gossip.members !== undefined) ctx.send(port, { ...head, ...gossip });
}

/**
 * Suspected by the teller, and dead here: that life in an earlier incarnation, or a later life, whose end says nothing to somebody that
 * never met it. A teller that has not heard of the end can wait long for others to confirm its suspicion: they have buried it.
 */
const isDeadIn = (known: KnownMember, said: KnownMember): boolean =>
  said.status === "suspect" && !isLiveStatus(known.status) && isNewer(known, said) === (known.life !== said.life);

/**
 * `rumour`: to be passed on. `lesson`: for one who is catching up with what the others know. `proof`: the member itself has
 * just answered a question of ours, in that life.
 */
type Hearing = "rumour" | "lesson" | "proof";

export function hearRecord(
  state: MembershipState,
  entry: MemberRecord,
  ctx: MembershipContext,
  how: Hearing = "rumour",
): void {
  const same = state.members.get(entry[0]);
  if (same !== undefined && same.life === entry[1] && same.incarnation === entry[2] && entry[4] === 0) {
    if (same.status === "alive") heardAgain(state, memberSubject(entry[0]));
    return;
  }
  const said = toMember(entry);
  // It could not refute that.
  if (!leavesRoom(said.incarnation, same?.incarnation ?? 0)) return;
  if (said.name === state.name) {
    hearOfOwnName(state, said, ctx);
    return;
  }
  const known = state.members.get(said.name);
  if (known !== undefined && !isNewer(said, known)) {
    if (said.status === "suspect" && isSameRecord(said, known)) confirm(state, said.name, accusersOf(entry));
    return;
  }
  const isKnownDead = known !== undefined && !isLiveStatus(known.status);
  if (known !== undefined && !isKnownDead && known.life !== said.life && how !== "proof") {
    otherLife(state, known, said, entry, ctx);
  } else if (!isLiveStatus(said.status)) {
    // A member that has forgotten a dead one is not reminded, or it would be remembered for ever; a newcomer is.
    if (known !== undefined || how === "lesson") bury(state, said, ctx, how);
  } else if (isKnownDead && how !== "proof") claim(state, said, accusersOf(entry));
  else admitRecord(state, said, accusersOf(entry), ctx, how);
}

/**
 * Another life of somebody who is live here, in a larger incarnation. It may have started again; or a life of it that is over had
 * the larger number. So that life counts once it has answered, as the dead do, and the one that is known is told what is said.
 */
function otherLife(
  state: MembershipState,
  known: KnownMember,
  said: KnownMember,
  entry: MemberRecord,
  ctx: MembershipContext,
): void {
  const port = ctx.link(known.address);
  if (port !== SELF) ctx.send(port, { kind: "gossip", from: state.life, members: [entry] });
  if (isLiveStatus(said.status)) claim(state, said, accusersOf(entry));
}

/** A live record that is newer than what was known. */
export function admitRecord(
  state: MembershipState,
  said: KnownMember,
  accusers: readonly number[],
  ctx: MembershipContext,
  how: Hearing = "rumour",
): void {
  const { name, life } = said;
  const known = state.members.get(name);
  const wasLive = known !== undefined && isLiveStatus(known.status);
  const isSameLife = wasLive && known.life === life;
  store(state, said, ctx);
  state.claims.delete(name);
  state.suspicions.delete(name);
  // The former life has ended, even if no member saw it end.
  if (wasLive && !isSameLife) state.news.push({ what: "failed", name, life: known.life });
  if (!isSameLife) {
    state.news.push({ what: "joined", name, life });
    arrived(state, ctx);
    greet(state, name, ctx);
  } else if (known.status === "suspect" && said.status === "alive") {
    state.news.push({ what: "refuted", name, life });
    state.refutedAt = state.now;
    for (const each of state.suspicions.values()) setDue(state, each);
  }
  const isOneOfMany = known === undefined && said.status === "alive" && isThronged(state);
  if (how !== "lesson" && !isOneOfMany) tellOfMember(state, name);
  if (said.status !== "suspect") return;
  doubt(state, said, accusers);
  hurry(state, name, ctx);
}

/** Many have come lately: what this member was told when it joined was little, and its next comparison may be far away. */
function arrived(state: MembershipState, ctx: MembershipContext): void {
  const wasCrowded = isCrowded(state);
  state.arrivals++;
  const { period } = state.profile;
  // A member that joined while there were few was told of those few.
  if (state.live.length === MANY + 1) state.compareAt = Math.min(state.compareAt, state.now + 1 + ctx.choose(period));
  if (wasCrowded || !isCrowded(state)) return;
  state.compareAt = Math.min(state.compareAt, state.now + period + ctx.choose(period));
}

/** Members that compare with one who has come, on average: what two sides of a healed partition know meets there at once. */
const GREETERS = 3;
/** In a group of no more than this many, newcomers greet newcomers too: that costs little. */
const MANY = 16;

function greet(state: MembershipState, name: string, ctx: MembershipContext): void {
  const { newcomers, live, now, joinedAt, profile } = state;
  // Where many come together, each who has just come knows nothing that the others need, and all compare often.
  const isYoung = joinedAt === null || now - joinedAt < profile.joinPatience;
  if ((isYoung || isFlooded(state)) && live.length > MANY) return;
  if (newcomers.length < GREETERS && ctx.coin(Math.min(1, GREETERS / live.length))) newcomers.push(name);
}

/** It has failed or left, here or elsewhere. */
function bury(state: MembershipState, said: KnownMember, ctx: MembershipContext, how: Hearing = "rumour"): void {
  const { name } = said;
  const known = state.members.get(name);
  store(state, said, ctx);
  state.suspicions.delete(name);
  const claimed = state.claims.get(name);
  if (claimed !== undefined && !isNewer(claimed.member, said)) state.claims.delete(name);
  if (how !== "lesson") tellOfMember(state, name);
  if (known !== undefined && isLiveStatus(known.status)) {
    const what = said.status === "left" && said.life === known.life ? "left" : "failed";
    state.news.push({ what, name, life: known.life });
  }
}

/** Remembers that a dead member is said to live, to ask it. Everybody has to find out for itself, so it is passed on. */
function claim(state: MembershipState, said: KnownMember, accusers: readonly number[]): void {
  const { name } = said;
  // Whether it is suspected too is heard again once it counts.
  const member: KnownMember = { ...said, status: "alive" };
  const before = state.claims.get(name);
  if (before !== undefined && !isNewer(member, before.member)) {
    if (isSameRecord(member, before.member) && said.status === "suspect") before.by = accusers;
    return;
  }
  // This member has asked it in vain, and said so.
  if (accusers.includes(state.life)) return;
  state.claims.set(name, { member, by: accusers, tries: 0, due: state.now });
  tellOfMember(state, name);
}

/**
 * This member asked that life in vain. Members that suspect it are told so: if all others know an earlier life as dead, nobody else
 * takes the later one for a member, probes it and confirms the suspicion.
 */
export function confirmClaim(state: MembershipState, { member, by }: UnprovenMember, ctx: MembershipContext): void {
  const { life, live, isOutcast, profile } = state;
  if (by.length > profile.confirmations || by.includes(life) || isOutcast) return;
  if (live.length > LARGE && !ctx.coin(CONFIRMERS / live.length)) return;
  const entry = toEntry({ ...member, status: "suspect" }, [...by, life]);
  for (const accuser of by) {
    const to = ofLife(state, accuser);
    if (to !== undefined && isLiveStatus(to.status)) {
      ctx.send(ctx.link(to.address), { kind: "gossip", from: life, members: [entry] });
    }
  }
}

/** Declares a live member failed, in the incarnation in which it is known: it can still refute that with the next. */
export function fail(state: MembershipState, name: string, ctx: MembershipContext): void {
  bury(state, { ...state.members.get(name)!, status: "failed" }, ctx);
}

// How suspicions end.

/** Timeouts between the last call and the end: one for the suspect's answer, and one in which its refutation reaches all others. */
const LAST_CALL = 2;

const lastCallAt = ({ profile }: MembershipState, { due }: Suspicion): number => due - LAST_CALL * profile.timeout;

/** Something is to be done about this suspicion then: it is told again, called for the last time, or ended. */
function expectNext(state: MembershipState, suspicion: Suspicion): void {
  const { hasCalled, due, againAt } = suspicion;
  const next = hasCalled ? Math.min(due, state.now + 1) : Math.min(againAt, lastCallAt(state, suspicion));
  state.doubtDue = Math.min(state.doubtDue, next);
}

/**
 * Ends the suspicions whose time has come. Shortly before, each suspicion is sent once more, so that the suspect, or a
 * member that knows better, can refute it.
 */
export function settleSuspicions(state: MembershipState, ctx: MembershipContext): void {
  if (state.now < state.doubtDue || state.isOutcast) return;
  state.doubtDue = Infinity;
  const called: string[] = [];
  for (const [name, suspicion] of [...state.suspicions]) {
    if (suspicion.due <= state.now && suspicion.hasCalled) {
      fail(state, name, ctx);
      continue;
    }
    if (suspicion.hasCalled) askOnceMore(state, name, suspicion, ctx);
    else if (lastCallAt(state, suspicion) <= state.now) {
      suspicion.hasCalled = true;
      askOnceMore(state, name, suspicion, ctx);
      suspicion.due = Math.max(suspicion.due, state.now + state.profile.timeout);
      called.push(name);
    }
    if (suspicion.againAt <= state.now && !suspicion.hasCalled) {
      suspicion.againAt = nextTelling(state);
      tellOfMember(state, name);
    }
    expectNext(state, suspicion);
  }
  if (called.length > 0) lastCall(state, called, ctx);
}

/** From the last call on its accusers ask a suspect in each tick: it may wake, or become reachable, in the last moment. */
function askOnceMore(state: MembershipState, name: string, { by }: Suspicion, ctx: MembershipContext): void {
  if (by.includes(state.life)) pingFor(state, "proof", state.members.get(name)!, ctx);
}

/** Tells a few others of suspicions that are about to end. They answer if they know better. */
function lastCall(state: MembershipState, suspects: readonly string[], ctx: MembershipContext): void {
  const head = { kind: "gossip", from: state.life } as const;
  const [{ gossip }] = packed(state, suspects.map(memberSubject), head, 1);
  for (const { address } of sampleHeard(state, state.profile.gossipTo, ctx)) {
    ctx.send(ctx.link(address), { ...head, ...gossip });
  }
}
