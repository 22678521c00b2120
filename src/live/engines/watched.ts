/**
 * The clock of a store that has none which all members can trust. A member compares instants of its own clock alone. An instant of
 * another clock has passed once its row stood unchanged for TTL(1 + rho) + margin on this member's clock.
 *
 * A holder tells others what its row shows after each extension. If the row still shows that when it is read, it stood unchanged since
 * the word was heard: an extension writes what no row had before, and the holder counts its own deadline from before it asked. If the
 * row shows anything else, what was heard says nothing, and watching begins with the read. One mark is kept for each session: if a
 * store goes back to the row of a mark that was replaced, watching begins anew.
 */
import type { Extension } from "../../protocols/lease/messages.ts";
import { extensionMark, type RegisterClock, watchedName } from "../../protocols/lease/register-clock.ts";

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
/** How long a row of somebody who may hold it for so long must stand unchanged. */
export const watchTime = (within: number): number => within * (1 + RHO) + MARGIN;

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
      foreign: (what, mark, within) => this.since(what, mark, now) + watchTime(within) - now,
    };
  }

  /** The holder of a session has said that it was extended. What comes late, or twice, is no news. */
  heard(said: Extension): void {
    const what = watchedName(said.session);
    const known = this.seen.get(what);
    if (known !== undefined && said.count < Number.parseInt(known.mark, 10)) return;
    this.since(what, extensionMark(said), this.clock.now());
  }

  private since(what: string, mark: string, now: number): number {
    const known = this.seen.get(what);
    if (known?.mark === mark) return known.since;
    if (this.seen.size >= MOST_WATCHED) this.seen.clear();
    this.seen.set(what, { mark, since: now });
    return now;
  }
}
