/** The wait before failed work is tried again. It doubles with each failure in a row, and has jitter. */
import type { World } from "../world.ts";

/** Milliseconds. */
const FIRST = 1000;
const LONGEST = 60_000;
/** If work ran for this long, earlier failures no longer count. */
const LASTED = 10_000;
/** Waits differ by up to this share in both directions, so that members that failed together do not come back together. */
const JITTER = 0.2;

export class BackOff {
  /** Failures in a row. */
  failures = 0;
  private readonly world: Pick<World, "draws">;

  constructor(world: Pick<World, "draws">) {
    this.world = world;
  }

  /** Counts a failure of work that ran for `ranFor` milliseconds; returns the milliseconds to wait. */
  failed(ranFor: number): number {
    this.failures = ranFor >= LASTED ? 1 : this.failures + 1;
    const wait = Math.min(LONGEST, FIRST * 2 ** Math.min(30, this.failures - 1));
    return Math.round(wait * (1 - JITTER + 2 * JITTER * this.world.draws.uniform()));
  }
}
