/**
 * One synchronous exchange of a contender with a set of mediators, and the second phase as such an exchange: every
 * mediator says yes to the largest rank it has heard. Used by tournament and by quorum with timing=sync.
 */
import type { Context, Id, Port } from "../../protocol.ts";
import { bitLength } from "../ring/common.ts";
import type { QuorumParams } from "./parameters.ts";
import { drawMediators, lose, mediates, type Process } from "./process.ts";
import { beats, drawRank, type Rank, rankBits } from "./ranks.ts";
import { believedSize, overProvisioned } from "./sigma.ts";

/** First phase: a request names its round. Second phase: it brings a rank. */
export interface Question {
  readonly kind: "ask";
  readonly round: number;
  readonly rank: Rank | null;
}

export interface Answer {
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

export interface SynchronousProcess extends Process {
  exchange: Exchange | null;
  /** What it was asked in this step, as a mediator. */
  asked: { readonly port: Port; readonly question: Question }[];
  /** Whether it has said yes in the second phase: it does so once. */
  granted: boolean;
}

export function synchronousProcess(id: Id, n: number, estimate: number): SynchronousProcess {
  const believed = believedSize(n, estimate);
  return { id, n: believed, standing: "passive", failed: null, exchange: null, asked: [], granted: false };
}

export const exchangeBits = (message: ExchangeMessage): number =>
  2 + bitLength(message.round) + (message.kind === "ask" && message.rank !== null ? rankBits(message.rank) : 0);

export function question(
  process: SynchronousProcess,
  step: number,
  round: number,
  mediators: readonly Port[],
  rank: Rank | null,
  ctx: ExchangeContext,
): void {
  process.exchange = { round, mediators, final: rank !== null, due: step + 2, yes: 0, no: 0 };
  const message: Question = { kind: "ask", round, rank };
  for (const port of mediators) ctx.send(port, message);
  ctx.measure(rank === null ? "firstPhase" : "secondPhase", mediators.length);
  ctx.series("contenders", round, 1);
  // Where every answer is lost, only this timer brings the contender to the end of its round.
  ctx.arm("answers", 2);
}

/** Enters the second phase, which is round `round` of the whole protocol. */
export function claim(
  process: SynchronousProcess,
  step: number,
  round: number,
  params: QuorumParams,
  ctx: ExchangeContext,
): void {
  ctx.measure("survivors", 1);
  const mediators = drawMediators(overProvisioned(params.s, params.gamma), ctx);
  question(process, step, round, mediators, drawRank(process.n, process.id, ctx), ctx);
}

export function hear(
  process: SynchronousProcess,
  port: Port,
  message: ExchangeMessage,
  gamma: number,
  ctx: ExchangeContext,
): void {
  if (message.kind === "ask") {
    if (mediates(process, gamma, ctx)) process.asked.push({ port, question: message });
  } else if (process.exchange?.round === message.round) process.exchange[message.kind]++;
}

/** Answers everything heard in this step. First phase: yes to the only one of a round, otherwise no to all. */
export function answerAll(process: SynchronousProcess, ctx: ExchangeContext): void {
  const { asked } = process;
  if (asked.length === 0) return;
  const largest = process.granted ? null : largestRank(process);
  if (largest !== null) process.granted = true;
  const perRound = new Map<number, number>();
  for (const { question } of asked) perRound.set(question.round, (perRound.get(question.round) ?? 0) + 1);
  for (const { port, question } of asked) {
    const { rank, round } = question;
    const yes = rank === null ? perRound.get(round) === 1 : rank === largest;
    ctx.send(port, { kind: yes ? "yes" : "no", round });
    ctx.measure(rank === null ? "firstPhase" : "secondPhase", 1);
  }
  process.asked = [];
}

function largestRank({ asked }: SynchronousProcess): Rank | null {
  let largest: Rank | null = null;
  for (const { question } of asked) {
    const { rank } = question;
    if (rank !== null && (largest === null || beats(rank, largest))) largest = rank;
  }
  return largest;
}

/** The exchange whose answers are complete, or overdue, at the end of this step. */
export function concluded(process: SynchronousProcess, step: number): Exchange | null {
  const { exchange } = process;
  if (exchange === null || step < exchange.due) return null;
  process.exchange = null;
  return exchange;
}

/** A contender leads with at least s positive answers and no refusal. */
export function decideFinal(process: SynchronousProcess, { yes, no }: Exchange, s: number, ctx: ExchangeContext): void {
  if (no > 0) lose(process, "refused", ctx);
  else if (yes < s) lose(process, "unanswered", ctx);
  else process.standing = "leads";
}
