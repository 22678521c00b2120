/** Exponents and ratios of what was measured, with the intervals that follow from those of the means. */
import type { Summary } from "./report.ts";

/** A measured point of a curve. */
interface Point {
  readonly x: number | string;
  readonly y: number | null;
  readonly low?: number | null;
  readonly high?: number | null;
}

/** A value with an interval. */
export type FittedValue = { readonly ours: number } & { readonly interval: readonly [number, number] };

/** The exponent of a power law through measured points, with the interval that follows from theirs. */
export function exponentOf(points: readonly Point[]): FittedValue {
  const pairs = points.map(({ x, y }) => [x as number, y!] as const);
  const slope = fittedExponent(pairs);
  // The slope is a weighted sum of ln y; half-widths add up like standard errors.
  const half = Math.hypot(
    ...points.map(({ y, low, high }, i) => {
      // A computed point has no interval; that of a single run is unknown.
      if (low === undefined || high === undefined) return 0;
      if (low === null || high === null) return Number.POSITIVE_INFINITY;
      const moved = pairs.map(([x, value], j) => [x, j === i ? value * Math.E : value] as const);
      return (fittedExponent(moved) - slope) * ((high - low) / 2 / y!);
    }),
  );
  return { ours: slope, interval: [slope - half, slope + half] };
}

/** The ratio of two means, with its interval. */
export function ratioOf(above: Summary, below: Summary): FittedValue {
  const relative = ({ mean, low, high }: Summary) =>
    low === null ? Number.POSITIVE_INFINITY : (high! - low) / 2 / mean!;
  const ours = above.mean! / below.mean!;
  const half = ours * Math.hypot(relative(above), relative(below));
  return { ours, interval: [ours - half, ours + half] };
}

/** A summary in other units: a number per process, or without the announcement. */
export function scaled(summary: Summary, scale: (value: number) => number): Summary {
  const of = (value: number | null) => (value === null ? null : scale(value));
  return { ...summary, mean: of(summary.mean), low: of(summary.low), high: of(summary.high) };
}

/** The slope of a least-squares line through (ln x, ln y): the exponent of a power law. */
export function fittedExponent(points: readonly (readonly [x: number, y: number])[]): number {
  const logs = points.map(([x, y]) => [Math.log(x), Math.log(y)] as const);
  const mean = (i: 0 | 1) => logs.reduce((sum, point) => sum + point[i], 0) / logs.length;
  const [mx, my] = [mean(0), mean(1)];
  const above = logs.reduce((sum, [x, y]) => sum + (x - mx) * (y - my), 0);
  return above / logs.reduce((sum, [x]) => sum + (x - mx) ** 2, 0);
}
