/**
 * Anti-entropy: what rumours have missed. A member sends the sums of what it knows to another, which answers with all it knows
 * in the parts that differ and asks for the other's. Joining begins with such a comparison; whoever got only a part of the
 * answer goes on with somebody else, so that one seed does not have to feed everybody.
 */
import type { Port } from "../../protocol.ts";
import { encodedSize } from "../../wire/codec.ts";
import { hear, hearAll } from "./hear.ts";
import { nameLookedUp } from "./join.ts";
import { BUCKETS, type Gossip, type MembershipMessage } from "./messages.ts";
import { type Entry, isNewer, type NoteEntry, toEntry, toMember } from "./records.ts";
import { LISTS, statement, withoutEmpty } from "./rumours.ts";
import { ownRecord } from "./self.ts";
import type { Ctx, MembershipState } from "./state.ts";
import { memberSubject, noteSubject } from "./sums.ts";
import { sampleLive } from "./view.ts";

type Digest = Extract<MembershipMessage, { kind: "digest" }>;
type Answer = Extract<MembershipMessage, { kind: "answer" }>;

/** Packets of one answer, at most. */
const MOST_PACKETS = 8;

export function compareWith(state: MembershipState, port: Port, ctx: Ctx): void {
  const sums = state.parts.map(({ sum }) => sum);
  const { name, life, phase } = state;
  ctx.send(port, {
    ...{ kind: "digest", name, life, sums },
    ...(phase === "member" ? { me: toEntry(ownRecord(state)) } : {}),
  });
}

/** Compares with one random other, now and then. */
export function compareOn(state: MembershipState, ctx: Ctx): void {
  const { profile, now } = state;
  if (now < state.compareAt) return;
  state.compareAt = now + (profile.compareEvery >> 1) + ctx.choose(profile.compareEvery);
  const [other] = sampleLive(state, 1, ctx);
  if (other !== undefined) compareWith(state, ctx.link(other.address), ctx);
}

export function answerDigest(state: MembershipState, port: Port, digest: Digest, ctx: Ctx): void {
  const isMember = state.phase === "member";
  if (digest.me !== undefined && isMember) hear(state, digest.me, ctx);
  if (state.answersLeft <= 0) return;
  const known = state.members.get(digest.name);
  const about =
    known !== undefined && known.life !== state.life && isOfUse(known, digest) ? { you: toEntry(known) } : {};
  if (!isMember) {
    state.answersLeft--;
    const { name, life, address, meta } = state;
    ctx.send(port, { kind: "answer", joining: [name, life, 0, address, 0, meta] });
    return;
  }
  const want = differing(state, digest.sums);
  const head: Answer = { kind: "answer", ...about, ...(want === 0 ? {} : { want }) };
  sendParts(state, port, head, want, new Set(), ctx);
}

/** The asker knows what it said of itself. */
const isOfUse = (known: { life: number; status: string; incarnation: number }, { me, life }: Digest): boolean =>
  me === undefined || known.life !== life || known.status !== "alive" || known.incarnation > me[2];

export function hearAnswer(state: MembershipState, port: Port, answer: Answer, ctx: Ctx): void {
  if (answer.joining !== undefined) {
    metJoiner(state, answer.joining, ctx);
    return;
  }
  if (answer.you !== undefined) hear(state, answer.you, ctx);
  hearAll(state, answer, ctx);
  nameLookedUp(state, ctx);
  if (answer.part === undefined) state.hasCaughtUp = true;
  else state.compareAt = state.now + 1;
  if (answer.want === undefined || state.phase !== "member") return;
  sendParts(state, port, { kind: "answer" }, answer.want, sameAs(state, answer), ctx);
}

/** Both join: they know nothing that the other could want but each other. */
function metJoiner(state: MembershipState, entry: Entry, ctx: Ctx): void {
  if (state.phase === "joining") {
    if (entry[0] === state.name) hear(state, entry, ctx);
    else state.metJoiner ??= state.now;
  }
}

/** The parts that differ, as bits. */
function differing({ parts }: MembershipState, sums: readonly number[]): number {
  let bits = 0;
  for (let i = 0; i < BUCKETS; i++) if (parts[i].sum !== sums[i]) bits |= 1 << i;
  return bits >>> 0;
}

/** What the other side has just said and this one knows just so. */
function sameAs(state: MembershipState, { members = [], notes = [] }: Gossip): Set<string> {
  const same = new Set<string>();
  for (const entry of members) {
    const known = state.members.get(entry[0]);
    if (known !== undefined && !isNewer(known, toMember(entry))) same.add(memberSubject(entry[0]));
  }
  for (const [key, first, second] of notes) {
    const known = state.notes.get(key);
    if (known !== undefined && known.order[0] === first && known.order[1] === second) same.add(noteSubject(key));
  }
  return same;
}

/** Sends what is known in some parts, from a random one on, in a few packets; `head` goes with the first. */
function sendParts(
  state: MembershipState,
  port: Port,
  head: Answer,
  parts: number,
  without: ReadonlySet<string>,
  ctx: Ctx,
): void {
  const packets: [Entry[], NoteEntry[]][] = [[[], []]];
  let left = state.profile.packet - encodedSize(head) - LISTS;
  const most = Math.max(1, Math.min(MOST_PACKETS, state.answersLeft >> 2));
  let isWhole = true;
  const first = ctx.choose(BUCKETS);
  for (let i = 0; i < BUCKETS && isWhole; i++) {
    const part = (first + i) % BUCKETS;
    if (((parts >>> part) & 1) === 0) continue;
    for (const subject of state.parts[part].subjects) {
      const said = without.has(subject) ? null : statement(state, subject);
      if (said === null) continue;
      const size = encodedSize("member" in said ? said.member : said.note);
      if (size > left) {
        isWhole = packets.length < most;
        if (!isWhole) break;
        packets.push([[], []]);
        left = state.profile.packet - 2 * LISTS;
      }
      left -= size;
      if ("member" in said) packets.at(-1)![0].push(said.member);
      else packets.at(-1)![1].push(said.note);
    }
  }
  for (const [i, [members, notes]] of packets.entries()) {
    const isLast = i === packets.length - 1;
    const said = withoutEmpty(members, notes);
    if (
      i === 0 &&
      head.want === undefined &&
      head.you === undefined &&
      said.members === undefined &&
      said.notes === undefined &&
      without.size > 0
    )
      return;
    state.answersLeft--;
    ctx.send(port, {
      ...(i === 0 ? head : { kind: "answer" }),
      ...said,
      ...(isLast && isWhole ? {} : { part: true }),
    });
  }
}
