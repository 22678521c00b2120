/** What remains of a lease: from what its holder has promised, counted from before it was asked, by whichever clock is faster. */
export interface Promised {
  readonly holder: string;
  readonly office: string;
  readonly validForMs: number;
  readonly asked: Instant;
}

/** One moment by both clocks: one of them stops while a machine sleeps, the other can be set. */
export interface Instant {
  readonly steady: number;
  readonly wall: number;
}

export const instant = (): Instant => ({ steady: performance.now(), wall: Date.now() });

export const since = (then: Instant, now: Instant): number =>
  Math.max(0, now.steady - then.steady, now.wall - then.wall);

/** Milliseconds; never more than was promised, and 0 when nothing is promised any more. */
export const remaining = ({ validForMs, asked }: Promised, now: Instant): number =>
  Math.max(0, validForMs - since(asked, now));
