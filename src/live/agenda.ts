/**
 * A node's timers on real time, in the order that the contract asks for: overdue deadlines come before anything else;
 * messages that have arrived come before the timers of that moment.
 *
 * The moment a handler runs at is the one for which its timer was set, not the slightly later one at which the operating
 * system woke us: periods do not drift. After a stall it is the present, as after a pause in the simulator.
 */

interface Entry {
  readonly due: number;
  readonly order: number;
  readonly isDeadline: boolean;
}

export interface AgendaHooks {
  /** A timer is due; `moment` is when, for timers armed by its handler. */
  expire(timer: string, moment: number): void;
  /** Looks at the clock, and for stalls. */
  look(): number;
  /** How many messages have been delivered so far. */
  deliveries(): number;
  /** Lateness, in milliseconds, up to which a timer counts as punctual. */
  readonly tolerance: number;
}

/** Waiting messages go first, but a flood of them must not hold the timers back for ever. */
const MOST_PASSES = 16;

/** Node's timers hold 31 bits of milliseconds; a longer wait is made of several. */
const LONGEST_SLEEP = 2 ** 31 - 1;

export class Agenda {
  private readonly hooks: AgendaHooks;
  private readonly entries = new Map<string, Entry>();
  private requests = 0;
  private wake: NodeJS.Timeout | null = null;
  private wakeAt = Infinity;
  private draining = false;
  private stopped = false;

  constructor(hooks: AgendaHooks) {
    this.hooks = hooks;
  }

  set(timer: string, due: number, isDeadline: boolean): void {
    this.entries.set(timer, { due, order: this.requests++, isDeadline });
    this.schedule();
  }

  clear(timer: string): void {
    this.entries.delete(timer);
  }

  stop(): void {
    this.stopped = true;
    this.entries.clear();
    if (this.wake !== null) clearTimeout(this.wake);
  }

  /** Called before every delivery and every timer, and when a stall is noticed. */
  fireDeadlines(now: number): void {
    for (let name = this.first(now, true); name !== null; name = this.first(now, true)) this.fire(name, now);
  }

  private schedule(): void {
    const next = Math.min(...[...this.entries.values()].map(({ due }) => due));
    if (this.stopped || next === Infinity || next >= this.wakeAt) return;
    if (this.wake !== null) clearTimeout(this.wake);
    this.wakeAt = next;
    this.wake = setTimeout(() => this.awake(), Math.min(Math.max(0, next - performance.now()), LONGEST_SLEEP));
  }

  private awake(): void {
    this.wake = null;
    this.wakeAt = Infinity;
    if (this.stopped) return;
    this.fireDeadlines(this.hooks.look());
    if (this.first(performance.now(), false) === null) this.schedule();
    else if (!this.draining) {
      this.draining = true;
      this.drain(this.hooks.deliveries(), MOST_PASSES);
    }
  }

  /** Lets the event loop read the socket until nothing comes any more, then fires what is due. */
  private drain(before: number, passes: number): void {
    setImmediate(() => {
      if (this.stopped) return;
      const deliveries = this.hooks.deliveries();
      if (deliveries !== before && passes > 1) return this.drain(deliveries, passes - 1);
      this.draining = false;
      const now = this.hooks.look();
      for (let name = this.first(now, false); name !== null; name = this.first(now, false)) {
        this.fireDeadlines(now);
        if (this.entries.has(name)) this.fire(name, now);
      }
      this.schedule();
    });
  }

  private fire(name: string, now: number): void {
    const { due } = this.entries.get(name)!;
    this.entries.delete(name);
    this.hooks.expire(name, now - due <= this.hooks.tolerance ? due : now);
  }

  private first(now: number, deadlines: boolean): string | null {
    let found: string | null = null;
    let best: Entry | null = null;
    for (const [name, entry] of this.entries) {
      if (entry.due > now || entry.isDeadline !== deadlines) continue;
      if (best === null || entry.due < best.due || (entry.due === best.due && entry.order < best.order)) {
        best = entry;
        found = name;
      }
    }
    return found;
  }
}
