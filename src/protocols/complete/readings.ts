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
