/**
 * Joining. A joiner asks its seeds what they know, also about its own name. It becomes a member once it knows that no other live process has
 * the name. Processes that join at the same time and find only each other become a group.
 */
import { pingFor } from "./pings.ts";
import { gossip, isThronged, tellOfMember, unhurried } from "./rumours.ts";
import { giveWay, hasRival, rise } from "./self.ts";
import type { MembershipContext, MembershipState } from "./state.ts";
import { store } from "./view.ts";

/** How often another process of this name is asked whether it lives, before it counts as gone. */
const RIVAL_TRIES = 4;

/** A member of the group has answered what is known about this joiner's name. */
export function nameLookedUp(state: MembershipState, ctx: MembershipContext): void {
  if (state.phase !== "joining") return;
  if (hasRival(state)) {
    state.phase = "checking";
    askRival(state, ctx);
  } else enter(state, ctx);
}

/** The process becomes a member, in an incarnation above those of its former lives. */
export function enter(state: MembershipState, ctx: MembershipContext): void {
  const { name, life, address, former } = state;
  state.phase = "member";
  state.joinedAt = state.now;
  const incarnation = former === null ? 0 : former.incarnation + 1;
  store(state, { name, life, incarnation, address, status: "alive", meta: state.meta }, ctx);
  state.news.push({ what: "joined", name, life });
  // In a throng, the member that has let it in knows it and tells those who compare. Of a former life others know something else.
  if (!isThronged(state) || former !== null) {
    tellOfMember(state, name);
    gossip(state, ctx);
  }
  state.compareAt = unhurried(state, 0, ctx);
  // Members that join together must not probe at the same time.
  state.probeAt = state.now + ctx.choose(state.profile.period);
}

export function askRival(state: MembershipState, ctx: MembershipContext): void {
  const { former, profile } = state;
  if (former === null || !hasRival(state)) return;
  if (state.rivalTries === RIVAL_TRIES) {
    if (state.phase === "checking") enter(state, ctx);
    else rise(state, former.incarnation, ctx);
    return;
  }
  state.rivalTries++;
  state.rivalAt = state.now + (state.rivalTries < RIVAL_TRIES ? 1 : profile.timeout);
  pingFor(state, "rival", former, ctx);
}

/** Another life was heard. Returns whether it is that of the other process of this name, which lives then. A joiner always gives way. */
export function rivalAnswered(state: MembershipState, life: number): boolean {
  const isRival = state.former?.life === life && hasRival(state);
  if (isRival) giveWay(state);
  return isRival;
}
