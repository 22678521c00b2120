/**
 * Who opens an election when. All who know of a vacancy compute who comes first; the first stands at once, the second and
 * the third a little later unless they have heard of it, and all others remind them after a random time.
 */
import { isLive, memberNamed, sampleLive, size } from "../protocols/membership/parent.ts";
import { ASK_ALL } from "../theory/referees-async.ts";
import { backOff } from "./back-off.ts";
import { leads } from "./claims.ts";
import { begin } from "./election.ts";
import type { Claim } from "./messages.ts";
import { mayAct, mayStand } from "./policy.ts";
import { hasEnough } from "./seats.ts";
import { openingSetting } from "./settings.ts";
import { say } from "./speaking.ts";
import { FIRST, firstInLine } from "./standing.ts";
import type { Office, Turn } from "./state.ts";
import { isFree } from "./strict/client.ts";

/**
 * `unknown`: somebody holds it whom this member has never met; its record may be on the way, or it is long gone. `awaited`: in
 * strict mode, somebody has won it and asks the engine.
 */
export type Occupancy = "held" | "awaited" | "vacant" | "unknown";

export const standTimer = (office: string): string => `stand/${office}`;

export function occupancy(turn: Turn, office: Office): Occupancy {
  const { asker } = office;
  const holder = holderPresence(turn, office);
  if (holder === "held" || asker?.holder == null) return holder;
  const asks = turn.state.asking.has(office.name) ? "held" : presence(turn, asker, office.askerSeen);
  return asks === "held" ? "awaited" : asks;
}

/** Whoever asks for it aside. */
export const holderPresence = (turn: Turn, office: Office): Presence =>
  leads(turn, office) ? "held" : presence(turn, office.claim, office.seen);

type Presence = Exclude<Occupancy, "awaited">;

/** Of whom a claim names; this member itself has nothing by what others say. */
function presence({ state: { members, name } }: Turn, claim: Claim | null, seen: boolean): Presence {
  if (claim?.holder == null || claim.holder === name) return "vacant";
  if (isLive(members, claim.holder, claim.life)) return "held";
  return seen || memberNamed(members, claim.holder)?.life === claim.life ? "vacant" : "unknown";
}

/** Looks whether something has to be done about an office, and waits for the right moment. */
export function attend(turn: Turn, office: Office): void {
  const { state, ctx, times } = turn;
  if (office.waiting !== null || office.election !== null || !mayAct(state)) return;
  const occupied = occupancy(turn, office);
  if (occupied === "held" || occupied === "awaited") return;
  const place = placeOf(turn, office, office.term + 1);
  const [least, most] = backOff(times, office.tries);
  const first = place < FIRST ? place * times.stagger : times.patience;
  const jitter = place < FIRST ? 0 : times.spread;
  const delay = occupied === "unknown" ? times.unknown : first;
  office.waiting = place;
  ctx.arm(standTimer(office.name), delay + least, delay + jitter + most);
}

/** Whether this member may hold the office, and nothing of its own keeps it from that. */
const isWilling = (turn: Turn, office: Office): boolean => office.wanted && turn.state.eligible && isFree(turn, office);

/** This member's place in line; FIRST for all who are not among the first. */
function placeOf(turn: Turn, office: Office, term: number): number {
  if (!isWilling(turn, office)) return FIRST;
  const place = firstInLine(turn, office, term).findIndex(({ name }) => name === turn.state.name);
  return place < 0 ? FIRST : place;
}

export function stopWaiting({ ctx }: Turn, office: Office): void {
  if (office.waiting === null) return;
  office.waiting = null;
  ctx.disarm(standTimer(office.name));
}

/** Somebody asks this member to stand for that term, in that place. */
export function askedToStand(turn: Turn, office: Office, term: number, position: number): void {
  const { state, ctx, times } = turn;
  if (!mayStand(state) || !isWilling(turn, office)) return;
  if (office.election !== null && office.election.term >= term) return;
  const place = Math.min(position, FIRST - 1);
  if (office.asked >= term && office.waiting !== null && office.waiting <= place) return;
  office.asked = term;
  office.waiting = place;
  ctx.arm(standTimer(office.name), place * times.stagger);
}

/** The time has come, unless somebody else was first. */
export function standNow(turn: Turn, office: Office): void {
  const { waiting: place, asked } = office;
  const isAsked = asked > office.term;
  office.waiting = null;
  if (place === null || office.election !== null || !(isAsked ? mayStand : mayAct)(turn.state)) return;
  if (!isAsked && ["held", "awaited"].includes(occupancy(turn, office))) return;
  if (!isAsked && isIgnorant(turn, office)) {
    inquire(turn, office, place);
    return;
  }
  if (isWilling(turn, office) && !hasEnough(turn, office) && (place < FIRST || office.tries >= 2)) {
    open(turn, office, Math.max(office.term + 1, asked));
  } else {
    askFirst(turn, office);
    office.tries++;
    attend(turn, office);
  }
}

/**
 * Nobody has told this member of any holder, or its own election came to nothing: others may know more. It may have joined by
 * some who did not know either, or have stood still, cut off, while somebody won.
 */
const isIgnorant = ({ state }: Turn, { inquired, claim, former, tries }: Office): boolean =>
  inquired < tries &&
  (claim === null || state.lease !== null) &&
  (former === null || tries > 0) &&
  size(state.members) > 1;

/** Asks a few others first, once, and waits for their answers. */
function inquire(turn: Turn, office: Office, place: number): void {
  const { state, ctx, times } = turn;
  office.inquired = office.tries;
  for (const member of sampleLive(state.members, FIRST, ctx)) {
    say(turn, member, { kind: "who", office: office.name, term: office.term });
  }
  office.waiting = place;
  ctx.arm(standTimer(office.name), 2 * times.tau);
}

/** Opens the election of a term, as a candidate. */
export function open(turn: Turn, office: Office, term: number): void {
  const { name, members } = turn.state;
  const line = size(members) > ASK_ALL ? firstInLine(turn, office, term) : [];
  begin(turn, office, term, openingSetting(turn, office), { stands: true, opener: name });
  const { election } = office;
  if (election === null) return;
  // Where only a part is asked, those who would stand next might not hear of it in time, and stand too.
  const { id, setting } = election;
  for (const member of line) {
    if (member.name !== name) say(turn, member, { kind: "open", office: office.name, term, id, setting });
  }
}

/** Tells those who come first that the office is vacant. */
export function askFirst(turn: Turn, office: Office): void {
  const term = office.term + 1;
  const setting = openingSetting(turn, office);
  const over = (office.asker?.holder == null ? office.claim : office.asker)?.life ?? null;
  for (const [position, member] of firstInLine(turn, office, term).entries()) {
    if (member.name === turn.state.name) continue;
    say(turn, member, { kind: "stand", office: office.name, term, position, setting, over });
  }
}

/**
 * A user asks for a term now, whatever the back-off. Only where nobody live holds the office, or has won it and asks the engine;
 * and as always this member asks around first, where it may have missed something.
 */
export function electNow(turn: Turn, office: Office): void {
  if (office.election !== null || !mayAct(turn.state)) return;
  if (["held", "awaited"].includes(occupancy(turn, office))) return;
  stopWaiting(turn, office);
  office.tries = 0;
  office.inquired = -1;
  office.waiting = placeOf(turn, office, office.term + 1);
  turn.ctx.arm(standTimer(office.name), 0);
}

/** Nobody has won a term. */
export function failed(turn: Turn, office: Office): void {
  office.tries++;
  attend(turn, office);
}
