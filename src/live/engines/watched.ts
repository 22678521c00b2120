/**
 * The clock of a store that has none which all members can trust. A member compares instants of its own clock alone. An instant of
 * another clock has passed once its row stood unchanged for TTL(1 + rho) + margin on this member's clock.
 */
import type { RegisterClock } from "../../protocols/lease/register-clock.ts";

/** What is read of a clock. */
export interface MachineClock {
  /** Tells this clock from those whose readings cannot be compared with it. */
  readonly name: string;
  now(): number;
  /** Milliseconds since 1970. */
  stamp(): number;
}

/** How much two clocks may run apart, and what is added for how late a process can be. */
const RHO = 0.01;
const MARGIN = 50;
/** If a member watches more rows than this, it begins anew, which only takes longer. */
const MOST_WATCHED = 10_000;

/** For how long each instant of another clock has been seen unchanged, by this member's clock. */
export class Watched {
  private readonly clock: MachineClock;
  private readonly seen = new Map<string, { readonly mark: string; readonly since: number }>();

  constructor(clock: MachineClock) {
    this.clock = clock;
  }

  /** Read once the rows are there: a clock that was read before a wait is old. */
  reading(incarnation: string): RegisterClock {
    const now = this.clock.now();
    return {
      name: this.clock.name,
      now,
      stamp: this.clock.stamp(),
      incarnation,
      foreign: (what, mark, within) => this.since(what, mark, now) + within * (1 + RHO) + MARGIN - now,
    };
  }

  private since(what: string, mark: string, now: number): number {
    const known = this.seen.get(what);
    if (known?.mark === mark) return known.since;
    if (this.seen.size >= MOST_WATCHED) this.seen.clear();
    this.seen.set(what, { mark, since: now });
    return now;
  }
}
