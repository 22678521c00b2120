/** Probabilities as exact fractions of whole numbers, and numbers of which only two ends are known. */

export interface Fraction {
  readonly over: bigint;
  readonly under: bigint;
}

export const ZERO: Fraction = { over: 0n, under: 1n };
export const ONE: Fraction = { over: 1n, under: 1n };

export const fraction = (over: bigint, under: bigint): Fraction => {
  const common = gcd(over < 0n ? -over : over, under);
  return common === 1n ? { over, under } : { over: over / common, under: under / common };
};

export function plus(a: Fraction, b: Fraction): Fraction {
  if (a.over === 0n) return b;
  if (b.over === 0n) return a;
  if (a.under === b.under) return fraction(a.over + b.over, a.under);
  return fraction(a.over * b.under + b.over * a.under, a.under * b.under);
}

export function times(a: Fraction, b: Fraction): Fraction {
  if (a === ONE || b.over === 0n) return b;
  if (b === ONE || a.over === 0n) return a;
  return fraction(a.over * b.over, a.under * b.under);
}

export const minus = (a: Fraction, b: Fraction): Fraction => plus(a, { over: -b.over, under: b.under });

export const isLess = (a: Fraction, b: Fraction): boolean => a.over * b.under < b.over * a.under;

/** A double is a whole number over a power of two: `coin(0.1)` falls with that probability, and not with a tenth. */
export function ofDouble(value: number): Fraction {
  if (!Number.isFinite(value)) throw new RangeError(`${value} is no probability`);
  let under = 1n;
  let over = value;
  while (!Number.isInteger(over)) {
    over *= 2;
    under *= 2n;
  }
  return fraction(BigInt(over), under);
}

/** The nearest double, to the last bits of it; digits of the quotient, since both parts may be far beyond a double. */
export function toDouble({ over, under }: Fraction): number {
  if (over < 0n) return -toDouble({ over: -over, under });
  if (over === 0n) return 0;
  const length = (value: bigint) => BigInt(value.toString(16).length) * 4n;
  const shift = 64n + length(under) - length(over);
  const quotient = shift >= 0n ? (over << shift) / under : over / (under << -shift);
  return Number(quotient) * 2 ** -Number(shift);
}

/** Digits of a fraction that still fits into a line. */
const LONGEST = 64;
/** Of one that comes before its digits. */
const SHORT = 21;

/** As people read it: the fraction where it fits into a line, and digits. */
export function fractionText(value: Fraction): string {
  const digits = toDouble(value);
  const binary = value.under.toString(2);
  const isPower = binary.length > 32 && binary.lastIndexOf("1") === 0;
  const text = `${value.over}/${isPower ? `2^${binary.length - 1}` : value.under}`;
  if (value.under === 1n || text.length > LONGEST) return `${digits}`;
  return text.length <= SHORT ? `${text} = ${digits}` : `${digits} = ${text}`;
}

function gcd(a: bigint, b: bigint): bigint {
  while (b !== 0n) [a, b] = [b, a % b];
  return a === 0n ? 1n : a;
}

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
