/**
 * Absolute deadlines that two processes of one machine mean alike: by the kernel's monotonic clock or by the one on the wall,
 * whichever comes first. A machine that was asleep finds only the second one advanced.
 */

/** Milliseconds. */
export interface Deadline {
  readonly mono: number;
  readonly wall: number;
}

export interface Clocks {
  /** The same clock in all processes (that of `World` is not). */
  mono(): number;
  wall(): number;
}

/** Milliseconds until then; 0 or less once it has passed. */
export const leftOf = ({ mono, wall }: Deadline, clocks: Clocks): number =>
  Math.min(mono - clocks.mono(), wall - clocks.wall());

export function deadlineAfter(ms: number, clocks: Clocks): Deadline {
  return { mono: clocks.mono() + ms, wall: clocks.wall() + ms };
}

/**
 * From what is left by somebody else's reckoning; null where that has ended. The clocks are read first: a process that stands still
 * between the two readings gets an earlier deadline, never a later one.
 */
export function deadlineFrom(left: () => number | null, clocks: Clocks): Deadline | null {
  const mono = clocks.mono();
  const wall = clocks.wall();
  const ms = left();
  return ms === null ? null : { mono: mono + ms, wall: wall + ms };
}
