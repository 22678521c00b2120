/**
 * Joining. A joiner asks its seeds what they know, of its own name too, and takes part once it knows that the name is free: its
 * former life is over, or never was. Processes that join at the same time and find only each other are a group then.
 */
import { pingFor } from "./pings.ts";
import { gossip, tellOfMember } from "./rumours.ts";
import { giveWay, hasRival, rise } from "./self.ts";
import type { MembershipContext, MembershipState } from "./state.ts";
import { store } from "./view.ts";

/** How often a namesake is asked before it counts as gone. */
const RIVAL_TRIES = 4;

/** Somebody in the group has said all that is known of this member's name. */
export function nameLookedUp(state: MembershipState, ctx: MembershipContext): void {
  if (state.phase !== "joining") return;
  if (hasRival(state)) {
    state.phase = "checking";
    askRival(state, ctx);
  } else enter(state, ctx);
}

/** The process is a member from now on, in an incarnation above those of its former lives. */
export function enter(state: MembershipState, ctx: MembershipContext): void {
  const { name, life, address, former } = state;
  state.phase = "member";
  state.joinedAt = state.now;
  const incarnation = former === null ? 0 : former.incarnation + 1;
  store(state, { name, life, incarnation, address, status: "alive", meta: state.meta }, ctx);
  state.news.push({ what: "joined", name, life });
  tellOfMember(state, name);
  gossip(state, ctx);
  state.compareAt = state.now;
  // Those who came together do not probe together.
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

/** That life is heard of: whether it is the namesake's, which lives then. The newer record stays; a joiner always gives way. */
export function rivalAnswered(state: MembershipState, life: number): boolean {
  const isRival = state.former?.life === life && hasRival(state);
  if (isRival) giveWay(state);
  return isRival;
}
