/** How long work that failed waits before it is tried again: twice as long after each failure in a row, with jitter. */
import type { World } from "../world.ts";

/** Milliseconds. */
const FIRST = 1000;
const LONGEST = 60_000;
/** Work that ran for so long did not fail because of what made it fail before. */
const LASTED = 10_000;
/** Waits differ by up to this share in both directions: members that failed together do not come back together. */
const JITTER = 0.2;

export class BackOff {
  /** Failures in a row. */
  failures = 0;
  private readonly world: Pick<World, "draws">;

  constructor(world: Pick<World, "draws">) {
    this.world = world;
  }

  /** One more failure, of work that ran for so many milliseconds; gives the milliseconds to wait. */
  failed(ranFor: number): number {
    this.failures = ranFor >= LASTED ? 1 : this.failures + 1;
    const wait = Math.min(LONGEST, FIRST * 2 ** Math.min(30, this.failures - 1));
    return Math.round(wait * (1 - JITTER + 2 * JITTER * this.world.draws.uniform()));
  }
}
