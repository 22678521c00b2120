/** What is known of a number: a fraction, or two ends that it lies between. */
import { type Fraction, fraction, plus, times, toDouble, ZERO } from "./fraction.ts";

/** A value between two ends; where it is known exactly, they are those of its double. */
export interface Known {
  readonly from: number;
  readonly to: number;
  readonly exact: Fraction | null;
}

/** Over all schedules, and of whatever was not followed; both ends are the same where nothing is left open. */
export interface KnownSpan {
  readonly min: Known;
  readonly max: Known;
}

export const known = (exact: Fraction): Known => ({ from: toDouble(exact), to: toDouble(exact), exact });

export const certain = (value: Fraction): KnownSpan => ({ min: known(value), max: known(value) });

/** The mean of cases, each as likely as any other; `missing` more were not looked at, whose values lie between 0 and `most`. */
export function average(values: readonly Known[], missing: number, most: number): Known {
  const count = values.length + missing;
  if (missing === 0 && values.every(({ exact }) => exact !== null)) {
    const sum = values.reduce((total, { exact }) => plus(total, exact!), ZERO);
    return known(times(sum, fraction(1n, BigInt(count))));
  }
  const slack = (count + 2) * 2 ** -52;
  const sum = (end: "from" | "to") => values.reduce((total, value) => total + value[end], 0);
  const unseen = missing === 0 ? 0 : missing * most;
  return {
    from: (sum("from") / count) * (1 - slack),
    to: Math.min(most, ((sum("to") + unseen) / count) * (1 + slack)),
    exact: null,
  };
}
