/**
 * Anti-entropy: repairs what gossip has missed. A member sends the sums of what it knows to another, which answers with all it knows
 * in the parts that differ and asks for the other's. Joining begins with such a comparison. A joiner that got only a part
 * of the answer asks another member for the rest, so one seed does not have to feed all joiners.
 */
import { type Port, SELF } from "../../protocol.ts";
import { sample } from "../../random/subsets.ts";
import { admitRecord, confirmClaim, hearAll, hearRecord } from "./hear.ts";
import { type HeldFilter, heldFrom, isHeld } from "./held.ts";
import { nameLookedUp } from "./join.ts";
import { BUCKETS, type Gossip, type MembershipMessage } from "./messages.ts";
import { packed } from "./packets.ts";
import { pingFor } from "./pings.ts";
import { isLiveStatus, isNewer, type KnownMember, type MemberRecord, toEntry, toMember } from "./records.ts";
import { isCrowded, isFlooded, isThronged, THRONG, UNHURRIED, unhurried } from "./rumours.ts";
import { ownRecord } from "./self.ts";
import type { MembershipContext, MembershipState } from "./state.ts";
import { memberSubject, noteSubject, partOf } from "./sums.ts";
import { sampleLive } from "./view.ts";

type Digest = Extract<MembershipMessage, { kind: "digest" }>;
type Answer = Extract<MembershipMessage, { kind: "answer" }>;

/** So many members a joiner is told of at first. */
const HOSTS = 8;
/** So much larger is the answer to a joiner than its question, where the records of members are not very large. */
const ROOM = " ".repeat(480);
/** Packets of one answer, at most. */
const MOST_PACKETS = 8;
/** Of what is left for this tick one answer takes this share, as a power of two: many joiners get a little each, and the rest from others. */
const SHARE = 4;

export function compareWith(state: MembershipState, port: Port, ctx: MembershipContext): void {
  if (port === SELF) return;
  const sums = state.parts.map(({ sum }) => sum);
  const { name, life, phase, hasCaughtUp, lesson } = state;
  const me = phase === "member" ? { me: toEntry(ownRecord(state)) } : joining(state);
  const first = hasCaughtUp ? {} : { first: lesson };
  const held = isBusy(state) ? { held: heldFrom(state, hasCaughtUp ? ctx.choose(BUCKETS) : lesson, ctx) } : {};
  ctx.send(port, { kind: "digest", name, life, sums, ...me, ...first, ...held });
}

/** What a joiner says. Where a former life of it is known, it will have another record. */
function joining({ name, life, address, meta, former }: MembershipState): Pick<Digest, "joins" | "room"> {
  if (former !== null) return { room: ROOM };
  return { joins: [name, life, 0, address, 0, meta], room: ROOM };
}

/** Whether so much is new to this member that most parts differ wherever it asks: it then says what it has. */
const isBusy = (state: MembershipState): boolean =>
  isFlooded(state) || (knowsMany(state) && (!state.hasCaughtUp || state.arrivals > HOSTS));

/** Whether several members have come lately, and the latest comparison has shown that this member does not know all that others know. */
export const isFilling = ({ arrivals, differed }: MembershipState): boolean => differed && arrivals > HOSTS;

/** Whether it knows others than its seeds whom it can ask for the rest. */
export const knowsMany = ({ live }: MembershipState): boolean => live.length > HOSTS;

/** Compares with one random other, now and then; while it is being told all, again and again. */
export function compareOn(state: MembershipState, ctx: MembershipContext): void {
  const { profile, now } = state;
  for (const name of state.newcomers.splice(0)) {
    const member = state.members.get(name);
    if (member !== undefined && isLiveStatus(member.status)) compareWith(state, ctx.link(member.address), ctx);
  }
  if (now < state.compareAt) return;
  const { timeout, period, compareEvery } = profile;
  if (!state.hasCaughtUp) state.compareAt = unhurried(state, timeout + ctx.choose(period), ctx);
  else if (isThronged(state)) state.compareAt = now + UNHURRIED + ctx.choose(period);
  // Answers are lost, and those who are asked by many do not answer all.
  else if (state.differed || isCrowded(state)) state.compareAt = now + 2 * period + ctx.choose(period);
  else state.compareAt = now + (compareEvery >> 1) + ctx.choose(compareEvery);
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
  const wanted = differing(state, digest.sums);
  // A lesson goes through the parts once: while many join all parts differ all the time, and rumours bring what is new.
  const first = digest.first ?? ctx.choose(BUCKETS);
  const parts = digest.first === undefined ? BUCKETS : BUCKETS - first;
  // A member that is being told all knows little that others do not; and where much is new to all, each asks for itself.
  const isOneWay = wanted === 0 || digest.first !== undefined || digest.held !== undefined;
  const differs = wanted !== 0 && digest.held !== undefined ? ({ differs: true } as const) : {};
  const head: Answer = { ...addressed(state, digest), ...differs, ...(isOneWay ? {} : { want: wanted }) };
  sendParts(state, port, head, subjectsOf(state, { wanted, first, parts, held: digest.held }), ctx);
}

/**
 * A joiner learns what is known of its name, and of a few members whom it can ask for the rest. That is all, and apart from what
 * other answers take, so that a thousand joiners at one seed are in before they take themselves for alone.
 */
function welcome(state: MembershipState, port: Port, digest: Digest, ctx: MembershipContext): void {
  if (state.welcomesLeft <= 0) return;
  state.welcomesLeft--;
  const others = sampleLive(state, HOSTS + 1, ctx).filter(({ life }) => life !== digest.life);
  const hosts = [ownRecord(state), ...others.slice(0, HOSTS)].map((member) => toEntry(member));
  const few = state.live.length <= HOSTS && state.notes.size === 0 ? {} : { part: 0 };
  const crowd = isThronged(state) ? ({ crowd: true } as const) : {};
  ctx.send(port, { ...addressed(state, digest), members: hosts, ...few, ...crowd });
  admit(state, digest, ctx);
}

/**
 * Nothing is known of the joiner's name, so the joiner enters as soon as it hears that. It counts from now on and is named to those who
 * come next: otherwise a thousand joiners would know the seed alone, and could tell of themselves nobody else. A member that has
 * not been told all does not know which names are taken.
 */
function admit(state: MembershipState, { name, life, joins }: Digest, ctx: MembershipContext): void {
  if (joins === undefined || !state.hasCaughtUp || state.members.has(name)) return;
  const isOwn = joins[0] === name && joins[1] === life && joins[2] === 0 && joins[4] === 0;
  if (isOwn) hearRecord(state, joins, ctx);
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
  const { from, joining, you, young, part, want, differs, crowd } = answer;
  if (joining !== undefined) {
    metJoiner(state, joining, ctx);
    return;
  }
  if (crowd !== undefined) joinCrowd(state);
  if (you !== undefined) hearRecord(state, you, ctx);
  // What many have missed is not told again by each of them: they compare too.
  hearAll(state, port, from, answer, ctx, state.hasCaughtUp && !isFlooded(state) ? "rumour" : "lesson");
  if (young === undefined) nameLookedUp(state, ctx);
  else state.metJoiner ??= state.now;
  if (part !== undefined) {
    state.lesson = part;
    state.compareAt = unhurried(state, 1, ctx);
  } else if (young === undefined) caughtUp(state);
  // A member that differs from one has probably missed more.
  if (want !== undefined || differs !== undefined) {
    state.differed = true;
    compareSoon(state);
  } else if (answer.members === undefined && answer.notes === undefined) state.differed = false;
  if (want === undefined || state.phase !== "member") return;
  const range = { wanted: want, first: ctx.choose(BUCKETS), parts: BUCKETS, held: undefined };
  const rest = [...subjectsOf(state, range, sameAs(state, answer))];
  if (rest.length > 0) sendParts(state, port, bare(state), rest, ctx);
}

/** This joiner is one of many, and knows few of the others yet. */
function joinCrowd(state: MembershipState): void {
  if (state.phase !== "joining") return;
  state.arrivals = Math.max(state.arrivals, 4 * THRONG);
  state.differed = true;
}

/** All that somebody knows was told, or nobody could tell it for long. Among many, more have come meanwhile. */
export function caughtUp(state: MembershipState): void {
  if (!state.hasCaughtUp && knowsMany(state)) {
    state.differed = true;
    compareSoon(state);
  }
  state.hasCaughtUp = true;
}

function compareSoon(state: MembershipState): void {
  const { now, profile } = state;
  const isUrgent = isFlooded(state) || isFilling(state);
  state.compareAt = Math.min(state.compareAt, now + (isUrgent ? profile.timeout : 2 * profile.period));
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

/** Of what is asked for: the parts as bits, so many of them from the first one on, without what the asker has. */
interface Range {
  readonly wanted: number;
  readonly first: number;
  readonly parts: number;
  readonly held: HeldFilter | undefined;
}

function* subjectsOf(
  state: MembershipState,
  { wanted, first, parts, held }: Range,
  without?: ReadonlySet<string>,
): Generator<string> {
  for (let i = 0; i < parts; i++) {
    const part = (first + i) % BUCKETS;
    if (((wanted >>> part) & 1) === 0) continue;
    for (const [subject, digest] of state.parts[part].subjects) {
      if (without?.has(subject) || (held !== undefined && isHeld(held, part, digest))) continue;
      yield subject;
    }
  }
}

// Looking for those who are not in the view: members that are said to live again, which count once they have answered; members
// that failed, in case a partition has healed; and seeds that nobody in the view is, in case the group is two.

/** How often a resurrected member is asked; if it does not answer, the claim has to be heard again. */
const PROOF_TRIES = 4;

/** Asks the members that are said to live after all. */
export function claimsOn(state: MembershipState, ctx: MembershipContext): void {
  if (state.claims.size === 0) return;
  let left = state.profile.proofs;
  for (const [name, claim] of state.claims) {
    if (claim.due > state.now) continue;
    if (claim.tries >= PROOF_TRIES) {
      state.claims.delete(name);
      confirmClaim(state, claim, ctx);
      continue;
    }
    if (left-- === 0) return;
    claim.tries++;
    claim.due = state.now + 2 * state.profile.timeout;
    // Behind those who have not had their turn.
    state.claims.delete(name);
    state.claims.set(name, claim);
    pingFor(state, "proof", claim.member, ctx);
  }
}

/** A member has answered itself, in this life. */
export function proofGiven(state: MembershipState, name: string, life: number, ctx: MembershipContext): void {
  const claim = state.claims.get(name);
  if (claim !== undefined && claim.member.life === life) admitRecord(state, claim.member, [], ctx);
}

/** Most are dead for good where any is; the one that is not should be found soon. */
const SEEDS_AT_ONCE = 3;

export function seekOn(state: MembershipState, ctx: MembershipContext): void {
  const { profile, now, live } = state;
  if (now < state.seekAt) return;
  state.seekAt = now + (profile.seekEvery >> 1) + ctx.choose(profile.seekEvery);
  if (live.length > profile.seekers && !ctx.coin(profile.seekers / live.length)) return;
  const lost = seedsOutside(state);
  const asked = sample((n) => ctx.choose(n), Math.min(SEEDS_AT_ONCE, lost.length), lost.length);
  for (const i of asked) compareWith(state, ctx.link(lost[i]), ctx);
  const dead = someFailed(state, ctx);
  if (dead !== null) pingFor(state, "seek", dead, ctx);
}

function seedsOutside({ seeds, live, address }: MembershipState): string[] {
  return seeds.filter((seed) => seed !== address && !live.some((member) => member.address === seed));
}

/** Those who left have no wish to be found. */
function someFailed({ buried, members }: MembershipState, ctx: MembershipContext): KnownMember | null {
  if (buried.size === 0) return null;
  const failed = [...buried.keys()].map((name) => members.get(name)!).filter(({ status }) => status === "failed");
  return failed.length === 0 ? null : failed[ctx.choose(failed.length)];
}
