/**
 * What contender and mediator of the timed second phase share: messages (Tables 3 and 4), timers, parameters, and how the printed
 * tables are read.
 */
import type { Context, Port } from "../../protocol.ts";
import { type IdRank, idRankBits } from "../ranks.ts";
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

/**
 * Where the tables of the second phase as printed differ from the ones that work, as data. Row numbers are those of
 * Table 6 (mediator) and Table 5 (contender).
 */
export interface Reading {
  /**
   * Rows 6 and 7, POTW from the holder: whether a waiting, higher contender stays through close-safe. As printed it is
   * refused, although the holder may already have been pre-empted elsewhere: then both lose, and nobody is elected.
   */
  readonly waiterStays: boolean;
  /**
   * Rows 2, 10 and 11, DEC: who is heard. By the tables alone anybody frees anybody's lock; the prose of section 4.2 speaks of
   * the holder's decline only, and then a waiter that has given up elsewhere may still be promoted.
   */
  readonly declineFrom: "anybody" | "holder" | "holder or waiter";
  /** POTW from somebody else than the holder is refused in every state; as printed only in safe (row 2). */
  readonly strangersRefused: boolean;
  /** After the final winner every other REQ is refused; as printed there are no rows any more. */
  readonly lateRefused: boolean;
  /** Contender row 4: a refused contender declines at the other mediators; as printed also at the one that refused. */
  readonly declineSpares: boolean;
  /** How long a contender waits for answers to REQ, in tau. */
  readonly patience: number;
  /** When a holder that stays silent loses its lock, in tau after its ACK: the last moment at which its POTW can come. */
  readonly silence: number;
  /** Whether that happens without a failure model too. */
  readonly expiresAlways: boolean;
}

const TABLES: Reading = {
  waiterStays: false,
  declineFrom: "anybody",
  strangersRefused: false,
  lateRefused: false,
  declineSpares: false,
  // REQ takes tau, safe at most 3 tau, the answer tau (Theorem 8).
  patience: 5,
  silence: 6,
  expiresAlways: true,
};

export const READINGS: Readonly<Record<"repaired" | "printed" | "tables", Reading>> = {
  tables: TABLES,
  /** The tables with the prose beside them. */
  printed: { ...TABLES, declineFrom: "holder" },
  repaired: {
    waiterStays: true,
    declineFrom: "holder or waiter",
    strangersRefused: true,
    lateRefused: true,
    declineSpares: true,
    // A waiter now also sits through close-safe, 3 tau more.
    patience: 8,
    silence: 9,
    expiresAlways: false,
  },
};
