/** The seats of a client: how one is asked for anew, and how its lease ends. */
import type { LeaseId } from "./messages.ts";
import { quitSession, RENEW_TIMER } from "./session.ts";
import { leaveSlot } from "./slots.ts";
import type { Asking, Holding, LeaseContext, LeaseLoss, LeaseSeat, LeaseState } from "./state.ts";

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

/** The seat's lease, where it is this one. */
export function holdingOf({ seats }: LeaseState, seat: string, lease: LeaseId): Holding | null {
  const holding = seats.get(seat);
  return isHolding(holding) && holding.lease === lease ? holding : null;
}

/** Final: no answer revives it. Work that runs under it is unsettled until it is said to have ended. */
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
  // It may have been this one that the renewal of the others waited for.
  if (state.renewalWaits) ctx.arm(RENEW_TIMER, 0);
}
