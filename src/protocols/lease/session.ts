/** A lease client's sessions, deadlines and seats, and their names. */
import type { LeaseId, SessionId } from "./messages.ts";
import { worth } from "./params.ts";
import type { Asking, Holding, LeaseContext, LeaseLoss, LeaseSeat, LeaseState } from "./state.ts";

const idOf = (name: string, life: number, number: number): string => `${life.toString(36)}.${number}.${name}`;

/** `request` counts the leases that one life has asked for. */
export const leaseId = (name: string, life: number, request: number): LeaseId => idOf(name, life, request);

/** `opening` counts the sessions that one life has opened. */
const sessionId = (name: string, life: number, opening: number): SessionId => idOf(name, life, opening);

export const isSessionOf = (session: SessionId, name: string, life: number): boolean =>
  session.startsWith(`${life.toString(36)}.`) && session.endsWith(`.${name}`);

// Deadlines without a clock. Each request that can confirm a lease arms a deadline when it is sent. If the answer confirms leases, they
// depend on this deadline; when it fires, all that still depends on it is over. Names of deadlines are used again, the smallest free
// number first, so that hosts keep few.

const PREFIX = "lapse#";

export const lapseTimerOf = (slot: number): string => `${PREFIX}${slot}`;

export function slotOf(timer: string): number | null {
  return timer.startsWith(PREFIX) ? Number(timer.slice(PREFIX.length)) : null;
}

/** Arms a deadline for a request that is being sent. */
export function openSlot({ slots, params }: LeaseState, ctx: LeaseContext): number {
  const free = slots.indexOf(0);
  const slot = free < 0 ? slots.length : free;
  slots[slot] = 1;
  ctx.deadline(lapseTimerOf(slot), worth(params));
  return slot;
}

export function shareSlot({ slots }: LeaseState, slot: number): void {
  slots[slot]++;
}

export function leaveSlot({ slots }: LeaseState, slot: number, ctx: LeaseContext): void {
  slots[slot]--;
  if (slots[slot] === 0) ctx.disarm(lapseTimerOf(slot));
}

// The session of a life: opened for the first attempt, forgotten with its last attempt or lease.

export const RENEW_TIMER = "renew";

/** The session for one more attempt. */
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

/** With no lease left to keep, renewals stop and the session runs out. */
export function forgetRenewals(state: LeaseState, ctx: LeaseContext): void {
  for (const { slot } of state.renewals.values()) leaveSlot(state, slot, ctx);
  state.renewals.clear();
  state.renewing = false;
  state.renewalWaits = false;
  ctx.disarm(RENEW_TIMER);
}

// The seats of a client: how a new request begins, and how a lease ends.

export const askTimer = (seat: string): string => `ask ${seat}`;
export const settleTimer = (seat: string): string => `settle ${seat}`;

export const newAsking = (preemptible: boolean): Asking => ({
  status: "asking",
  preemptible,
  attempt: null,
  tries: 0,
  holder: null,
  preempts: null,
});

export const isHolding = (seat: LeaseSeat | undefined): seat is Holding =>
  seat !== undefined && seat.status !== "asking" && seat.status !== "releasing";

/** The holding of a seat, if it is of this lease. */
export function holdingOf({ seats }: LeaseState, seat: string, lease: LeaseId): Holding | null {
  const holding = seats.get(seat);
  return isHolding(holding) && holding.lease === lease ? holding : null;
}

/** A lease is lost, for good: no answer revives it. Its work is unsettled until the parent reports its end. */
export function loseLease(state: LeaseState, seat: string, holding: Holding, why: LeaseLoss, ctx: LeaseContext): void {
  const { token, lease } = holding;
  if (state.params.settles) {
    state.unsettled.set(seat, { token, lease, session: state.session!, mayBeHeld: why === "lapsed" });
  }
  drop(state, seat, holding, ctx);
  state.news.push({ what: "lost", seat, token, why });
}

export function drop(state: LeaseState, seat: string, holding: Holding, ctx: LeaseContext): void {
  state.seats.delete(seat);
  ctx.disarm(settleTimer(seat));
  leaveSlot(state, holding.confirmation.slot, ctx);
  quitSession(state, ctx);
  // A renewal of the others may have waited for this lease's acknowledgement.
  if (state.renewalWaits) ctx.arm(RENEW_TIMER, 0);
}
