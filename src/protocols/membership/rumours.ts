/**
 * Gossip: the changes that a member still has to tell. A rumour is only a subject. What is sent is what the member knows at that time, so
 * old news do not travel. The rumours that were told least come first, each is told a number of times, and no message is larger than a
 * packet.
 */

import { encodedSize } from "../../wire/codec.ts";
import { leavesRoom } from "../shape.ts";
import { LARGEST_NOTE, type MembershipMessage } from "./messages.ts";
import { Packet, statement } from "./packets.ts";
import { transmissions } from "./profile.ts";
import { compareOrders, type Note } from "./records.ts";
import type { MembershipContext, MembershipState } from "./state.ts";
import { memberSubject, noteSubject, sumNote, textDigest } from "./sums.ts";
import { sampleHeard } from "./view.ts";

/**
 * With more rumours or newcomers than this, a rumour that comes back counts as told twice, because others tell it too. And rumours about
 * live members are told less often: comparisons bring them to members that have missed them.
 */
const FLOOD = 32;
const LESS_OFTEN = 6;

/** Whether many members have joined lately. */
export const isCrowded = ({ arrivals }: MembershipState): boolean => arrivals > FLOOD;

/**
 * A throng: more newcomers than this. Members learn of them by comparisons alone, which bring many in a packet. Each comparison waits a
 * little, so that it brings more, and so that seeds can answer all joiners before these lose patience.
 */
export const THRONG = 256;

export const isThronged = ({ arrivals }: MembershipState): boolean => arrivals > THRONG;

/** The least wait in ticks. */
export const UNHURRIED = 3;

/** The tick of a comparison that is due in so many ticks, in a throng somewhat later. */
export const unhurried = (state: MembershipState, ticks: number, ctx: Pick<MembershipContext, "choose">): number =>
  state.now + ticks + (isThronged(state) ? UNHURRIED + ctx.choose(UNHURRIED) : 0);

export const isFlooded = (state: MembershipState): boolean => state.rumours.size > FLOOD || isCrowded(state);

/** Whether this member still has to tell of another. */
export const isToldOn = ({ rumours }: MembershipState, name: string): boolean => rumours.has(memberSubject(name));

export const tellOfMember = (state: MembershipState, name: string): void => tell(state, memberSubject(name));
const tellOfNote = (state: MembershipState, key: string): void => tell(state, noteSubject(key));

function tell({ rumours, levels }: MembershipState, subject: string): void {
  const before = rumours.get(subject);
  if (before !== undefined) levels[before].delete(subject);
  if (levels.length === 0) levels.push(new Set());
  levels[0].add(subject);
  rumours.set(subject, 0);
}

/** Another member has told this one a rumour that it was about to tell. */
export function heardAgain(state: MembershipState, subject: string): void {
  if (isFlooded(state) && state.rumours.has(subject)) advance(state, subject, 2);
}

/** Counts that a rumour was told. */
function advance(state: MembershipState, subject: string, times: number): void {
  const { rumours, levels } = state;
  const before = rumours.get(subject)!;
  const after = before + times * (isFlooded(state) && isOfTheLive(state, subject) ? LESS_OFTEN : 1);
  levels[before].delete(subject);
  if (after < transmissions(state.profile, state.live.length)) {
    rumours.set(subject, after);
    while (levels.length <= after) levels.push(new Set());
    levels[after].add(subject);
  } else rumours.delete(subject);
}

/** Whether a subject is another live member. This member does not count: the others may not know it yet. */
const isOfTheLive = ({ members, name }: MembershipState, subject: string): boolean =>
  subject[0] === "m" && subject.slice(1) !== name && members.get(subject.slice(1))?.status === "alive";

/** The message with the next rumours that fit into it; it is sent `times` times. Without rumours, the message itself. */
export function withRumours<M extends MembershipMessage>(state: MembershipState, message: M, times = 1): M {
  if (state.rumours.size === 0) return message;
  const packet = new Packet(state, message);
  for (const subject of fill(state, packet)) advance(state, subject, times);
  return { ...message, ...packet.gossip };
}

/** Puts rumours into a packet, the least told first. Returns the subjects that fitted. */
function fill(state: MembershipState, packet: Packet): string[] {
  const told: string[] = [];
  for (const level of state.levels) {
    for (const subject of level) {
      const said = statement(state, subject);
      // A rumour that does not fit holds back those behind it. Otherwise they could overtake it for ever.
      if (said !== null && !packet.add(said)) return told;
      told.push(subject);
    }
  }
  return told;
}

/** Tells a few random members what is new. Much news without newcomers mostly means many deaths: it is told to twice as many, so half as long. */
export function gossip(state: MembershipState, ctx: MembershipContext): void {
  const { rumours, profile } = state;
  if (rumours.size === 0) return;
  const areManyDead = rumours.size > FLOOD && !isCrowded(state);
  const others = sampleHeard(state, (areManyDead ? 2 : 1) * profile.gossipTo, ctx);
  if (others.length === 0) return;
  const message = withRumours(state, { kind: "gossip", from: state.life }, others.length);
  for (const { address } of others) ctx.send(ctx.link(address), message);
}

// Notes: facts by key. They spread like records; the larger order wins at every member.

/** The most notes, more than any group should need. Beyond it new keys from others are dropped, to bound memory. */
const MOST_NOTES = 16_384;

/**
 * Publishes a fact; false if a fact of a larger order (or of the same order with another value) is known already. `isOldToOthers`: the
 * parent has told everybody by messages, so the note is not gossiped, only compared.
 */
export function publish(
  state: MembershipState,
  key: string,
  order: Note["order"],
  value: unknown,
  isOldToOthers = false,
): boolean {
  const size = encodedSize(value);
  if (size > LARGEST_NOTE) {
    throw new RangeError(`the note ${key} takes ${size} bytes; a note may take ${LARGEST_NOTE}: publish less`);
  }
  const known = state.notes.get(key);
  if (known !== undefined && compareOrders(order, known.order) <= 0) return false;
  keep(state, { key, order, value }, isOldToOthers);
  return true;
}

/** `lesson`: this member is catching up, so the others know the note already. */
export function learnNote(state: MembershipState, said: Note, how: "rumour" | "lesson" | "proof"): void {
  const known = state.notes.get(said.key);
  if (known === undefined) {
    if (state.notes.size < MOST_NOTES && leavesRoom(said.order[0], 0)) keep(state, said, how === "lesson");
    return;
  }
  if (!leavesRoom(said.order[0], known.order[0])) return;
  const compared = compareOrders(said.order, known.order);
  if (compared > 0) keep(state, said, how === "lesson");
  else if (compared === 0) settleTie(state, known, said);
}

/** Two values of one order: all members keep the same one, by their digests. A member that hears the other value reports it. */
function settleTie(state: MembershipState, known: Note, said: Note): void {
  // In one process members share what they tell each other.
  if (known.value === said.value || JSON.stringify(known.value) === JSON.stringify(said.value)) {
    heardAgain(state, noteSubject(known.key));
    return;
  }
  const [own, other] = [JSON.stringify(known.value), JSON.stringify(said.value)];
  const [ownLot, otherLot] = [textDigest(own), textDigest(other)];
  if (otherLot > ownLot || (otherLot === ownLot && other > own)) keep(state, said);
  else state.news.push({ what: "note", ...said, rival: true });
}

function keep(state: MembershipState, note: Note, isOldToOthers = false): void {
  sumNote(state.parts, note);
  state.notes.set(note.key, note);
  state.news.push({ what: "note", ...note });
  if (!isOldToOthers) tellOfNote(state, note.key);
}
