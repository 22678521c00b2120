/**
 * Notices when the process has stood still: stopped, swapped out, collecting garbage or busy. A clock that is looked at
 * regularly shows a gap. Monotonic time; it goes on while the process does not.
 */

export interface StallReport {
  readonly count: number;
  readonly longestMs: number;
}

export class StallWatch {
  /** Gaps of more milliseconds than this are stalls. */
  readonly limit: number;
  private readonly stalled: () => void;
  private readonly beat: NodeJS.Timeout;
  private last = performance.now();
  private count = 0;
  private longest = 0;

  /** `stalled` is told of every stall before anything else runs. */
  constructor(limit: number, stalled: () => void) {
    this.limit = limit;
    this.stalled = stalled;
    this.beat = setInterval(() => this.look(), limit / 4);
    this.beat.unref();
  }

  get report(): StallReport {
    return { count: this.count, longestMs: Math.round(this.longest) };
  }

  /** Whoever comes first after a pause calls this first: the regular look, a timer, or a datagram. */
  look(): number {
    const now = performance.now();
    const gap = now - this.last;
    this.last = now;
    if (gap > this.limit) {
      this.count++;
      this.longest = Math.max(this.longest, gap);
      this.stalled();
    }
    return now;
  }

  stop(): void {
    clearInterval(this.beat);
  }
}
