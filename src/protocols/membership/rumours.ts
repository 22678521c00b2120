/**
 * Rumours: what has changed and is to be told. A rumour is only its subject; what is said is what is known when it leaves, so
 * no old news travels and a packet is never larger than the group's news. The least told come first, each is told so many
 * times, and no message is larger than a packet.
 */
import { encodedSize } from "../../wire/codec.ts";
import type { Gossip } from "./messages.ts";
import { transmissions } from "./profile.ts";
import { type Entry, isLiveStatus, type NoteEntry, toEntry, toNoteEntry } from "./records.ts";
import type { Ctx, MembershipState } from "./state.ts";
import { memberSubject, noteSubject } from "./sums.ts";
import { sampleLive } from "./view.ts";

/** What the lists of an otherwise empty message take: their names and lengths. */
export const LISTS = 24;

export const tellOfMember = (state: MembershipState, name: string): void => tell(state, memberSubject(name));
export const tellOfNote = (state: MembershipState, key: string): void => tell(state, noteSubject(key));

function tell({ untold }: MembershipState, subject: string): void {
  for (const level of untold) level.delete(subject);
  if (untold.length === 0) untold.push(new Map());
  untold[0].set(subject, true);
}

export const hasRumours = ({ untold }: MembershipState): boolean => untold.some((level) => level.size > 0);

/** What is known of a subject, as it stands in messages; a claim that is not proven yet is passed on as it was heard. */
export function statement(state: MembershipState, subject: string): { member: Entry } | { note: NoteEntry } | null {
  const key = subject.slice(1);
  if (subject[0] === "n") {
    const note = state.notes.get(key);
    return note === undefined ? null : { note: toNoteEntry(note) };
  }
  const member = state.claims.get(key)?.member ?? state.members.get(key);
  if (member === undefined) return null;
  const accusers = member.status === "suspect" ? state.suspicions.get(key)?.by : undefined;
  return { member: toEntry(member, accusers?.at(-1)) };
}

/** The next rumours that fit into `room` encoded bytes; an empty object where there are none. */
export function takeRumours(state: MembershipState, room: number): Gossip {
  const { untold } = state;
  if (!hasRumours(state)) return {};
  const limit = transmissions(state.profile, state.live.length);
  const members: Entry[] = [];
  const notes: NoteEntry[] = [];
  let left = room - LISTS;
  const told: [string, number][] = [];
  for (let level = 0; level < untold.length && left > 0; level++) {
    for (const subject of untold[level].keys()) {
      const said = statement(state, subject);
      if (said === null) {
        untold[level].delete(subject);
        continue;
      }
      const size = encodedSize("member" in said ? said.member : said.note);
      // The next may be smaller, but then it would overtake this one for ever.
      if (size > left) {
        left = 0;
        break;
      }
      left -= size;
      if ("member" in said) members.push(said.member);
      else notes.push(said.note);
      told.push([subject, level]);
    }
  }
  for (const [subject, level] of told) {
    untold[level].delete(subject);
    if (level + 1 >= limit) continue;
    if (untold.length === level + 1) untold.push(new Map());
    untold[level + 1].set(subject, true);
  }
  return withoutEmpty(members, notes);
}

export const withoutEmpty = (members: Entry[], notes: NoteEntry[]): Gossip => ({
  ...(members.length > 0 ? { members } : {}),
  ...(notes.length > 0 ? { notes } : {}),
});

/** Tells a few random others what is new. */
export function gossip(state: MembershipState, ctx: Ctx, to = state.profile.gossipTo): void {
  for (const member of sampleLive(state, to, ctx)) {
    const rumours = takeRumours(state, state.profile.packet);
    if (rumours.members === undefined && rumours.notes === undefined) return;
    if (isLiveStatus(member.status)) ctx.send(ctx.link(member.address), { kind: "gossip", ...rumours });
  }
}
