/** The steps of a walk, kept as what each has changed: a configuration of a large network is made again when somebody asks for it. */

import type { Action, Step } from "../space/configurations.ts";
import type { NodeOutcome } from "../space/node-steps.ts";

interface Change {
  readonly places: Int32Array;
  readonly values: Int32Array;
}

export class KeptWay {
  readonly steps: Step[] = [];
  private readonly blank: Int32Array;
  private readonly changes: Change[] = [];
  /** The configuration after so many steps: asking for one after the other is cheap. */
  private readonly present: Int32Array;
  private made = 0;

  constructor(blank: Int32Array) {
    this.blank = blank;
    this.present = Int32Array.from(blank);
  }

  add(action: Action, outcome: NodeOutcome | null, change: Change): void {
    const number = this.changes.push(change);
    const after = () => this.after(number);
    this.steps.push({
      action,
      outcome,
      get after() {
        return after();
      },
    });
  }

  private after(steps: number): Int32Array {
    if (steps < this.made) {
      this.present.set(this.blank);
      this.made = 0;
    }
    for (; this.made < steps; this.made++) {
      const { places, values } = this.changes[this.made];
      for (const [i, place] of places.entries()) this.present[place] = values[i];
    }
    return Int32Array.from(this.present);
  }
}
