/**
 * How much of a lease remains, for the page: the holder's answer (`leaseMs`), less the time since before the holder was asked. An answer
 * does not extend a lease, so a page that looks never delays a fail-over.
 */
export interface LeasesSeen {
  readonly holder: string;
  readonly asked: Instant;
  /** Milliseconds. */
  readonly of: readonly { readonly office: string; readonly leaseMs: number }[];
}

/** One moment by both clocks. The monotonic clock may stop while a machine sleeps; the wall clock can be set. */
export interface Instant {
  readonly steady: number;
  readonly wall: number;
}

export const instant = (): Instant => ({ steady: performance.now(), wall: Date.now() });

/** Milliseconds by the clock that shows more. */
export const since = (then: Instant, now: Instant): number =>
  Math.max(0, now.steady - then.steady, now.wall - then.wall);

/** Milliseconds that remain of an office's lease; null if this holder has not said. */
export function remaining(
  { holder, asked, of }: LeasesSeen,
  name: string,
  office: string,
  now: Instant,
): number | null {
  const lease = holder === name ? of.find((one) => one.office === office) : undefined;
  return lease === undefined ? null : Math.max(0, lease.leaseMs - since(asked, now));
}
