/**
 * How likely each way is in which the draws of a handler come out. Of draws that declare that only their order matters, only
 * the order is drawn: m different values drawn from n before are, whatever their order, each set of m with the same
 * probability, so the next one equals each of them with probability 1/n, and lies in each of the m + 1 gaps with
 * probability (n - m) / (n (m + 1)); afterwards the same holds for m + 1. Values in gaps lie halfway.
 */
import { InputError } from "../../errors.ts";
import { type Fraction, fraction, minus, ONE, ofDouble, times } from "./fraction.ts";

/** For each label of ordered draws and their range: the different values drawn so far, ascending. */
export type Levels = Readonly<Record<string, readonly number[]>>;

/** More values than this are not tried one by one. */
const MOST_VALUES = 4096;

export class PathChance {
  odds: Fraction = ONE;
  levels: Levels;

  constructor(levels: Levels) {
    this.levels = levels;
  }

  /** One of n values, by `pick`. */
  choose(n: number, order: string | undefined, pick: (ways: number) => number): number {
    if (order !== undefined && n > 1) return this.ordered(n, `${order} of ${n}`, pick);
    if (n > MOST_VALUES) {
      throw new InputError(
        `a draw has ${n} values, more than the ${MOST_VALUES} that exact probabilities try one by one: declare with choose(n, "label") that only the order of such draws matters, or give smaller parameters`,
      );
    }
    this.odds = times(this.odds, fraction(1n, BigInt(n)));
    return pick(n);
  }

  coin(p: number, pick: (ways: number) => number): boolean {
    const heads = ofDouble(p);
    const fell = pick(2) === 1;
    this.odds = times(this.odds, fell ? heads : minus(ONE, heads));
    return fell;
  }

  /** One of so many ways, each as likely as any other. */
  even(ways: number, pick: (ways: number) => number): number {
    this.odds = times(this.odds, fraction(1n, BigInt(ways)));
    return pick(ways);
  }

  private ordered(n: number, label: string, pick: (ways: number) => number): number {
    const known = this.levels[label] ?? [];
    const m = known.length;
    const gaps = n > m ? m + 1 : 0;
    const way = pick(m + gaps);
    if (way < m) {
      this.odds = times(this.odds, fraction(1n, BigInt(n)));
      return known[way];
    }
    this.odds = times(this.odds, fraction(BigInt(n - m), BigInt(n) * BigInt(m + 1)));
    const value = between(known, way - m);
    this.levels = { ...this.levels, [label]: [...known, value].sort((a, b) => a - b) };
    return value;
  }
}

/** Values lie within these ends, halfway between their neighbours: whole numbers, with room for fifty halves. */
const END = 2 ** 53;

function between(known: readonly number[], gap: number): number {
  const value = ((known[gap - 1] ?? 0) + (known[gap] ?? END)) / 2;
  if (Number.isInteger(value)) return value;
  throw new InputError("so many draws of which only the order matters have no room: give smaller parameters");
}
