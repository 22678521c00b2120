/**
 * A node's timers on real time, in the order that the contract asks for: overdue deadlines come before anything else;
 * messages that have arrived come before the timers of that moment.
 *
 * A deadline has passed as soon as either clock says so. The monotonic one stops while a machine is suspended, and then
 * the one on the wall does not; that one can be set: forward, which ends things early, or back, which prolongs nothing. Deadlines follow a
 * clock that was set back, so that they still notice when the machine is suspended after that.
 *
 * The moment a handler runs at is the one for which its timer was set, not the slightly later one at which the operating
 * system woke us: periods do not drift. After a stall it is the present, as after a pause in the simulator. A timer that is
 * armed in a pass over those that are due waits for the next pass, also when it is due: the world gets its turn in between.
 */
import type { Cancel, World } from "./world.ts";

interface Entry {
  readonly due: number;
  /** The same by the clock on the wall; never, of a mere timer. */
  wallDue: number;
  readonly order: number;
  readonly isDeadline: boolean;
}

/** What both clocks say. */
interface Time {
  readonly now: number;
  readonly wall: number;
}

/** The clock on the wall was set back if it has lost more than this on the monotonic one; it counts whole milliseconds. */
const SET_BACK = 2;

interface AgendaHooks {
  readonly world: World;
  /** A timer is due; `moment` is when, for timers armed by its handler. */
  expire(timer: string, moment: number): void;
  /** How many messages have been delivered so far. */
  deliveries(): number;
  /** Lateness, in milliseconds, up to which a timer counts as punctual. */
  readonly tolerance: number;
}

/** A timer that is no deadline may be late by this share of its wait, and by no more than this many milliseconds. */
const SLACK = 0.1;
const MOST_SLACK = 20;

/**
 * Waiting messages go first, but a flood of them must not hold the timers back: so many passes over the sockets of the process, and
 * so many milliseconds. With hundreds of members in a process one pass can take longer.
 */
const MOST_PASSES = 16;
const LONGEST_DRAIN = 50;

export class Agenda {
  private readonly hooks: AgendaHooks;
  private readonly entries = new Map<string, Entry>();
  private requests = 0;
  private wake: Cancel | null = null;
  private wakeAt = Infinity;
  private nextDeadline = Infinity;
  private nextOnWall = Infinity;
  /** The most by which the clock on the wall was ahead of the monotonic one when a deadline was set. */
  private ahead = -Infinity;
  private draining = false;
  private stopped = false;

  constructor(hooks: AgendaHooks) {
    this.hooks = hooks;
  }

  set(timer: string, due: number, isDeadline: boolean): void {
    const entry = { due, wallDue: Infinity, order: this.requests++, isDeadline };
    if (isDeadline) {
      const ahead = this.followWall(this.read());
      this.ahead = Math.max(this.ahead, ahead);
      entry.wallDue = due + ahead;
      this.expect(entry);
    }
    this.entries.set(timer, entry);
    this.schedule();
  }

  clear(timer: string): void {
    this.entries.delete(timer);
  }

  stop(): void {
    this.stopped = true;
    this.entries.clear();
    this.nextDeadline = Infinity;
    this.nextOnWall = Infinity;
    this.wake?.();
  }

  /** Milliseconds until a timer is due, a deadline by the clock that says less; below 0 where it is overdue, null if there is none. */
  left(timer: string): number | null {
    const entry = this.entries.get(timer);
    if (entry === undefined) return null;
    const { now, wall } = this.read();
    return Math.min(entry.due - now, entry.wallDue - wall);
  }

  /** Called before anything else happens in the process; costs three comparisons where nothing is due. */
  fireDeadlines(time = this.read()): void {
    this.followWall(time);
    if (time.now < this.nextDeadline && time.wall < this.nextOnWall) return;
    this.fireAll(time, true);
    this.nextDeadline = Infinity;
    this.nextOnWall = Infinity;
    for (const entry of this.entries.values()) if (entry.isDeadline) this.expect(entry);
  }

  /** If the clock on the wall was set back, deadlines by it come as much earlier. Returns by how much it is ahead of the monotonic one. */
  private followWall({ now, wall }: Time): number {
    const ahead = wall - now;
    if (ahead > this.ahead - SET_BACK) return ahead;
    this.ahead = ahead;
    for (const entry of this.entries.values()) {
      if (!entry.isDeadline) continue;
      entry.wallDue = Math.min(entry.wallDue, entry.due + ahead);
      this.expect(entry);
    }
    return ahead;
  }

  private expect({ due, wallDue }: Entry): void {
    this.nextDeadline = Math.min(this.nextDeadline, due);
    this.nextOnWall = Math.min(this.nextOnWall, wallDue);
  }

  private read(): Time {
    const { world } = this.hooks;
    return { now: world.now(), wall: world.wall() };
  }

  private schedule(): void {
    if (this.stopped || this.draining) return;
    let next: Entry | null = null;
    let deadline = Infinity;
    for (const entry of this.entries.values()) {
      if (next === null || entry.due < next.due) next = entry;
      if (entry.isDeadline && entry.due < deadline) deadline = entry.due;
    }
    if (next === null || next.due >= this.wakeAt) return;
    this.wake?.();
    this.wakeAt = next.due;
    const { due } = next;
    const wait = due - this.hooks.world.now();
    const slack = Math.min(MOST_SLACK, SLACK * wait, deadline - due);
    this.wake = this.hooks.world.set(wait, () => this.awake(), slack);
  }

  private awake(): void {
    this.wake = null;
    this.wakeAt = Infinity;
    if (this.stopped || this.draining) return;
    const time = this.read();
    this.fireDeadlines(time);
    if (this.first(time, false, this.requests) === null) this.schedule();
    else {
      this.draining = true;
      this.drain(this.hooks.deliveries(), MOST_PASSES, this.hooks.world.now() + LONGEST_DRAIN);
    }
  }

  /** Lets the event loop read the socket until nothing comes any more, then fires what is due. */
  private drain(before: number, passes: number, end: number): void {
    this.hooks.world.soon(() => {
      if (this.stopped) return;
      const deliveries = this.hooks.deliveries();
      const mayWait = deliveries !== before && passes > 1 && this.hooks.world.now() < end;
      if (mayWait) return this.drain(deliveries, passes - 1, end);
      this.fireAll(this.read(), false);
      this.draining = false;
      this.schedule();
    });
  }

  private fireAll(time: Time, deadlines: boolean): void {
    const known = this.requests;
    for (;;) {
      if (!deadlines) this.fireDeadlines();
      const name = this.first(time, deadlines, known);
      if (name === null) return;
      const { due } = this.entries.get(name)!;
      this.entries.delete(name);
      const { now } = time;
      this.hooks.expire(name, due <= now && now - due <= this.hooks.tolerance ? due : now);
    }
  }

  /** Of the requests before `known` that are due. */
  private first({ now, wall }: Time, deadlines: boolean, known: number): string | null {
    let found: string | null = null;
    let best: Entry | null = null;
    for (const [name, entry] of this.entries) {
      const isDue = entry.due <= now || entry.wallDue <= wall;
      if (!isDue || entry.isDeadline !== deadlines || entry.order >= known) continue;
      if (best === null || entry.due < best.due || (entry.due === best.due && entry.order < best.order)) {
        best = entry;
        found = name;
      }
    }
    return found;
  }
}
