/** Messages (Tables 3 and 4), timers and parameters that contender and mediator of the timed second phase share. */
import type { Context, Port } from "../../protocol.ts";
import { type IdRank, idRankBits } from "./id-rank.ts";
import type { QuorumParams, TimedParams } from "./parameters.ts";

export type SecondPhaseMessage =
  /** Contender to mediator: recognise me as a potential winner. */
  | { readonly kind: "REQ"; readonly rank: IdRank }
  /** Contender to mediator: all my mediators have done so; recognise me as the final winner. */
  | { readonly kind: "POTW" }
  /** Contender to mediator: I drop out. */
  | { readonly kind: "DEC" }
  /** Mediator to contender, in answer to REQ. POTW is never acknowledged: silence is consent. */
  | { readonly kind: "ACK" }
  /** Mediator to contender, in answer to REQ or POTW, or when it is pre-empted. */
  | { readonly kind: "NAK" };

/** `answers`: the contender's timer; `hold`: the mediator's. */
export type SecondPhaseTimer = "answers" | "hold";
export type SecondPhaseContext = Context<SecondPhaseMessage, SecondPhaseTimer>;
export type SecondPhaseParams = QuorumParams & TimedParams;

const PLAIN = {
  POTW: { kind: "POTW" },
  DEC: { kind: "DEC" },
  ACK: { kind: "ACK" },
  NAK: { kind: "NAK" },
} as const satisfies Record<string, SecondPhaseMessage>;

export function sendPlain(port: Port, kind: keyof typeof PLAIN, ctx: SecondPhaseContext): void {
  ctx.send(port, PLAIN[kind]);
  ctx.measure("secondPhase", 1);
}

/**
 * k tau as a timer. Sums of rounded times can exceed the rounded sum by an ulp, and an answer that takes exactly its bound
 * would then come after its timer; whole times are exact, other ones get a hair's breadth more.
 */
export function waitFor(k: number, { tau, spread }: Pick<TimedParams, "tau" | "spread">): number {
  const exact = Number.isInteger(tau) && Number.isInteger(k * tau) && spread === 0;
  return exact ? k * tau : k * tau * (1 + 2 ** -30);
}

export const secondPhaseBits = (message: SecondPhaseMessage): number =>
  3 + (message.kind === "REQ" ? idRankBits(message.rank) : 0);
