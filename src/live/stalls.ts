/**
 * Notices when the process has stood still: stopped, swapped out, collecting garbage or busy. A clock that is looked at
 * regularly shows a gap. Monotonic time; it goes on while the process does not.
 */
import { type Cancel, every, type World } from "./world.ts";

/** How often and how long this process stood still. */
export interface StallReport {
  readonly count: number;
  readonly longestMs: number;
}

export const NO_STALLS: StallReport = { count: 0, longestMs: 0 };

export class StallWatch {
  /** Gaps of more milliseconds than this are stalls. */
  private readonly limit: number;
  private readonly world: World;
  private readonly beat: Cancel;
  private readonly told: (ms: number) => void;
  private last: number;
  private count = 0;
  private longest = 0;

  /** `told`: of each stall, as soon as anything runs again. */
  constructor(world: World, limit: number, told: (ms: number) => void = () => {}) {
    this.world = world;
    this.limit = limit;
    this.told = told;
    this.last = world.now();
    this.beat = every(world, limit / 4, () => this.look());
  }

  get report(): StallReport {
    return { count: this.count, longestMs: Math.round(this.longest) };
  }

  look(): void {
    const now = this.world.now();
    const gap = now - this.last;
    this.last = now;
    if (gap <= this.limit) return;
    this.count++;
    this.longest = Math.max(this.longest, gap);
    this.told(Math.round(gap));
  }

  stop(): void {
    this.beat();
  }
}
