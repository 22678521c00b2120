/** How K grows from round to round, and how long the phases of a round last (Gupta et al., sections 3.2 and 5). */

/** Known to all members and fixed before the election. */
export interface Strategy {
  /** K in the first round: the expected number of relays. */
  readonly initial: number;
  /** What K is multiplied by from one round to the next. */
  readonly factor: number;
  /** The last round, in which K = N: everybody relays. */
  readonly maximum: number;
}

/** K of a round among n members; never above n, which already admits everybody. */
export function relaysExpected({ initial, factor, maximum }: Strategy, round: number, n: number): number {
  if (round >= maximum) return n;
  let k = initial;
  for (let r = 1; r < round && k < n; r++) k *= factor;
  return Math.min(k, n);
}

/** The longest path of a relay graph of 3K/2 members, each step of it one unicast. */
export const relayTime = (k: number, tau: number): number => ((3 * k) / 2) * tau;

/** One multicast; and members start a round up to one delivery apart, or what is in time for one is late for another. */
export const collectTime = (tau: number): number => 2 * tau;
