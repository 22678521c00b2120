/** The session of a life: opened for the first attempt, forgotten with the last attempt or lease that hung on it. */
import { sessionId } from "./ids.ts";
import type { SessionId } from "./messages.ts";
import { leaveSlot } from "./slots.ts";
import type { LeaseContext, LeaseState } from "./state.ts";

export const RENEW_TIMER = "renew";

/** For one more attempt. */
export function joinSession(state: LeaseState): SessionId {
  state.users++;
  state.session ??= sessionId(state.params.name, state.life, ++state.openings);
  return state.session;
}

/** An attempt or a lease is over. */
export function quitSession(state: LeaseState, ctx: LeaseContext): void {
  state.users--;
  if (state.users > 0) return;
  state.session = null;
  forgetRenewals(state, ctx);
}

/** With nothing left to keep the session runs out. */
export function forgetRenewals(state: LeaseState, ctx: LeaseContext): void {
  for (const { slot } of state.renewals.values()) leaveSlot(state, slot, ctx);
  state.renewals.clear();
  state.renewing = false;
  state.renewalWaits = false;
  ctx.disarm(RENEW_TIMER);
}
