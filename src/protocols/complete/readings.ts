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
  /** Rows 2, 10, 11 and 12, DEC: whether only holder and waiter are heard. As printed anybody frees anybody's lock. */
  readonly declineChecked: boolean;
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

export const READINGS: Readonly<Record<"repaired" | "printed", Reading>> = {
  printed: {
    waiterStays: false,
    declineChecked: false,
    strangersRefused: false,
    lateRefused: false,
    declineSpares: false,
    // REQ takes tau, safe at most 3 tau, the answer tau (Theorem 8).
    patience: 5,
    silence: 6,
    expiresAlways: true,
  },
  repaired: {
    waiterStays: true,
    declineChecked: true,
    strangersRefused: true,
    lateRefused: true,
    declineSpares: true,
    // A waiter now also sits through close-safe, 3 tau more.
    patience: 8,
    silence: 9,
    expiresAlways: false,
  },
};
