/**
 * A sum of doubles without error, so that it depends neither on order nor on grouping: the running total is kept as
 * non-overlapping parts (J. R. Shewchuk, "Adaptive precision floating-point arithmetic", 1997) and rounded once, at the
 * end. Sums of whole numbers below 2^53 have a single part.
 */
export class ExactSum {
  /** Ascending in magnitude; their sum is the exact total. Plain data, for transfer between threads. */
  readonly parts: number[];

  constructor(parts: readonly number[] = []) {
    this.parts = [...parts];
  }

  add(value: number): void {
    const { parts } = this;
    let carried = value;
    let kept = 0;
    for (const part of parts) {
      const larger = Math.abs(carried) < Math.abs(part) ? part : carried;
      const smaller = larger === part ? carried : part;
      const high = larger + smaller;
      const low = smaller - (high - larger);
      if (low !== 0) parts[kept++] = low;
      carried = high;
    }
    parts.length = kept;
    parts.push(carried);
  }

  merge(other: ExactSum): void {
    for (const part of other.parts) this.add(part);
  }

  /** The double nearest to the exact total, ties to even. */
  value(): number {
    const { parts } = this;
    let index = parts.length - 1;
    if (index < 0) return 0;
    let high = parts[index];
    let low = 0;
    while (index > 0 && low === 0) {
      const part = parts[--index];
      const sum = high + part;
      low = part - (sum - high);
      high = sum;
    }
    // `low` may be exactly half a unit in the last place, rounded to even; what remains below it then decides.
    if (index > 0 && low !== 0 && low < 0 === parts[index - 1] < 0) {
      const twice = low * 2;
      const away = high + twice;
      if (away - high === twice) return away;
    }
    return high;
  }
}
