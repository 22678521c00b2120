/** Renewals of the session: one at a time, as long as there is a lease to keep. */
import type { LeaseAnswer, LeaseId, NamedLease } from "./messages.ts";
import { releaseStray, sendRequest, timedOut } from "./releasing.ts";
import {
  forgetRenewals,
  holdingOf,
  isHolding,
  leaveSlot,
  loseLease,
  openSlot,
  RENEW_TIMER,
  shareSlot,
} from "./session.ts";
import type { Confirmation, LeaseContext, LeaseState, Renewal } from "./state.ts";

/** Waits are longer by up to this share. */
export const SPREAD = 0.05;

/** Arms the next renewal. */
export function renewInTime(state: LeaseState, ctx: LeaseContext): void {
  if (!state.renewing) schedule(state, state.params.renewEvery, ctx);
}

function schedule(state: LeaseState, wait: number, ctx: LeaseContext): void {
  state.renewing = true;
  state.renewalWaits = false;
  ctx.arm(RENEW_TIMER, wait, wait * (1 + SPREAD));
}

/** Sends a renewal that is due, or repeats an unanswered one. */
export function renewOn(state: LeaseState, ctx: LeaseContext): void {
  if (state.renewals.size > 0) timedOut(state);
  renewNow(state, ctx);
}

export function renewNow(state: LeaseState, ctx: LeaseContext): void {
  const { params, session } = state;
  const { keeps, gives } = named(state);
  if (session === null || keeps.length === 0) {
    forgetRenewals(state, ctx);
  } else if (state.halted) {
    schedule(state, params.renewEvery, ctx);
  } else if (!isOpen(state)) {
    state.renewalWaits = true;
  } else {
    const slot = openSlot(state, ctx);
    const id = sendRequest(state, { kind: "renew", session, ttl: params.ttl, keeps, gives }, ctx);
    state.renewals.set(id, { slot, keeps, gives });
    schedule(state, params.requestTimeout, ctx);
  }
}

/** Whether the process that holds the work knows the deadline of each lease, or does not have to. */
function isOpen({ params, seats }: LeaseState): boolean {
  if (params.gated !== true) return true;
  return [...seats.values()].every(
    (it) => !isHolding(it) || it.status === "giving" || it.acknowledged === it.confirmation.number,
  );
}

/** The process that holds the work knows that this request has confirmed the lease. */
export function acknowledgeConfirmation(state: LeaseState, seat: string, number: number, ctx: LeaseContext): void {
  const it = state.seats.get(seat);
  if (!isHolding(it) || number <= it.acknowledged || number > it.confirmation.number) return;
  state.seats.set(seat, { ...it, acknowledged: number });
  if (state.renewalWaits) renewNow(state, ctx);
}

function named(state: LeaseState): { readonly keeps: readonly NamedLease[]; readonly gives: readonly NamedLease[] } {
  const keeps: NamedLease[] = [];
  const gives: NamedLease[] = [];
  for (const [seat, holding] of state.seats) {
    if (isHolding(holding)) (holding.status === "giving" ? gives : keeps).push({ seat, lease: holding.lease });
  }
  // The session keeps these leases alive while it is renewed for others, so their end has to be fixed.
  for (const [seat, { lease, session, mayBeHeld }] of state.unsettled) {
    if (mayBeHeld && session === state.session) gives.push({ seat, lease });
  }
  return { keeps, gives };
}

/** The renewal that is answered; null if its deadline has passed, or a later one was answered. */
function take(state: LeaseState, id: number, ctx: LeaseContext): Renewal | null {
  const renewal = state.renewals.get(id);
  if (renewal === undefined) return null;
  state.renewals.delete(id);
  for (const [earlier, { slot }] of state.renewals) {
    if (earlier > id) continue;
    state.renewals.delete(earlier);
    leaveSlot(state, slot, ctx);
  }
  return renewal;
}

export function renewed(state: LeaseState, answer: Extract<LeaseAnswer, { kind: "renewed" }>, ctx: LeaseContext): void {
  const renewal = take(state, answer.id, ctx);
  if (renewal === null) return;
  const confirmation = { slot: renewal.slot, number: answer.id };
  const kept = new Set(renewal.keeps.map(({ lease }) => lease));
  for (const { seat, lease, token, frozen } of answer.leases) {
    if (kept.has(lease)) confirm(state, seat, lease, frozen, confirmation, ctx);
    else releaseStray(state, seat, lease, token, ctx);
  }
  leaveSlot(state, renewal.slot, ctx);
  if (answer.extended !== undefined) state.news.push({ what: "extended", extension: answer.extended });
  schedule(state, state.params.renewEvery, ctx);
  dropLost(state, answer.lost, "taken", ctx);
}

/** Confirms a lease, if it is still held here: a lost lease stays lost. */
function confirm(
  state: LeaseState,
  seat: string,
  lease: LeaseId,
  frozen: boolean,
  by: Confirmation,
  ctx: LeaseContext,
): void {
  const holding = holdingOf(state, seat, lease);
  if (holding === null || holding.frozen || holding.status === "giving") return;
  if (frozen) {
    state.seats.set(seat, { ...holding, frozen });
    state.news.push({ what: "frozen", seat, token: holding.token });
  } else if (by.number > holding.confirmation.number) {
    shareSlot(state, by.slot);
    state.seats.set(seat, { ...holding, confirmation: by });
    leaveSlot(state, holding.confirmation.slot, ctx);
  }
}

/** The engine says that the session is over. Returns whether the answer counts. */
export function ended(state: LeaseState, answer: Extract<LeaseAnswer, { kind: "ended" }>, ctx: LeaseContext): boolean {
  const renewal = take(state, answer.id, ctx);
  if (renewal === null) return false;
  leaveSlot(state, renewal.slot, ctx);
  dropLost(state, answer.lost, "ended", ctx);
  // The next renewal asks about leases that were granted after this one was sent.
  renewNow(state, ctx);
  return true;
}

/** Drops the lost leases of an answer: only those that its request named. */
function dropLost(state: LeaseState, lost: readonly NamedLease[], why: "taken" | "ended", ctx: LeaseContext): void {
  for (const { seat, lease } of lost) {
    const holding = holdingOf(state, seat, lease);
    if (holding !== null) loseLease(state, seat, holding, why, ctx);
    const unsettled = state.unsettled.get(seat);
    if (unsettled?.lease === lease) state.unsettled.set(seat, { ...unsettled, mayBeHeld: false });
  }
}
