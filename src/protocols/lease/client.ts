/**
 * A lease client: asks an engine for seats, keeps them, gives them back, and knows when they are lost.
 *
 * C. G. Gray, D. R. Cheriton, "Leases: an efficient fault-tolerant mechanism for distributed file cache consistency", SOSP
 * 1989; tokens as M. Kleppmann asks for in "How to do distributed locking", 2016.
 *
 * Model: one engine, a peer whose requests and answers may be late, lost, doubled and out of order; clocks of client and
 * engine that run apart by at most `rho`; processes that pause, crash and start again. Cost: one request a renewal
 * interval and holder, none of others.
 *
 * The client reads no clock. Each request that can confirm a lease arms a deadline when it is sent (session.ts), and a lease ends when the
 * deadline of its newest confirmation fires. Hosts guarantee that a due deadline fires before any message is delivered, also after a
 * pause. A parent embeds this machine and calls the functions of parent.ts.
 */
import type { Machine } from "../../protocol.ts";
import { encodedSize } from "../../wire/codec.ts";
import { askOn, denied, frozen, giveUpAttempt, granted, leaveEnded } from "./asking.ts";
import type { LeaseAnswer, LeaseMessage, Token } from "./messages.ts";
import type { LeaseParams } from "./params.ts";
import {
  engineAnswered,
  enginePort,
  notAnswered,
  RELEASE_TIMER,
  released,
  releaseHeld,
  releaseOn,
  timedOut,
} from "./releasing.ts";
import { ended, renewed, renewNow, renewOn } from "./renewing.ts";
import { isHolding, leaveSlot, loseLease, RENEW_TIMER, slotOf } from "./session.ts";
import { isLeaseAnswer } from "./shapes.ts";
import type { LeaseContext, LeaseState } from "./state.ts";

/** The highest token seen of each seat; must survive a crash. */
type Floors = Readonly<Record<string, Token>>;

export const leaseClient: Machine<LeaseParams, LeaseState, LeaseMessage, string, Floors> = {
  name: "lease",
  assumes: {
    topology: "open",
    identity: "anonymous",
    timing: "partial",
    start: "common",
    knows: [],
    fifo: false,
    multicast: false,
    tolerates: ["loss", "crash", "pause", "partition"],
  },

  init: (params, { life }, saved) => ({
    params,
    life,
    requests: 0,
    leases: 0,
    openings: 0,
    session: null,
    users: 0,
    attempts: 0,
    line: new Set(),
    seats: new Map(),
    unsettled: new Map(),
    slots: [],
    renewals: new Map(),
    releases: new Map(),
    renewing: false,
    renewalWaits: false,
    halted: false,
    floors: new Map(Object.entries(saved ?? {})),
    engine: "none",
    silence: null,
    news: [],
  }),

  receive(state, port, message, ctx) {
    state.news = [];
    if (port !== enginePort(state, ctx) || !("to" in message) || message.to !== state.life) return;
    if (message.kind === "failed") notAnswered(state, message.why);
    else {
      engineAnswered(state);
      hear(state, message, ctx);
    }
  },

  expire(state, timer, ctx) {
    state.news = [];
    const slot = slotOf(timer);
    if (slot !== null) lapse(state, slot, ctx);
    else if (timer === RENEW_TIMER) renewOn(state, ctx);
    else if (timer === RELEASE_TIMER) releaseOn(state, ctx);
    else ofSeat(state, timer, ctx);
  },

  /** Leases with work are not released, but run out: after this, nobody can say when the work has ended. */
  leave(state, ctx) {
    if (state.params.settles) return;
    for (const [seat, holding] of state.seats) if (isHolding(holding)) releaseHeld(state, seat, holding, ctx);
  },

  verdict: ({ seats }) => ({
    status: [...seats.values()].some(({ status }) => status === "held") ? "elected" : "undecided",
    leader: null,
    term: 0,
  }),
  saved: ({ floors }) => Object.fromEntries(floors),
  accepts: isLeaseAnswer,
  bits: (message) => 8 * encodedSize(message),
};

function hear(state: LeaseState, answer: LeaseAnswer, ctx: LeaseContext): void {
  switch (answer.kind) {
    case "granted":
      granted(state, answer, ctx);
      break;
    case "denied":
      denied(state, answer, ctx);
      break;
    case "renewed":
      renewed(state, answer, ctx);
      break;
    case "ended":
      if (ended(state, answer, ctx)) leaveEnded(state, ctx);
      break;
    case "released":
      released(state, answer, ctx);
      break;
    case "frozen":
      frozen(state, answer, ctx);
  }
}

/** A deadline has fired: ends the leases that no later answer has confirmed, and the requests without an answer. */
function lapse(state: LeaseState, slot: number, ctx: LeaseContext): void {
  for (const [seat, it] of state.seats) {
    if (it.status === "asking") {
      if (it.attempt?.confirmation.slot !== slot) continue;
      timedOut(state);
      giveUpAttempt(state, it, ctx);
    } else if (isHolding(it) && it.confirmation.slot === slot) loseLease(state, seat, it, "lapsed", ctx);
  }
  for (const [id, renewal] of state.renewals) {
    if (renewal.slot !== slot) continue;
    state.renewals.delete(id);
    leaveSlot(state, slot, ctx);
  }
}

/** "ask SEAT": it is time to ask, or to ask again. "settle SEAT": its work did not end in time. */
function ofSeat(state: LeaseState, timer: string, ctx: LeaseContext): void {
  const seat = timer.slice(timer.indexOf(" ") + 1);
  const it = state.seats.get(seat);
  if (it?.status === "asking") askOn(state, seat, it, ctx);
  else if (it?.status === "settling") {
    state.seats.set(seat, { ...it, status: "giving" });
    renewNow(state, ctx);
  }
}
