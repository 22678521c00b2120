/** What is counted during a run. */
import type { Experiment } from "../protocol.ts";
import { keep, type Restore } from "./stepping/frames.ts";

export class RunTally {
  messages = 0;
  bits = 0;
  hops = 0;
  /** Messages that `accepts` turned away. */
  refused = 0;
  lastDelivery = 0;
  measures: Record<string, number> = {};
  series: Record<string, number[]> = {};
  private readonly kinds: Experiment<never, never>["measures"];

  constructor(kinds: Experiment<never, never>["measures"]) {
    this.kinds = kinds;
    for (const name of Object.keys(kinds)) this.measures[name] = 0;
  }

  measure(name: string, value: number): void {
    if (this.kinds[name] === "max") this.measures[name] = Math.max(this.measures[name], value);
    else this.measures[name] += value;
  }

  addToSeries(name: string, round: number, value: number): void {
    this.series[name] ??= [];
    const sums = this.series[name];
    while (sums.length < round) sums.push(0);
    sums[round - 1] += value;
  }

  save(): Restore {
    return keep(this, ["messages", "bits", "hops", "refused", "lastDelivery", "measures", "series"]);
  }
}
