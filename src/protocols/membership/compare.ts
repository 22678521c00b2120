/**
 * Anti-entropy: what rumours have missed. A member sends the sums of what it knows to another, which answers with all it knows
 * in the parts that differ and asks for the other's. Joining begins with such a comparison; whoever got only a part of the
 * answer goes on with somebody else, so that one seed does not have to feed everybody.
 */
import { type Port, SELF } from "../../protocol.ts";
import { hearAll, hearRecord } from "./hear.ts";
import { nameLookedUp } from "./join.ts";
import { BUCKETS, type Gossip, type MembershipMessage } from "./messages.ts";
import { packed } from "./packets.ts";
import { isLiveStatus, isNewer, type KnownMember, type MemberRecord, toEntry, toMember } from "./records.ts";
import { ownRecord } from "./self.ts";
import type { MembershipContext, MembershipState } from "./state.ts";
import { memberSubject, noteSubject, partOf } from "./sums.ts";
import { sampleLive } from "./view.ts";

type Digest = Extract<MembershipMessage, { kind: "digest" }>;
type Answer = Extract<MembershipMessage, { kind: "answer" }>;

/** Whom a joiner is told of at first. */
const HOSTS = 8;
/** Packets of one answer, at most. */
const MOST_PACKETS = 8;
/** Of what is left for this tick one answer takes this share, as a power of two: many joiners get a little each, and the rest from others. */
const SHARE = 4;

export function compareWith(state: MembershipState, port: Port, ctx: MembershipContext): void {
  if (port === SELF) return;
  const sums = state.parts.map(({ sum }) => sum);
  const { name, life, phase, hasCaughtUp, lesson } = state;
  const me = phase === "member" ? { me: toEntry(ownRecord(state)) } : {};
  ctx.send(port, { kind: "digest", name, life, sums, ...me, ...(hasCaughtUp ? {} : { first: lesson }) });
}

/** Compares with one random other, now and then. */
export function compareOn(state: MembershipState, ctx: MembershipContext): void {
  const { profile, now } = state;
  for (const name of state.newcomers.splice(0)) {
    const member = state.members.get(name);
    if (member !== undefined && isLiveStatus(member.status)) compareWith(state, ctx.link(member.address), ctx);
  }
  if (now < state.compareAt) return;
  state.compareAt = now + (profile.compareEvery >> 1) + ctx.choose(profile.compareEvery);
  const [other] = sampleLive(state, 1, ctx);
  if (other !== undefined) compareWith(state, ctx.link(other.address), ctx);
}

export function answerDigest(state: MembershipState, port: Port, digest: Digest, ctx: MembershipContext): void {
  const { phase, name, life, address, meta } = state;
  if (phase === "member" && digest.me !== undefined) hearRecord(state, digest.me, ctx);
  if (phase === "member" && digest.me === undefined) {
    welcome(state, port, digest, ctx);
    return;
  }
  if (state.answersLeft <= 0) return;
  if (phase !== "member") {
    state.answersLeft--;
    ctx.send(port, { kind: "answer", from: life, joining: [name, life, 0, address, 0, meta] });
    return;
  }
  const want = differing(state, digest.sums);
  const head: Answer = {
    ...addressed(state, digest),
    // Whoever is being told all knows little that others do not.
    ...(want === 0 || digest.first !== undefined ? {} : { want }),
  };
  const subjects = subjectsOf(state, want, new Set(), digest.first ?? ctx.choose(BUCKETS));
  sendParts(state, port, head, subjects, ctx);
}

/**
 * A joiner learns what is known of its name, and of a few members whom it can ask for the rest. That is all, and apart from what
 * other answers take, so that a thousand joiners at one seed are in before they take themselves for alone.
 */
function welcome(state: MembershipState, port: Port, digest: Digest, ctx: MembershipContext): void {
  if (state.welcomesLeft <= 0) return;
  state.welcomesLeft--;
  const hosts = [ownRecord(state), ...sampleLive(state, HOSTS, ctx)].map((member) => toEntry(member));
  const few = state.live.length <= HOSTS && state.notes.size === 0 ? {} : { part: 0 };
  ctx.send(port, { ...addressed(state, digest), members: hosts, ...few });
}

/** The beginning of an answer to a digest: what is known of the asker's name, where that is of use to it. */
function addressed(state: MembershipState, digest: Digest): Answer {
  const known = state.members.get(digest.name);
  return { ...bare(state), ...(known !== undefined && isOfUse(known, digest) ? { you: toEntry(known) } : {}) };
}

/** The asker knows what it said of itself. */
const isOfUse = (known: KnownMember, { me, life }: Digest): boolean =>
  me === undefined || known.life !== life || known.status !== "alive" || known.incarnation > me[2];

export function hearAnswer(state: MembershipState, port: Port, answer: Answer, ctx: MembershipContext): void {
  const { from, joining, you, young, part, want } = answer;
  if (joining !== undefined) {
    metJoiner(state, joining, ctx);
    return;
  }
  if (you !== undefined) hearRecord(state, you, ctx);
  hearAll(state, port, from, answer, ctx, state.hasCaughtUp ? "rumour" : "lesson");
  if (young === undefined) nameLookedUp(state, ctx);
  else state.metJoiner ??= state.now;
  if (part !== undefined) {
    state.lesson = part;
    state.compareAt = state.now + 1;
  } else if (young === undefined) state.hasCaughtUp = true;
  // Whoever differs from one has probably missed more.
  if (want !== undefined) state.compareAt = Math.min(state.compareAt, state.now + 2 * state.profile.period);
  if (want === undefined || state.phase !== "member") return;
  const rest = [...subjectsOf(state, want, sameAs(state, answer), ctx.choose(BUCKETS))];
  if (rest.length > 0) sendParts(state, port, bare(state), rest, ctx);
}

const bare = ({ life, hasCaughtUp }: MembershipState): Answer => ({
  kind: "answer",
  from: life,
  ...(hasCaughtUp ? {} : { young: true }),
});

/** Both join: they know nothing that the other could want but each other. */
function metJoiner(state: MembershipState, entry: MemberRecord, ctx: MembershipContext): void {
  if (state.phase !== "joining") return;
  if (entry[0] === state.name) hearRecord(state, entry, ctx);
  else state.metJoiner ??= state.now;
}

/** The parts that differ, as bits. */
function differing({ parts }: MembershipState, sums: readonly number[]): number {
  let bits = 0;
  for (let i = 0; i < BUCKETS; i++) if (parts[i].sum !== sums[i]) bits |= 1 << i;
  return bits >>> 0;
}

/** What the other side has just said and this one does not know better. */
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

/** Sends what is known of some subjects in a few packets; `head` goes with the first. */
function sendParts(
  state: MembershipState,
  port: Port,
  head: Answer,
  subjects: Iterable<string>,
  ctx: MembershipContext,
): void {
  const most = Math.max(1, Math.min(MOST_PACKETS, state.answersLeft >> SHARE));
  for (const [i, { gossip, next }] of packed(state, subjects, head, most).entries()) {
    state.answersLeft--;
    ctx.send(port, {
      ...(i === 0 ? head : bare(state)),
      ...gossip,
      ...(next === null ? {} : { part: partOf(next) }),
    });
  }
}

/** Those of some parts, from the first one on. */
function* subjectsOf(
  state: MembershipState,
  parts: number,
  without: ReadonlySet<string>,
  first: number,
): Generator<string> {
  for (let i = 0; i < BUCKETS; i++) {
    const part = (first + i) % BUCKETS;
    if (((parts >>> part) & 1) === 0) continue;
    for (const subject of state.parts[part].subjects) if (!without.has(subject)) yield subject;
  }
}
