/**
 * What remains of leases: from what their holder has said (`leaseMs`, which promises nothing, so that looking keeps nobody from
 * leading), counted from before it was asked, by whichever clock is faster.
 */
export interface LeasesSeen {
  readonly holder: string;
  readonly asked: Instant;
  /** Milliseconds. */
  readonly of: readonly { readonly office: string; readonly leaseMs: number }[];
}

/** One moment by both clocks: one of them stops while a machine sleeps, the other can be set. */
export interface Instant {
  readonly steady: number;
  readonly wall: number;
}

export const instant = (): Instant => ({ steady: performance.now(), wall: Date.now() });

export const since = (then: Instant, now: Instant): number =>
  Math.max(0, now.steady - then.steady, now.wall - then.wall);

/** Milliseconds; null where that holder has not said it of that office. */
export function remaining(
  { holder, asked, of }: LeasesSeen,
  name: string,
  office: string,
  now: Instant,
): number | null {
  const lease = holder === name ? of.find((one) => one.office === office) : undefined;
  return lease === undefined ? null : Math.max(0, lease.leaseMs - since(asked, now));
}
