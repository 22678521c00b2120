/**
 * The exact distribution of a stream of numbers, for counts and times of which most values repeat. Its statistics
 * depend only on which numbers were added, bit for bit: not on their order, nor on how they were split among threads.
 */
import { t95 } from "./student-t.ts";

/** Distinct values, ascending, and how often each occurred: plain data that a worker can send. */
export interface ValueCounts {
  readonly values: Float64Array;
  readonly counts: Float64Array;
}

/** A quantity over all trials: mean with its 95% interval, deviation, extremes and quantiles. */
export interface Summary {
  readonly mean: number | null;
  /** Student's 95% interval of the mean; null, like sd, where fewer than two values give no spread. */
  readonly low: number | null;
  readonly high: number | null;
  readonly sd: number | null;
  readonly min: number | null;
  readonly p50: number | null;
  readonly p90: number | null;
  readonly p99: number | null;
  readonly max: number | null;
}

const PENDING = 1024;
const EMPTY: ValueCounts = { values: new Float64Array(0), counts: new Float64Array(0) };
const NOTHING: Summary = {
  mean: null,
  low: null,
  high: null,
  sd: null,
  min: null,
  p50: null,
  p90: null,
  p99: null,
  max: null,
};

export class Distribution {
  private readonly pending = new Float64Array(PENDING);
  private waiting = 0;
  /** Each run is more than twice as long as the next, so that a value takes part in few merges. */
  private readonly runs: ValueCounts[] = [];

  constructor(run: ValueCounts = EMPTY) {
    if (run.values.length > 0) this.runs.push(run);
  }

  add(value: number): void {
    if (!Number.isFinite(value)) throw new RangeError(`a distribution of finite numbers was given ${value}`);
    // Adding 0 turns -0 into 0, which sorting would tell apart.
    this.pending[this.waiting++] = value + 0;
    if (this.waiting === PENDING) this.sortPending();
  }

  merge(other: Distribution): void {
    const run = other.run();
    if (run.values.length > 0) this.push(run);
  }

  /** Everything as one run. */
  run(): ValueCounts {
    this.sortPending();
    const merged = this.runs.reduceRight(mergeRuns, EMPTY);
    this.runs.length = 0;
    if (merged.values.length > 0) this.runs.push(merged);
    return merged;
  }

  total(): number {
    return totalOf(this.run());
  }

  summary(): Summary {
    const run = this.run();
    const { values, counts } = run;
    if (values.length === 0) return NOTHING;
    const size = counts.reduce((a, b) => a + b);
    const min = values[0];
    const max = values[values.length - 1];
    // Rounding can push the mean of equal values past them.
    const mean = Math.min(max, Math.max(min, totalOf(run) / size));
    const quantile = quantilesOf(run, size);
    const order = { min, p50: quantile(50), p90: quantile(90), p99: quantile(99), max };
    if (size < 2) return { mean, low: null, high: null, sd: null, ...order };
    const squares = new ExactSum();
    for (let i = 0; i < values.length; i++) squares.add(counts[i] * (values[i] - mean) * (values[i] - mean));
    const sd = Math.sqrt(squares.value() / (size - 1));
    const half = (t95(size - 1) * sd) / Math.sqrt(size);
    return { mean, low: mean - half, high: mean + half, sd, ...order };
  }

  /**
   * How many trials the spread comes from: (Σd²)²/Σd⁴ of the deviations d from the mean. A third of all where they are normal, a
   * ninth where exponential, and k where k trials are far from all others. Null without a spread.
   */
  carriers(): number | null {
    const { values, counts } = this.run();
    const { mean, sd } = this.summary();
    if (sd === null || sd === 0) return null;
    let squares = 0;
    let fourths = 0;
    for (let i = 0; i < values.length; i++) {
      const square = ((values[i] - mean!) / sd) ** 2;
      squares += counts[i] * square;
      fourths += counts[i] * square * square;
    }
    return (squares * squares) / fourths;
  }

  private sortPending(): void {
    if (this.waiting === 0) return;
    const sorted = this.pending.slice(0, this.waiting).sort();
    this.waiting = 0;
    const counts = new Float64Array(sorted.length);
    let distinct = 0;
    for (const value of sorted) {
      if (distinct === 0 || sorted[distinct - 1] !== value) sorted[distinct++] = value;
      counts[distinct - 1]++;
    }
    this.push({ values: sorted.slice(0, distinct), counts: counts.slice(0, distinct) });
  }

  private push(run: ValueCounts): void {
    const { runs } = this;
    let merged = run;
    while (runs.length > 0 && runs[runs.length - 1].values.length <= 2 * merged.values.length) {
      merged = mergeRuns(runs.pop()!, merged);
    }
    runs.push(merged);
  }
}

function totalOf({ values, counts }: ValueCounts): number {
  const sum = new ExactSum();
  for (let i = 0; i < values.length; i++) sum.add(values[i] * counts[i]);
  return sum.value();
}

/** Nearest rank: the smallest value that at least `percent` of all do not exceed. */
function quantilesOf({ values, counts }: ValueCounts, size: number): (percent: number) => number {
  return (percent) => {
    const rank = Math.ceil((percent * size) / 100);
    let passed = counts[0];
    let index = 0;
    while (passed < rank) passed += counts[++index];
    return values[index];
  };
}

function mergeRuns(a: ValueCounts, b: ValueCounts): ValueCounts {
  if (a.values.length === 0) return b;
  if (b.values.length === 0) return a;
  const values = new Float64Array(a.values.length + b.values.length);
  const counts = new Float64Array(values.length);
  let i = 0;
  let j = 0;
  let length = 0;
  while (i < a.values.length || j < b.values.length) {
    const fromA = i < a.values.length ? a.values[i] : Number.POSITIVE_INFINITY;
    const fromB = j < b.values.length ? b.values[j] : Number.POSITIVE_INFINITY;
    values[length] = Math.min(fromA, fromB);
    counts[length++] = (fromA <= fromB ? a.counts[i++] : 0) + (fromB <= fromA ? b.counts[j++] : 0);
  }
  return { values: values.slice(0, length), counts: counts.slice(0, length) };
}

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
