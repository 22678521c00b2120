/**
 * One synchronous exchange of a contender with a set of mediators, and the second phase as such an exchange: every
 * mediator says yes to the largest rank it has heard. Used by tournament and by quorum with timing=sync.
 */
import type { Context, Id, Port } from "../../protocol.ts";
import { believedSize } from "../../theory/ramanathan/sigma.ts";
import { bitLength } from "../bits.ts";
import { beats, drawIdRank, type IdRank, idRankBits } from "../ranks.ts";
import { type ContestMember, drawMediators, loseContest, mediates } from "./member.ts";
import type { QuorumParams } from "./parameters.ts";

/** First phase: a request names its round. Second phase: it brings a rank. */
interface Question {
  readonly kind: "ask";
  readonly round: number;
  readonly rank: IdRank | null;
}

interface Answer {
  readonly kind: "yes" | "no";
  readonly round: number;
}

export type ExchangeMessage = Question | Answer;
export type ExchangeContext = Context<ExchangeMessage, "answers">;

export interface Exchange {
  readonly round: number;
  readonly mediators: readonly Port[];
  /** Whether this is the second phase. */
  readonly final: boolean;
  /** The step after which missing answers no longer count: request and answer take one step each. */
  readonly due: number;
  yes: number;
  no: number;
}

export interface SynchronousMember extends ContestMember {
  exchange: Exchange | null;
  /** What it was asked in this step, as a mediator. */
  asked: { readonly port: Port; readonly question: Question }[];
  /** Whether it has said yes in the second phase: it does so once. */
  granted: boolean;
}

export function synchronousMember(id: Id, n: number, estimate: number): SynchronousMember {
  const believed = believedSize(n, estimate);
  return { id, n: believed, standing: "passive", failed: null, exchange: null, asked: [], granted: false };
}

export const exchangeBits = (message: ExchangeMessage): number =>
  2 + bitLength(message.round) + (message.kind === "ask" && message.rank !== null ? idRankBits(message.rank) : 0);

export function question(
  member: SynchronousMember,
  step: number,
  round: number,
  mediators: readonly Port[],
  rank: IdRank | null,
  ctx: ExchangeContext,
): void {
  member.exchange = { round, mediators, final: rank !== null, due: step + 2, yes: 0, no: 0 };
  const message: Question = { kind: "ask", round, rank };
  for (const port of mediators) ctx.send(port, message);
  ctx.measure(rank === null ? "firstPhase" : "secondPhase", mediators.length);
  ctx.series("contenders", round, 1);
  // Where every answer is lost, only this timer brings the contender to the end of its round.
  ctx.arm("answers", 2);
}

/** Enters the second phase, which is round `round` of the whole protocol. */
export function claim(
  member: SynchronousMember,
  step: number,
  round: number,
  params: QuorumParams,
  ctx: ExchangeContext,
): void {
  ctx.measure("survivors", 1);
  const mediators = drawMediators(params.ask, ctx);
  question(member, step, round, mediators, drawIdRank(member.n, member.id, ctx), ctx);
}

export function hearExchange(
  member: SynchronousMember,
  port: Port,
  message: ExchangeMessage,
  gamma: number,
  ctx: ExchangeContext,
): void {
  if (message.kind === "ask") {
    if (mediates(member, gamma, ctx)) member.asked.push({ port, question: message });
  } else if (member.exchange?.round === message.round) member.exchange[message.kind]++;
}

/** A mediator that stays with the contender to which it has said yes, without being asked again. */
export interface StickyMediator {
  held: Port | null;
}

/**
 * Answers everything heard in this step. First phase: yes to the only one of a round, otherwise no to all. A keeper's
 * contender counts as one that has asked; it may have lost elsewhere, which nobody tells.
 */
export function answerAll(member: SynchronousMember, ctx: ExchangeContext, keeper: StickyMediator | null = null): void {
  const { asked } = member;
  if (asked.length === 0) return;
  const holder = keeper?.held ?? null;
  const first = asked.find(({ question }) => question.rank === null);
  if (keeper !== null && first !== undefined) {
    if (holder !== null) {
      ctx.send(holder, { kind: "no", round: first.question.round });
      ctx.measure("firstPhase", 1);
    }
    keeper.held = holder === null && asked.length === 1 ? first.port : null;
  }
  const largest = member.granted ? null : largestRank(member);
  if (largest !== null) member.granted = true;
  const perRound = new Map<number, number>();
  for (const { question } of asked) perRound.set(question.round, (perRound.get(question.round) ?? 0) + 1);
  for (const { port, question } of asked) {
    const { rank, round } = question;
    const yes = rank === null ? perRound.get(round) === 1 && holder === null : rank === largest;
    ctx.send(port, { kind: yes ? "yes" : "no", round });
    ctx.measure(rank === null ? "firstPhase" : "secondPhase", 1);
  }
  member.asked = [];
}

function largestRank({ asked }: SynchronousMember): IdRank | null {
  let largest: IdRank | null = null;
  for (const { question } of asked) {
    const { rank } = question;
    if (rank !== null && (largest === null || beats(rank, largest))) largest = rank;
  }
  return largest;
}

/** The exchange whose answers are complete, or overdue, at the end of this step. */
export function concluded(member: SynchronousMember, step: number): Exchange | null {
  const { exchange } = member;
  if (exchange === null || step < exchange.due) return null;
  member.exchange = null;
  return exchange;
}

/** A contender leads with at least s positive answers and no refusal. */
export function decideFinal(member: SynchronousMember, { yes, no }: Exchange, s: number, ctx: ExchangeContext): void {
  if (no > 0) loseContest(member, "refused", ctx);
  else if (yes < s) loseContest(member, "unanswered", ctx);
  else member.standing = "leads";
}
