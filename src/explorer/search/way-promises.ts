/** Promises about the way of one run, which no configuration tells: that something has happened by its end, and bounds on time. */
import type { Property, View } from "../../properties/properties.ts";
import type { Action } from "../space/configurations.ts";
import type { PropertyFinding } from "./judge.ts";

export class WayPromises {
  /** What has still to happen. */
  private open: readonly Property[];
  private readonly timed: readonly Property[];
  private time = 0;

  constructor(properties: readonly Property[]) {
    this.open = properties.filter(({ when }) => when === "eventually");
    this.timed = properties.filter(({ counts }) => counts === "time");
  }

  /** One more step has been taken. */
  goOn(action: Action): void {
    if (action.do === "tick") this.time += action.by;
  }

  /** What is wrong with the way to where the run is now. */
  judge(seen: () => View, ended: boolean): PropertyFinding | null {
    if (this.open.length === 0 && this.timed.length === 0) return null;
    const view = { ...seen(), time: this.time };
    this.open = this.open.filter((property) => property.violated(view) !== null);
    for (const property of this.timed) {
      const what = property.when === "always" || ended ? property.violated(view) : null;
      if (what !== null) return { property: property.name, what };
    }
    const [lacking] = ended ? this.open : [];
    if (lacking === undefined) return null;
    return { property: lacking.name, what: `${lacking.violated(view)}, and nothing is left to happen` };
  }
}
