/** What follows from changes of membership: offices whose holders have gone, claims that came as notes, joining and settling. */
import { hasJoined, isLive, news, refusal } from "../protocols/membership/parent.ts";
import type { Note } from "../protocols/membership/records.ts";
import { claimIn, holderIn } from "./claim-notes.ts";
import { hearClaim, introduce, leads, resign } from "./claims.ts";
import { isCouncilNote } from "./council/councils.ts";
import { hearCouncilNote } from "./councils.ts";
import type { Claim } from "./messages.ts";
import { countMembers, countTrusted, isQuorate } from "./policy.ts";
import { reviewSoon } from "./settings.ts";
import type { Office, Turn } from "./state.ts";
import { seekHolder } from "./strict/asking.ts";
import { attend, stopWaiting } from "./vacancy.ts";
import { isWatchNote } from "./watch/watch.ts";
import { hearInvitation } from "./watching.ts";

export const SETTLE = "settle";

/** Looks at what membership has reported since it was asked last. */
export function follow(turn: Turn): void {
  const { state } = turn;
  const { members } = state;
  // As of the handler before: membership has acted already.
  const wasQuorate = state.report.quorate;
  const changed = new Set<string>();
  let left = 0;
  for (; state.heard < news(members).length; state.heard++) {
    const item = news(members)[state.heard];
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
  if (wasQuorate !== isQuorate(state)) quorumChanged(turn);
  if (refusal(members) !== null) stepDown(turn);
  if (!state.settled) awaitCalm(turn, changed.size > 0);
}

function isAbout({ state: { asking } }: Turn, { name, claim, asker }: Office, names: ReadonlySet<string>): boolean {
  const told = asking.size === 0 ? undefined : asking.get(name)?.holder?.name;
  return [claim?.holder, asker?.holder, asker?.behind?.holder, told].some((each) => each != null && names.has(each));
}

/** Something has happened to the holder of an office. */
function revise(turn: Turn, office: Office): void {
  const { state } = turn;
  state.touched.add(office.name);
  office.seen ||= isHolderLive(turn, office.claim);
  office.askerSeen ||= isHolderLive(turn, office.asker);
  seekHolder(turn, office);
  if (office.asked <= office.term) stopWaiting(turn, office);
  attend(turn, office);
}

const isHolderLive = ({ state: { members } }: Turn, claim: Claim | null): boolean =>
  claim?.holder != null && isLive(members, claim.holder, claim.life);

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

/** What is reported of its offices says what their next terms will be held with. */
function touchHeldBy({ state }: Turn, holder: string): void {
  for (const { name, claim } of state.offices.values()) if (claim?.holder === holder) state.touched.add(name);
}

/** This side of the group has become too small to have leaders, or large enough. */
function quorumChanged(turn: Turn): void {
  const { state } = turn;
  const enough = isQuorate(state);
  for (const office of state.offices.values()) {
    if (enough) attend(turn, office);
    else {
      if (!leads(turn, office)) stopWaiting(turn, office);
      resign(turn, office, null);
    }
  }
}

/** Somebody else lives under this member's name: it is no member, and holds nothing. */
function stepDown(turn: Turn): void {
  const { led, asking, offices } = turn.state;
  for (const name of [...led, ...asking.keys()]) resign(turn, offices.get(name)!, null);
}

/** After joining a member waits until the view has not changed for a while, within bounds. */
function awaitCalm({ state, ctx, times }: Turn, changed: boolean): void {
  if (!hasJoined(state.members)) return;
  if (state.settlings > 0 && (!changed || state.settlings >= times.settlings)) return;
  state.settlings++;
  ctx.arm(SETTLE, times.settle, 1.5 * times.settle);
}

export function settle(turn: Turn): void {
  turn.state.settled = true;
  for (const office of turn.state.offices.values()) attend(turn, office);
}
