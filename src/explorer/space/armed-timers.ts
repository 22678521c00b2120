/** The timers that a node has armed, as one number: the same few sets recur in countless configurations. */
import { IntMap, NO_VALUE } from "./int-map.ts";
import { Interner } from "./plain.ts";
import type { TimerEffect } from "./recording.ts";

export interface ArmedTimer {
  readonly timer: string;
  /** Instants until it is due; in untimed runs 0, or less for a deadline that a pause has made overdue. */
  readonly left: number;
  readonly deadline: boolean;
}

const ROUNDING = 1e-6;

export class ArmedTimers {
  readonly none: number;
  private readonly timed: boolean;
  private readonly sets = new Interner<readonly ArmedTimer[]>();
  private readonly laters = new IntMap();
  private readonly overdues: boolean[] = [];
  /** By set and the number of the outcome whose effects change it: a place in `variants`. */
  private readonly afters = new IntMap();
  private readonly variants: (readonly number[])[] = [];

  constructor(timed: boolean) {
    this.timed = timed;
    this.none = this.sets.number([]);
  }

  of(set: number): readonly ArmedTimer[] {
    return this.sets.value(set);
  }

  without(set: number, timer: string): number {
    return this.sets.number(this.of(set).filter((armed) => armed.timer !== timer));
  }

  later(set: number, by: number): number {
    const known = this.laters.get(set, by, 0);
    if (known !== NO_VALUE) return known;
    const number = this.sets.number(this.of(set).map((armed) => ({ ...armed, left: armed.left - by })));
    this.laters.set(set, by, 0, number);
    return number;
  }

  /** Whether a deadline is due that nothing may come before. */
  isOverdue(set: number): boolean {
    this.overdues[set] ??= this.of(set).some(({ left, deadline }) => deadline && left <= (this.timed ? 0 : -1));
    return this.overdues[set];
  }

  /** After a pause of unknown length every deadline is overdue. */
  overdue(set: number): number {
    return this.sets.number(this.of(set).map((armed) => (armed.deadline ? { ...armed, left: -1 } : armed)));
  }

  /** What a handler did to its timers, `outcome` being the number of its outcome. */
  after(set: number, outcome: number, effects: readonly TimerEffect[]): readonly number[] {
    const known = this.afters.get(set, outcome, 0);
    if (known !== NO_VALUE) return this.variants[known];
    const variants = this.changed(set, effects);
    this.afters.set(set, outcome, 0, this.variants.push(variants) - 1);
    return variants;
  }

  /** A delay drawn from a range can be any whole number in it. */
  private changed(set: number, effects: readonly TimerEffect[]): readonly number[] {
    let variants: (readonly ArmedTimer[])[] = [this.of(set)];
    for (const effect of effects) {
      variants = variants.flatMap((armed) => {
        const others = armed.filter(({ timer }) => timer !== effect.timer);
        if (effect.op === "disarm") return [others];
        const { timer, deadline } = effect;
        if (!this.timed) return [sorted([...others, { timer, left: 0, deadline }])];
        // Instants are whole: what a protocol adds against rounding errors of real time is no instant.
        const least = Math.ceil(effect.min - ROUNDING);
        const delays = Array.from({ length: Math.max(1, Math.floor(effect.max) - least + 1) }, (_, i) => least + i);
        return delays.map((left) => [...others, { timer, left, deadline }]);
      });
    }
    return variants.map((armed) => this.sets.number(armed));
  }
}

const sorted = (timers: ArmedTimer[]) => timers.sort((a, b) => (a.timer < b.timer ? -1 : 1));
