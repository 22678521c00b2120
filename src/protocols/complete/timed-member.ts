/** A process of the timed second phase: contender, mediator or both. Used by tournament-async and by quorum. */
import type { Id, Port, Verdict } from "../../protocol.ts";
import { believedSize } from "../../theory/ramanathan/sigma.ts";
import { type Claimant, countAnswer, outOfPatience } from "./contender.ts";
import { idleMediator, type Mediator, onDecline, onHoldEnd, onPotentialWinner, onRequest } from "./mediator.ts";
import { mediates, memberVerdict } from "./member.ts";
import type { SecondPhaseContext, SecondPhaseMessage, SecondPhaseParams, SecondPhaseTimer } from "./second-phase.ts";

export interface TimedMember extends Claimant {
  mediator: Mediator | null;
}

export function timedMember(id: Id, n: number, estimate: number): TimedMember {
  return { id, n: believedSize(n, estimate), standing: "passive", failed: null, claim: null, mediator: null };
}

export function hearSecondPhase(
  member: TimedMember,
  port: Port,
  message: SecondPhaseMessage,
  params: SecondPhaseParams,
  ctx: SecondPhaseContext,
): void {
  if (message.kind === "ACK" || message.kind === "NAK") {
    countAnswer(member, port, message.kind, params, ctx);
    return;
  }
  if (!mediates(member, params.gamma, ctx)) return;
  member.mediator ??= idleMediator();
  if (message.kind === "REQ") onRequest(member.mediator, { port, rank: message.rank }, params, ctx);
  else if (message.kind === "POTW") onPotentialWinner(member.mediator, port, params, ctx);
  else onDecline(member.mediator, port, params, ctx);
}

export function secondPhaseTimer(
  member: TimedMember,
  timer: SecondPhaseTimer,
  params: SecondPhaseParams,
  ctx: SecondPhaseContext,
): void {
  if (timer === "answers") outOfPatience(member, params, ctx);
  else if (member.mediator !== null) onHoldEnd(member.mediator, params, ctx);
}

/** A mediator that has seen close-safe through knows the winner. */
export function timedVerdict(member: TimedMember): Verdict {
  const { mediator } = member;
  return memberVerdict(member, mediator?.state === "final" ? mediator.curr!.rank.id : null);
}
