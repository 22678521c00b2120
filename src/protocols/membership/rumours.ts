/**
 * Rumours: what has changed and is to be told. A rumour is only its subject; what is said is what is known when it leaves, so
 * no old news travels and a packet is never larger than the group's news. The least told come first, each is told so many
 * times, and no message is larger than a packet.
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
 * With more rumours or newcomers than so many, a rumour that comes back counts as told twice: others tell it too. And what is said of
 * members that live is told less often: comparisons bring it to those who have missed it.
 */
const FLOOD = 32;
const LESS_OFTEN = 6;

/** Whether many members have joined lately. */
export const isCrowded = ({ arrivals }: MembershipState): boolean => arrivals > FLOOD;

export const isFlooded = (state: MembershipState): boolean => state.rumours.size > FLOOD || isCrowded(state);

export const tellOfMember = (state: MembershipState, name: string): void => tell(state, memberSubject(name));
const tellOfNote = (state: MembershipState, key: string): void => tell(state, noteSubject(key));

function tell({ rumours, levels }: MembershipState, subject: string): void {
  const before = rumours.get(subject);
  if (before !== undefined) levels[before].delete(subject);
  if (levels.length === 0) levels.push(new Set());
  levels[0].add(subject);
  rumours.set(subject, 0);
}

/** Somebody has told this member what it was about to tell itself. */
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

/** Other members, that is: nobody else may know yet that this one is here. */
const isOfTheLive = ({ members, name }: MembershipState, subject: string): boolean =>
  subject[0] === "m" && subject.slice(1) !== name && members.get(subject.slice(1))?.status === "alive";

/** A message with the next rumours that fit into it, which is sent so many `times`; the message itself where there are none. */
export function withRumours<M extends MembershipMessage>(state: MembershipState, message: M, times = 1): M {
  if (state.rumours.size === 0) return message;
  const packet = new Packet(state, message);
  for (const subject of fill(state, packet)) advance(state, subject, times);
  return { ...message, ...packet.gossip };
}

/** Puts rumours into a packet, the least told first; which of them. */
function fill(state: MembershipState, packet: Packet): string[] {
  const told: string[] = [];
  for (const level of state.levels) {
    for (const subject of level) {
      const said = statement(state, subject);
      // One that is too large keeps back those behind it, or they would overtake it for ever.
      if (said !== null && !packet.add(said)) return told;
      told.push(subject);
    }
  }
  return told;
}

/** Tells a few random others what is new. */
export function gossip(state: MembershipState, ctx: MembershipContext): void {
  if (state.rumours.size === 0) return;
  const others = sampleHeard(state, state.profile.gossipTo, ctx);
  if (others.length === 0) return;
  const message = withRumours(state, { kind: "gossip", from: state.life }, others.length);
  for (const { address } of others) ctx.send(ctx.link(address), message);
}

// Notes: facts by key that spread as rumours do; the larger order wins, everywhere.

/** More keys than any group should need; beyond it strangers' new ones are dropped, so that memory stays bounded. */
const MOST_NOTES = 16_384;

/**
 * Publishes a fact; false where one of a larger order (or of the same, with another value) is known already. `isOldToOthers`:
 * the parent has told everybody in its own way, so that only comparisons need it.
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

/** `lesson`: for one who is catching up with what the others know already. */
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

/** Two values of one order: all keep the same one, by lot, and a member that hears of the other says so. */
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
