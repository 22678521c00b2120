/**
 * The contender of the timed second phase: Fig. 3 and Table 5 of Ramanathan et al. S0 is a contender that has not entered
 * the second phase, S3 one that has lost and S4 the final winner: these are standings of the process, so only S1 and S2
 * are states here.
 */
import type { Port } from "../../protocol.ts";
import { drawIdRank } from "../ranks.ts";
import { type ContestMember, drawMediators, loseContest } from "./member.ts";
import {
  READINGS,
  type SecondPhaseContext,
  type SecondPhaseMessage,
  type SecondPhaseParams,
  sendPlain,
  waitFor,
} from "./second-phase.ts";

interface Claim {
  state: "S1" | "S2";
  readonly mediators: readonly Port[];
  /** Who has answered positively; the paper counts down instead. */
  readonly acked: Port[];
}

export interface Claimant extends ContestMember {
  claim: Claim | null;
}

/** Row 1: S0 to S1. `round` is that of the whole protocol, for statistics. */
export function requestMediators(
  member: Claimant,
  round: number,
  params: SecondPhaseParams,
  ctx: SecondPhaseContext,
): void {
  ctx.series("contenders", round, 1);
  ctx.measure("survivors", 1);
  const mediators = drawMediators(params.ask, ctx);
  member.claim = { state: "S1", mediators, acked: [] };
  const message: SecondPhaseMessage = { kind: "REQ", rank: drawIdRank(member.n, member.id, ctx) };
  for (const port of mediators) ctx.send(port, message);
  ctx.measure("secondPhase", mediators.length);
  ctx.arm("answers", waitFor(READINGS[params.reading].patience, params));
}

export function countAnswer(
  member: Claimant,
  port: Port,
  kind: "ACK" | "NAK",
  params: SecondPhaseParams,
  ctx: SecondPhaseContext,
): void {
  const { claim } = member;
  if (claim === null || member.standing !== "contends") return;
  if (kind === "NAK") refused(member, claim, port, params, ctx);
  else if (claim.state === "S1") {
    claim.acked.push(port); // row 2
    if (claim.acked.length === claim.mediators.length) potentialWinner(claim, params, ctx);
  }
}

/** Row 3: S1 to S2. Only mediators that have agreed are told: one that never got the request would have to object. */
function potentialWinner(claim: Claim, params: SecondPhaseParams, ctx: SecondPhaseContext): void {
  claim.state = "S2";
  for (const port of claim.acked) sendPlain(port, "POTW", ctx);
  ctx.arm("answers", waitFor(2, params));
}

/** Row 4: S1 or S2 to S3. */
function refused(member: Claimant, claim: Claim, by: Port, params: SecondPhaseParams, ctx: SecondPhaseContext): void {
  const spared = READINGS[params.reading].declineSpares ? by : null;
  for (const port of claim.mediators) if (port !== spared) sendPlain(port, "DEC", ctx);
  ctx.disarm("answers");
  member.claim = null;
  loseContest(member, "refused", ctx);
}

/**
 * Row 5, S2 to S4: nobody has objected for 2 tau. In S1 (not in the tables) answers are missing, and every mediator that
 * is alive has spoken by now: s positive answers suffice, fewer end the claim.
 */
export function outOfPatience(member: Claimant, params: SecondPhaseParams, ctx: SecondPhaseContext): void {
  const { claim } = member;
  if (claim === null) return;
  if (claim.state === "S2") member.standing = "leads";
  else if (claim.acked.length >= params.s) potentialWinner(claim, params, ctx);
  else {
    for (const port of claim.mediators) sendPlain(port, "DEC", ctx);
    member.claim = null;
    loseContest(member, "unanswered", ctx);
  }
}
