/**
 * The mediator of the timed second phase: Figs. 4 and 5, Tables 6 and 7 of Ramanathan et al. idle is S0, safe S1,
 * post-safe S2, close-safe S3, final S4. Where the printed tables fail, `READINGS` in second-phase.ts says how.
 */
import type { Port } from "../../protocol.ts";
import { beats, type IdRank } from "../ranks.ts";
import { READINGS, type SecondPhaseContext, type SecondPhaseParams, sendPlain, waitFor } from "./second-phase.ts";

export interface Asker {
  readonly port: Port;
  readonly rank: IdRank;
}

export interface Mediator {
  state: "idle" | "safe" | "post-safe" | "close-safe" | "final";
  /** rho_curr and pi_curr: who holds the positive answer. */
  curr: Asker | null;
  /** rho_wait and pi_wait: the largest rank that has to wait. */
  wait: Asker | null;
}

export const idleMediator = (): Mediator => ({ state: "idle", curr: null, wait: null });

type Params = SecondPhaseParams;
type Ctx = SecondPhaseContext;

export function onRequest(mediator: Mediator, asker: Asker, params: Params, ctx: Ctx): void {
  switch (mediator.state) {
    case "idle": // row 1
      grant(mediator, asker, params, ctx);
      break;
    case "safe": // row 2
    case "close-safe": // row 8
      act(mediator, asker, ctx);
      break;
    case "post-safe":
      if (beats(mediator.curr!.rank, asker.rank))
        sendPlain(asker.port, "NAK", ctx); // row 4
      else {
        sendPlain(mediator.curr!.port, "NAK", ctx); // row 5
        grant(mediator, asker, params, ctx);
      }
      break;
    case "final":
      if (READINGS[params.reading].lateRefused) sendPlain(asker.port, "NAK", ctx);
  }
}

/** Table 7, init with set = 1, and the ACK that goes with it: to safe. */
function grant(mediator: Mediator, asker: Asker, params: Params, ctx: Ctx): void {
  mediator.state = "safe";
  mediator.curr = asker;
  mediator.wait = null;
  sendPlain(asker.port, "ACK", ctx);
  ctx.arm("hold", waitFor(3, params));
}

/** Table 7, act: a smaller rank is refused, the largest of the others waits. */
function act(mediator: Mediator, asker: Asker, ctx: Ctx): void {
  const { curr, wait } = mediator;
  if (beats(curr!.rank, asker.rank) || (wait !== null && beats(wait.rank, asker.rank)))
    sendPlain(asker.port, "NAK", ctx);
  else {
    if (wait !== null) sendPlain(wait.port, "NAK", ctx);
    mediator.wait = asker;
  }
}

export function onPotentialWinner(mediator: Mediator, port: Port, params: Params, ctx: Ctx): void {
  const { state, curr, wait } = mediator;
  const { waiterStays, strangersRefused } = READINGS[params.reading];
  if (curr?.port !== port) {
    if (state === "safe" || strangersRefused) sendPlain(port, "NAK", ctx); // row 2
  } else if (state === "safe" || state === "post-safe") {
    mediator.state = "close-safe"; // rows 6 and 7
    if (wait !== null && !waiterStays) {
      sendPlain(wait.port, "NAK", ctx);
      mediator.wait = null;
    }
    ctx.arm("hold", waitFor(3, params));
  }
}

export function onDecline(mediator: Mediator, port: Port, params: Params, ctx: Ctx): void {
  const { state, curr, wait } = mediator;
  if (state === "idle" || state === "final") return;
  const { declineFrom } = READINGS[params.reading];
  if (declineFrom === "holder or waiter" && wait?.port === port) mediator.wait = null;
  // Row 12 has the condition in print.
  else if (curr!.port === port || (declineFrom === "anybody" && state !== "post-safe")) {
    if (wait === null)
      release(mediator, ctx); // rows 11 and 12
    else grant(mediator, wait, params, ctx); // rows 2 and 10
  }
}

function release(mediator: Mediator, ctx: Ctx): void {
  mediator.state = "idle";
  mediator.curr = null;
  ctx.disarm("hold");
}

export function onHoldEnd(mediator: Mediator, params: Params, ctx: Ctx): void {
  const { state, curr, wait } = mediator;
  if (state === "safe") {
    if (wait === null) enterPostSafe(mediator, params, ctx);
    else {
      sendPlain(curr!.port, "NAK", ctx); // row 2
      grant(mediator, wait, params, ctx);
    }
  } else if (state === "post-safe") release(mediator, ctx);
  else {
    mediator.state = "final"; // row 9
    if (wait !== null) sendPlain(wait.port, "NAK", ctx);
    mediator.wait = null;
  }
}

/** Row 3. A holder that has failed is forgotten in the end, so that it does not block contenders that come later. */
function enterPostSafe(mediator: Mediator, params: Params, ctx: Ctx): void {
  mediator.state = "post-safe";
  const { silence, expiresAlways } = READINGS[params.reading];
  if (expiresAlways || params.gamma > 0 || params.ask > params.s) ctx.arm("hold", waitFor(silence - 3, params));
}
