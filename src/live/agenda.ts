/**
 * A node's timers on real time, in the order that the contract asks for: overdue deadlines come before anything else;
 * messages that have arrived come before the timers of that moment.
 *
 * The moment a handler runs at is the one for which its timer was set, not the slightly later one at which the operating
 * system woke us: periods do not drift. After a stall it is the present, as after a pause in the simulator. A timer that is
 * armed in a pass over those that are due waits for the next pass, also when it is due: the world gets its turn in between.
 */
import type { Cancel, World } from "./world.ts";

interface Entry {
  readonly due: number;
  readonly order: number;
  readonly isDeadline: boolean;
}

export interface AgendaHooks {
  readonly world: World;
  /** A timer is due; `moment` is when, for timers armed by its handler. */
  expire(timer: string, moment: number): void;
  /** How many messages have been delivered so far. */
  deliveries(): number;
  /** Lateness, in milliseconds, up to which a timer counts as punctual. */
  readonly tolerance: number;
}

/** Waiting messages go first, but a flood of them must not hold the timers back for ever. */
const MOST_PASSES = 16;

export class Agenda {
  private readonly hooks: AgendaHooks;
  private readonly entries = new Map<string, Entry>();
  private requests = 0;
  private wake: Cancel | null = null;
  private wakeAt = Infinity;
  private nextDeadline = Infinity;
  private draining = false;
  private stopped = false;

  constructor(hooks: AgendaHooks) {
    this.hooks = hooks;
  }

  set(timer: string, due: number, isDeadline: boolean): void {
    this.entries.set(timer, { due, order: this.requests++, isDeadline });
    if (isDeadline) this.nextDeadline = Math.min(this.nextDeadline, due);
    this.schedule();
  }

  clear(timer: string): void {
    this.entries.delete(timer);
  }

  stop(): void {
    this.stopped = true;
    this.entries.clear();
    this.nextDeadline = Infinity;
    this.wake?.();
  }

  /** Called before anything else happens in the process; costs a comparison where nothing is due. */
  fireDeadlines(): void {
    const now = this.hooks.world.now();
    if (now < this.nextDeadline) return;
    this.fireAll(now, true);
    this.nextDeadline = Infinity;
    for (const { due, isDeadline } of this.entries.values()) {
      if (isDeadline) this.nextDeadline = Math.min(this.nextDeadline, due);
    }
  }

  private schedule(): void {
    if (this.stopped || this.draining) return;
    let next = Infinity;
    for (const { due } of this.entries.values()) next = Math.min(next, due);
    if (next === Infinity || next >= this.wakeAt) return;
    this.wake?.();
    this.wakeAt = next;
    this.wake = this.hooks.world.set(next - this.hooks.world.now(), () => this.awake());
  }

  private awake(): void {
    this.wake = null;
    this.wakeAt = Infinity;
    if (this.stopped || this.draining) return;
    this.fireDeadlines();
    if (this.first(this.hooks.world.now(), false, this.requests) === null) this.schedule();
    else {
      this.draining = true;
      this.drain(this.hooks.deliveries(), MOST_PASSES);
    }
  }

  /** Lets the event loop read the socket until nothing comes any more, then fires what is due. */
  private drain(before: number, passes: number): void {
    this.hooks.world.soon(() => {
      if (this.stopped) return;
      const deliveries = this.hooks.deliveries();
      if (deliveries !== before && passes > 1) return this.drain(deliveries, passes - 1);
      this.fireAll(this.hooks.world.now(), false);
      this.draining = false;
      this.schedule();
    });
  }

  private fireAll(now: number, deadlines: boolean): void {
    const known = this.requests;
    for (;;) {
      if (!deadlines) this.fireDeadlines();
      const name = this.first(now, deadlines, known);
      if (name === null) return;
      const { due } = this.entries.get(name)!;
      this.entries.delete(name);
      this.hooks.expire(name, now - due <= this.hooks.tolerance ? due : now);
    }
  }

  /** Of the requests before `known` that are due. */
  private first(now: number, deadlines: boolean, known: number): string | null {
    let found: string | null = null;
    let best: Entry | null = null;
    for (const [name, entry] of this.entries) {
      if (entry.due > now || entry.isDeadline !== deadlines || entry.order >= known) continue;
      if (best === null || entry.due < best.due || (entry.due === best.due && entry.order < best.order)) {
        best = entry;
        found = name;
      }
    }
    return found;
  }
}
