/** How a client asks for a lease: with one id until the deadline, counted from the first try, has passed; then with another id. */

import type { LeaseAnswer, LeaseId } from "./messages.ts";
import { raiseFloor, releaseStray, sendRequest, timedOut } from "./releasing.ts";
import { renewInTime, renewNow } from "./renewing.ts";
import { askTimer, isHolding, joinSession, leaseId, leaveSlot, newAsking, openSlot, quitSession } from "./session.ts";
import type { Asking, LeaseAttempt, LeaseContext, LeaseState } from "./state.ts";

/** Waits are longer by up to this share, so that members that were denied together do not ask together. */
const SPREAD = 0.1;

/**
 * The most leases that are asked for at a time; other seats wait in line. Otherwise renewals could wait too long at a slow engine, and a
 * member that wins hundreds of offices at once would keep none.
 */
export const MOST_AT_ONCE = 4;

export function ask(state: LeaseState, seat: string, preemptible: boolean, ctx: LeaseContext): void {
  const asking = newAsking(preemptible);
  state.seats.set(seat, asking);
  askOn(state, seat, asking, ctx);
}

/** A wait is over, for an answer or before the next try: asks. */
export function askOn(state: LeaseState, seat: string, asking: Asking, ctx: LeaseContext): void {
  if (asking.attempt !== null) timedOut(state);
  else if (state.attempts >= MOST_AT_ONCE) {
    state.line.add(seat);
    ctx.disarm(askTimer(seat));
    return;
  }
  asking.attempt ??= begin(state, seat, ctx);
  const { lease, session } = asking.attempt;
  const floor = state.floors.get(seat) ?? 0;
  const { name, ttl } = state.params;
  const { preemptible } = asking;
  asking.attempt.id = sendRequest(state, { kind: "acquire", session, name, ttl, seat, lease, floor, preemptible }, ctx);
  asking.tries++;
  waitAgain(state, seat, backOff(state, asking.tries), ctx);
}

function begin(state: LeaseState, seat: string, ctx: LeaseContext): LeaseAttempt {
  state.attempts++;
  state.line.delete(seat);
  return {
    lease: leaseId(state.params.name, state.life, ++state.leases),
    session: joinSession(state),
    confirmation: { slot: openSlot(state, ctx), number: state.requests + 1 },
    id: 0,
  };
}

/** If there is room, the next in line asks. */
function admit({ attempts, line }: LeaseState, ctx: LeaseContext): void {
  const [next] = line;
  if (next === undefined || attempts >= MOST_AT_ONCE) return;
  line.delete(next);
  ctx.arm(askTimer(next), 0);
}

/** The wait doubles after each failed request, up to the length of a lease. */
const backOff = ({ params: { requestTimeout, ttl } }: LeaseState, tries: number): number =>
  Math.max(requestTimeout, Math.min(ttl, requestTimeout * 2 ** (tries - 1)));

function waitAgain({ params }: LeaseState, seat: string, wait: number, ctx: LeaseContext): void {
  ctx.arm(askTimer(seat), wait, wait + SPREAD * Math.min(wait, params.requestTimeout));
}

export function withdrawRequest(state: LeaseState, seat: string, asking: Asking, ctx: LeaseContext): void {
  giveUpAttempt(state, asking, ctx);
  state.seats.delete(seat);
  state.line.delete(seat);
  ctx.disarm(askTimer(seat));
  // The place may be free for the next in line.
  admit(state, ctx);
}

/** Gives an attempt up: if the lease under its id is granted later, it is released. */
export function giveUpAttempt(state: LeaseState, asking: Asking, ctx: LeaseContext): void {
  if (asking.attempt === null) return;
  leaveSlot(state, asking.attempt.confirmation.slot, ctx);
  asking.attempt = null;
  quitSession(state, ctx);
  state.attempts--;
  admit(state, ctx);
}

/**
 * The session may be over. While this client holds a lease, a renewal shows that. Otherwise the client asks for nothing more under the
 * session. If it went on asking for many seats, one request would always be under way and keep the dead session in use.
 */
export function leaveEnded(state: LeaseState, ctx: LeaseContext): void {
  if ([...state.seats.values()].some(isHolding)) return;
  for (const it of state.seats.values()) if (it.status === "asking") giveUpAttempt(state, it, ctx);
}

const awaits = (asking: Asking, lease: LeaseId): boolean => asking.attempt?.lease === lease;

export function granted(state: LeaseState, answer: Extract<LeaseAnswer, { kind: "granted" }>, ctx: LeaseContext): void {
  const { seat, lease, token, extended } = answer;
  raiseFloor(state, seat, token);
  const asking = state.seats.get(seat);
  if (asking?.status !== "asking" || !awaits(asking, lease)) {
    releaseStray(state, seat, lease, token, ctx);
    return;
  }
  // Slot and session pass from the attempt to the lease.
  const { confirmation } = asking.attempt!;
  const { preemptible, tries } = asking;
  const held = { preemptible, lease, token, confirmation, acknowledged: 0, frozen: false, heir: null };
  state.seats.set(seat, { status: "held", ...held });
  state.news.push({ what: "granted", seat, token });
  if (extended !== undefined) state.news.push({ what: "extended", extension: extended });
  ctx.disarm(askTimer(seat));
  state.attempts--;
  admit(state, ctx);
  // If the first try was lost, much of the lease's time has gone already.
  if (tries > 1) renewNow(state, ctx);
  else renewInTime(state, ctx);
}

export function denied(state: LeaseState, answer: Extract<LeaseAnswer, { kind: "denied" }>, ctx: LeaseContext): void {
  const { id, seat, why, holder, wait, token } = answer;
  const asking = state.seats.get(seat);
  if (asking?.status !== "asking" || asking.attempt?.id !== id) return;
  if (why !== "floor") raiseFloor(state, seat, token);
  giveUpAttempt(state, asking, ctx);
  asking.holder = holder;
  state.news.push({ what: "denied", seat, why, holder, wait });
  if (wait > 0) asking.tries = 0;
  // Asks again within 2 TTL, however long the holder's lease is: it may be released before.
  waitAgain(state, seat, wait > 0 ? Math.min(wait, 2 * state.params.ttl) : backOff(state, asking.tries), ctx);
  // The session may be over: a renewal tells, where other leases hang on it.
  if (why === "over") {
    renewNow(state, ctx);
    leaveEnded(state, ctx);
  }
  if (holder === null) return;
  if (holder.life === state.life && holder.name === state.params.name) {
    releaseStray(state, seat, holder.lease, holder.token, ctx);
  } else if (asking.preempts === holder.lease && !holder.frozen) freeze(state, seat, asking, ctx);
}

/** Asks to shorten the lease of the holder that the last denial named. */
export function freeze(state: LeaseState, seat: string, asking: Asking, ctx: LeaseContext): void {
  const { holder } = asking;
  if (holder === null) return;
  const { lease, token } = holder;
  asking.preempts = lease;
  sendRequest(state, { kind: "freeze", seat, lease, token }, ctx);
}

/** Asks again when the shortened lease has ended. */
export function frozen(state: LeaseState, answer: Extract<LeaseAnswer, { kind: "frozen" }>, ctx: LeaseContext): void {
  const { seat, lease, left } = answer;
  const asking = state.seats.get(seat);
  if (asking?.status !== "asking" || asking.preempts !== lease) return;
  asking.preempts = null;
  if (left === null) state.news.push({ what: "spared", seat, lease });
  else if (asking.attempt === null) waitAgain(state, seat, left, ctx);
}
