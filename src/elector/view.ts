/** What follows from changes of membership and from what the watch has found. */
import type { Context } from "../protocol.ts";
import { type Embedding, embed } from "../protocols/embed.ts";
import { membership } from "../protocols/membership/membership.ts";
import type { MembershipMessage } from "../protocols/membership/messages.ts";
import {
  declareFailed,
  hasJoined,
  isFilling,
  memberNamed,
  membershipNews,
  size,
} from "../protocols/membership/parent.ts";
import type { Note } from "../protocols/membership/records.ts";
import { hearCouncilNote, hearInvitation } from "./company.ts";
import { isCouncilNote } from "./council/councils.ts";
import { countMisfits, misfitOf, unfitness } from "./fit.ts";
import { countMembers, countTrusted, isQuorate, whyNone } from "./policy.ts";
import { isHolderLive } from "./presence.ts";
import { reviewSoon } from "./standing.ts";
import { type GroupContext, type GroupState, type Office, stopWaiting, type Turn, touch, touchAll } from "./state.ts";
import { hearClaim } from "./talk/hearing.ts";
import type { Claim, GroupMessage } from "./talk/messages.ts";
import { claimIn, holderIn, inform, introduce } from "./talk/speaking.ts";
import type { Times } from "./times.ts";
import { isWatchNote, takeDeclared, takeReturned } from "./watch/watch.ts";

/** Membership runs inside the group under this name, on the member's links. */
export const MEMBERS = "members";

const EMBEDDING: Embedding<MembershipMessage, GroupMessage> = {
  name: MEMBERS,
  wrap: (message) => ({ kind: "members", message }),
};

export const membershipContext = (ctx: GroupContext): Context<MembershipMessage, "tick"> =>
  embed(membership, ctx, EMBEDDING);

// What follows from changes of membership: offices whose holders have gone, claims that came as notes, joining and settling.

export const SETTLE = "settle";

/** Most handlers change no member. */
const NOBODY = new Set<string>();

/** Reads what membership has reported since the last call. */
export function follow(turn: Turn): void {
  const { state } = turn;
  const { members } = state;
  // From the report of the previous handler, because membership has acted already.
  const wasQuorate = state.report.quorate;
  const changed = state.heard < membershipNews(members).length ? new Set<string>() : NOBODY;
  let left = 0;
  for (; state.heard < membershipNews(members).length; state.heard++) {
    const item = membershipNews(members)[state.heard];
    if (item.what === "note") hearNote(turn, item);
    else {
      if (item.what === "left") left++;
      if (item.what === "joined") introduce(turn, item.name);
      changed.add(item.name);
      if (item.name !== state.name) state.events.push({ event: item.what, member: item.name });
    }
  }
  if (changed.size > 0) {
    countMembers(turn, left);
    for (const office of state.offices.values()) if (isAbout(turn, office, changed)) revise(turn, office);
    reviewSoon(turn);
  }
  countTrusted(turn);
  if (wasQuorate !== isQuorate(state)) touchAll(turn);
  // If another live process has this member's name, this process is not a member, and holds nothing.
  if (whyNone(state) !== null) touchOwn(turn);
  if (changed.size > 0 || state.settlings === 0) checkFit(turn, changed);
  if (!state.settled) awaitCalm(turn, changed.size > 0);
}

/** Until it has settled, a member checks whether it fits into the group. Later it reports members that do not fit. */
function checkFit(turn: Turn, changed: ReadonlySet<string>): void {
  const { state, ctx } = turn;
  const { members } = state;
  countMisfits(turn, changed);
  if (!hasJoined(members) || state.leaving || state.misfit !== null) return;
  if (!state.settled) {
    state.misfit = unfitness(turn);
    if (state.misfit === null) return;
    touchAll(turn);
    membership.leave!(members, membershipContext(ctx));
    return;
  }
  for (const name of changed) {
    const why = misfitOf(turn, name);
    if (why !== null) state.events.push({ event: "misfit", member: name, why });
  }
}

function isAbout({ state }: Turn, { name, claim, applicant }: Office, names: ReadonlySet<string>): boolean {
  const told = state.applications.get(name)?.holder?.name;
  return [claim?.holder, applicant?.holder, applicant?.behind?.holder, told].some(
    (each) => each != null && names.has(each),
  );
}

/** Updates an office whose holder or applicant has come, changed or gone. */
function revise(turn: Turn, office: Office): void {
  touch(turn, office);
  office.holderSeen ||= isHolderLive(turn, office.claim);
  office.applicantSeen ||= isHolderLive(turn, office.applicant);
  const application = turn.state.applications.get(office.name);
  if (application !== undefined) application.seeksHolder = application.holder !== null;
  if (office.requestedTerm <= office.term) stopWaiting(turn, office);
}

function hearNote(turn: Turn, { key, order, value }: Note): void {
  if (isWatchNote(key)) hearInvitation(turn, value);
  else if (isCouncilNote(key)) hearCouncilNote(turn, value);
  else {
    const claim = claimIn(key, order, value);
    if (claim !== null) hearClaim(turn, claim, null, 0);
    const holder = holderIn(key);
    if (holder !== null) touchHeldBy(turn, holder);
  }
}

/** Marks the offices of this holder: their report has the setting of the next term. */
function touchHeldBy({ state }: Turn, holder: string): void {
  for (const { name, claim } of state.offices.values()) if (claim?.holder === holder) state.touched.add(name);
}

/** The offices that this member holds or applies for. */
export function touchOwn({ state }: Turn): void {
  for (const name of [...state.led, ...state.applications.keys()]) state.touched.add(name);
}

/** After joining, a member waits until its view has not changed for a while, but not for ever. */
function awaitCalm({ state, ctx, times }: Turn, changed: boolean): void {
  if (!hasJoined(state.members)) return;
  if (state.settlings > 0 && (!changed || state.settlings >= times.settlings)) return;
  waitForCalm(state, ctx, times);
}

function waitForCalm(state: GroupState, ctx: GroupContext, times: Times): void {
  state.settlings++;
  state.sizeBefore = size(state.members);
  ctx.arm(SETTLE, times.settle, 1.5 * times.settle);
}

/** The view has not changed for a while, or the member has waited often enough. While a crowd joins, the member goes on waiting. */
export function settleView(turn: Turn): void {
  const { state, ctx, times } = turn;
  if (isGrowing(state) && state.settlings < times.mostSettlings) {
    waitForCalm(state, ctx, times);
    return;
  }
  state.settled = true;
  touchAll(turn);
}

/** A crowd: at least this many newcomers in one wait, if they are also this share of the view. */
const CROWD = 32;
const CROWD_SHARE = 1 / 16;

/** Whether a crowd has joined since the member began to wait, or still does: an election now would be held on a part of the group. */
function isGrowing({ members, sizeBefore }: GroupState): boolean {
  const now = size(members);
  return isFilling(members) || now - sizeBefore > Math.max(CROWD, CROWD_SHARE * now);
}

// What the watch has found changes facts: a holder is dead, or a holder that was declared dead is alive.

export function followWatch(turn: Turn): void {
  for (const { name, life } of takeDeclared(turn.state.watch)) bury(turn, name, life);
  for (const { name } of takeReturned(turn.state.watch)) welcome(turn, name);
}

/** Tells the group that a holder is dead, and asks the first in line to stand, since they may not know yet. */
function bury(turn: Turn, name: string, life: number): void {
  const { state, ctx } = turn;
  declareFailed(state.members, name, life, membershipContext(ctx));
  follow(turn);
  for (const office of state.offices.values()) {
    if (!isHeldBy(office.claim, name, life) && !isHeldBy(office.applicant, name, life)) continue;
    office.needsCandidates = true;
    touch(turn, office);
  }
}

const isHeldBy = (claim: Claim | null, name: string, life: number): boolean =>
  claim?.holder === name && claim.life === life;

/** Tells a holder that was declared dead who leads its offices now. */
function welcome(turn: Turn, name: string): void {
  const member = memberNamed(turn.state.members, name);
  if (member === undefined) return;
  for (const office of turn.state.offices.values()) if (office.former?.name === name) inform(turn, office, member);
}
