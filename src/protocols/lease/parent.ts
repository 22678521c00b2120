/**
 * The functions of a lease client for a parent that embeds it. What they return belongs to the client: read it in the same handler, and do
 * not keep or change it.
 */
import { ask, askOn, freeze, withdrawRequest as withdrawAsking } from "./asking.ts";
import type { Extension, LeaseId, Token } from "./messages.ts";
import { enginePort, releaseHeld, releaseStray } from "./releasing.ts";
import { isHolding, lapseTimerOf, settleTimer } from "./session.ts";
import type { LeaseContext, LeaseNews, LeaseSeat, LeaseState } from "./state.ts";

export { raiseFloor } from "./releasing.ts";
export { acknowledgeConfirmation } from "./renewing.ts";
export { isSessionOf } from "./session.ts";

/**
 * `unsettled`: the lease is over, but its work has not been reported as ended. `none`: this member has neither a lease nor a request on
 * the seat.
 */
type SeatStatus = LeaseSeat["status"] | "unsettled" | "none";

/**
 * Asks for a seat until the request is withdrawn; if this member is just releasing the seat, after that. Returns false, and does not ask,
 * while this member's former work there is unsettled. `preemptible`: whether the lease can be pre-empted.
 */
export function acquire(
  state: LeaseState,
  seat: string,
  ctx: LeaseContext,
  preemptible: boolean = state.params.preemptible,
): boolean {
  switch (statusOf(state, seat)) {
    case "none":
      ask(state, seat, preemptible, ctx);
      return true;
    case "releasing":
      state.seats.set(seat, { ...state.seats.get(seat)!, again: true } as LeaseSeat);
      return true;
    case "asking":
    case "held":
      return true;
    default:
      return false;
  }
}

/** The seat may be free now: ends the wait before the next request. */
export function hasten(state: LeaseState, seat: string, ctx: LeaseContext): void {
  const it = state.seats.get(seat);
  if (it?.status === "asking" && it.attempt === null) askOn(state, seat, it, ctx);
}

/** Stops asking. A lease that was granted already stays: see `stopWork`. */
export function withdraw(state: LeaseState, seat: string, ctx: LeaseContext): void {
  const it = state.seats.get(seat);
  if (it?.status === "asking") withdrawAsking(state, seat, it, ctx);
  else if (it?.status === "releasing") it.again = false;
}

/**
 * The work under a lease has to end. Until it has (`settled`), the lease is renewed, at most for `settleWithin`. Without work it is
 * released at once. `reserveFor`: the member for which the seat is reserved.
 */
export function stopWork(state: LeaseState, seat: string, reserveFor: string | null, ctx: LeaseContext): void {
  const it = state.seats.get(seat);
  if (it?.status !== "held") return;
  const stopping = { ...it, status: "settling", heir: reserveFor } as const;
  state.seats.set(seat, stopping);
  if (!state.params.settles) releaseHeld(state, seat, stopping, ctx);
  else ctx.arm(settleTimer(seat), state.params.settleWithin);
}

/**
 * The work under this token has ended, so its lease is released, if there still is one. Returns false if no such work had to end: work
 * under a held lease has to be stopped first.
 */
export function settled(state: LeaseState, seat: string, token: Token, ctx: LeaseContext): boolean {
  const it = state.seats.get(seat);
  if (isHolding(it) && it.status !== "held" && it.token === token) {
    releaseHeld(state, seat, it, ctx);
    return true;
  }
  const former = state.unsettled.get(seat);
  if (former?.token !== token) return false;
  state.unsettled.delete(seat);
  // A lease of another session is not renewed, and runs out.
  if (former.mayBeHeld && former.session === state.session) releaseStray(state, seat, former.lease, token, ctx);
  return true;
}

/** Shortens the lease of the holder that the last denial named, if that lease allows it. */
export function preempt(state: LeaseState, seat: string, ctx: LeaseContext): void {
  const it = state.seats.get(seat);
  if (it?.status === "asking") freeze(state, seat, it, ctx);
}

/** Another member has told an extension of its session. This member's engine counts from now, in case the member asks later. */
export const noteExtension = (state: LeaseState, { session, count, at }: Extension, ctx: LeaseContext): void =>
  ctx.send(enginePort(state, ctx), { kind: "heard", session, count, at });

/** Stops renewals, so that all leases run out, or starts them again. */
export function halt(state: LeaseState, yes: boolean): void {
  state.halted = yes;
}

export function statusOf({ seats, unsettled }: LeaseState, seat: string): SeatStatus {
  return unsettled.has(seat) ? "unsettled" : (seats.get(seat)?.status ?? "none");
}

/** The token of a lease that is held, settling or given up; null if there is none. */
export function tokenOf({ seats }: LeaseState, seat: string): Token | null {
  const it = seats.get(seat);
  return isHolding(it) ? it.token : null;
}

export function leaseOf({ seats }: LeaseState, seat: string): LeaseId | null {
  const it = seats.get(seat);
  return isHolding(it) ? it.lease : null;
}

/** The token of work that has to end, because its lease is settling, given up or lost; null if there is none. */
export function unsettledToken({ seats, unsettled }: LeaseState, seat: string): Token | null {
  const it = seats.get(seat);
  return unsettled.get(seat)?.token ?? (isHolding(it) && it.status !== "held" ? it.token : null);
}

/** The name of the deadline that ends a lease; null if there is no lease. */
export function lapseTimer({ seats }: LeaseState, seat: string): string | null {
  const it = seats.get(seat);
  return isHolding(it) ? lapseTimerOf(it.confirmation.slot) : null;
}

/** The latest request that has confirmed a lease, for `acknowledgeConfirmation`; null if there is no lease. */
export function confirmationOf({ seats }: LeaseState, seat: string): number | null {
  const it = seats.get(seat);
  return isHolding(it) ? it.confirmation.number : null;
}

/** The highest token seen, by seat. The parent saves it and passes it to `init` after a restart. */
export const floors = (state: LeaseState): ReadonlyMap<string, Token> => state.floors;

/** `none`: no request yet; `why`: why the engine is silent, in words. */
export const engineOf = ({
  engine,
  silence,
}: LeaseState): { readonly state: LeaseState["engine"]; readonly why: string | null } => ({
  state: engine,
  why: silence,
});

/** The changes of the client's latest handler, and of calls of its functions since. */
export const leaseNews = (state: LeaseState): readonly LeaseNews[] => state.news;
