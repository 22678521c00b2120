/** Moments, lengths and rates of faults, drawn between a start and the time by which all are over. */
import type { HostStream } from "../../src/random/streams.ts";

export class Dice {
  readonly draws: HostStream;
  readonly healed: number;

  constructor(draws: HostStream, healed: number) {
    this.draws = draws;
    this.healed = healed;
  }

  rate(least: number, most: number): { rate: number } {
    return { rate: this.between(least, most) };
  }

  span(longest: number): { from: number; to: number } {
    const from = this.moment();
    return { from, to: this.after(from, longest) };
  }

  /** Of a partition: some are there when the group starts. */
  cut(): { from: number; to: number } {
    const from = this.draws.coin(0.25) ? 0 : this.moment();
    return { from, to: this.after(from, (2 / 3) * this.healed) };
  }

  after(at: number, longest: number): number {
    const wanted = at + this.between(50, longest);
    // No two at the same moment.
    return wanted < this.healed ? round(wanted) : round(this.healed - 400 * this.draws.uniform());
  }

  moment(earliest = 0): number {
    const last = this.healed - 1000;
    return this.between(Math.min(last, earliest), last);
  }

  between(least: number, most: number): number {
    return round(least + (most - least) * this.draws.uniform());
  }

  some(least: number, most: number, make: () => void): void {
    for (let left = least + this.draws.choose(most - least + 1); left > 0; left--) make();
  }

  /** At least one of 0 .. n-1, not all of them where there are two. */
  side(n: number): number[] {
    const { draws } = this;
    const size = 1 + draws.choose(Math.max(1, n - 1));
    const left = Array.from({ length: n }, (_, node) => node);
    return Array.from({ length: size }, () => left.splice(draws.choose(left.length), 1)[0]).sort((a, b) => a - b);
  }
}

/** Times to a thousandth of a millisecond, so that a plan can be read. */
export const round = (value: number): number => Math.round(value * 1000) / 1000;
