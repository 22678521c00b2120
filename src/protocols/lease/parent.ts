/**
 * What a parent that embeds a lease client asks of it: pure functions on its state. What is handed out is the client's own:
 * read it in the same handler, and do not keep or change it.
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
 * `unsettled`: the lease is over, but work that began under it was not said to have ended. `none`: there is nothing of this
 * member's on that seat.
 */
type SeatStatus = LeaseSeat["status"] | "unsettled" | "none";

/**
 * Asks for a seat, and goes on asking until it is withdrawn; where this member is just releasing it, after that. False, and
 * nothing is asked, while its former work there is unsettled. `preemptible`: whether its lease can be cut short.
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

/** A reason to think that the seat is free now: asks at once, where it waits before it asks again. */
export function hasten(state: LeaseState, seat: string, ctx: LeaseContext): void {
  const it = state.seats.get(seat);
  if (it?.status === "asking" && it.attempt === null) askOn(state, seat, it, ctx);
}

/** Asks no more. A lease that was granted already stays: see `stopWork`. */
export function withdraw(state: LeaseState, seat: string, ctx: LeaseContext): void {
  const it = state.seats.get(seat);
  if (it?.status === "asking") withdrawAsking(state, seat, it, ctx);
  else if (it?.status === "releasing") it.again = false;
}

/**
 * The work under a lease is to end. Until it has (`settled`) the lease is renewed, at most for `settleWithin`; where none runs,
 * it is released at once. `reserveFor`: the member that nobody else is to come before.
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
 * The work that ran under this token has ended: only now is its lease released, where there still is one. False where no such
 * work was to end; that of a lease that is held has to be stopped first.
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
  // Otherwise its session is renewed by nobody, and it runs out.
  if (former.mayBeHeld && former.session === state.session) releaseStray(state, seat, former.lease, token, ctx);
  return true;
}

/** Cuts the lease of the holder at the last denial short, where the seat allows it. */
export function preempt(state: LeaseState, seat: string, ctx: LeaseContext): void {
  const it = state.seats.get(seat);
  if (it?.status === "asking") freeze(state, seat, it, ctx);
}

/** Another member says that its session was extended: the engine of this member counts from now, should the member ever ask. */
export const noteExtension = (state: LeaseState, { session, count, at }: Extension, ctx: LeaseContext): void =>
  ctx.send(enginePort(state, ctx), { kind: "heard", session, count, at });

/** Whether renewals stop: then all leases lapse in their time. */
export function halt(state: LeaseState, yes: boolean): void {
  state.halted = yes;
}

export function statusOf({ seats, unsettled }: LeaseState, seat: string): SeatStatus {
  return unsettled.has(seat) ? "unsettled" : (seats.get(seat)?.status ?? "none");
}

/** The token of a lease that is held, settling or given up; null where there is none. */
export function tokenOf({ seats }: LeaseState, seat: string): Token | null {
  const it = seats.get(seat);
  return isHolding(it) ? it.token : null;
}

export function leaseOf({ seats }: LeaseState, seat: string): LeaseId | null {
  const it = seats.get(seat);
  return isHolding(it) ? it.lease : null;
}

/** The token of work that is to end: it is settling, given up, or its lease was lost; null where there is none. */
export function unsettledToken({ seats, unsettled }: LeaseState, seat: string): Token | null {
  const it = seats.get(seat);
  return unsettled.get(seat)?.token ?? (isHolding(it) && it.status !== "held" ? it.token : null);
}

/** The name of the deadline that ends a lease, as the client knows it; null where there is no lease. */
export function lapseTimer({ seats }: LeaseState, seat: string): string | null {
  const it = seats.get(seat);
  return isHolding(it) ? lapseTimerOf(it.confirmation.slot) : null;
}

/** Which request confirmed a lease last: what `acknowledgeConfirmation` names; null where there is no lease. */
export function confirmationOf({ seats }: LeaseState, seat: string): number | null {
  const it = seats.get(seat);
  return isHolding(it) ? it.confirmation.number : null;
}

/** The highest token seen, by seat: to be saved, and handed to `init` after a restart. */
export const floors = (state: LeaseState): ReadonlyMap<string, Token> => state.floors;

/** `none`: nothing has been asked yet; `why` it is silent, in words. */
export const engineOf = ({
  engine,
  silence,
}: LeaseState): { readonly state: LeaseState["engine"]; readonly why: string | null } => ({
  state: engine,
  why: silence,
});

/** What the latest handler of the client changed, and calls of its functions since. */
export const leaseNews = (state: LeaseState): readonly LeaseNews[] => state.news;
