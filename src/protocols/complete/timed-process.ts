/** A process of the timed second phase: contender, mediator or both. Used by tournament-async and by quorum. */
import type { Id, Port, Verdict } from "../../protocol.ts";
import { answered, type Claimant, outOfPatience } from "./contender.ts";
import { idleMediator, type Mediator, onDecline, onHoldEnd, onPotentialWinner, onRequest } from "./mediator.ts";
import { mediates, verdictOf } from "./process.ts";
import type { SecondPhaseContext, SecondPhaseMessage, SecondPhaseParams, SecondPhaseTimer } from "./second-phase.ts";
import { believedSize } from "./sigma.ts";

export interface TimedProcess extends Claimant {
  mediator: Mediator | null;
}

export function timedProcess(id: Id, n: number, estimate: number): TimedProcess {
  return { id, n: believedSize(n, estimate), standing: "passive", failed: null, claim: null, mediator: null };
}

export function hearSecondPhase(
  process: TimedProcess,
  port: Port,
  message: SecondPhaseMessage,
  params: SecondPhaseParams,
  ctx: SecondPhaseContext,
): void {
  if (message.kind === "ACK" || message.kind === "NAK") {
    answered(process, port, message.kind, params, ctx);
    return;
  }
  if (!mediates(process, params.gamma, ctx)) return;
  process.mediator ??= idleMediator();
  if (message.kind === "REQ") onRequest(process.mediator, { port, rank: message.rank }, params, ctx);
  else if (message.kind === "POTW") onPotentialWinner(process.mediator, port, params, ctx);
  else onDecline(process.mediator, port, params, ctx);
}

export function secondPhaseTimer(
  process: TimedProcess,
  timer: SecondPhaseTimer,
  params: SecondPhaseParams,
  ctx: SecondPhaseContext,
): void {
  if (timer === "answers") outOfPatience(process, params, ctx);
  else if (process.mediator !== null) onHoldEnd(process.mediator, params, ctx);
}

/** A mediator that has seen close-safe through knows the winner. */
export function timedVerdict(process: TimedProcess): Verdict {
  const { mediator } = process;
  return verdictOf(process, mediator?.state === "final" ? mediator.curr!.rank.id : null);
}
