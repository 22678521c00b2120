/** From measured values to curves, figures with their data, and the intervals of claims. */

import { linePlot, type PlotPoint, type Series, smallMultiples } from "../plot/plot.ts";
import type { Rate } from "../statistics/intervals.ts";
import type { Summary } from "../statistics/report.ts";
import type { Figure, Swept } from "./claim.ts";
import { figureTexts } from "./figure-texts.ts";

export type Cell = number | string | null;
type Curve = Series;
/** The curves of one pair of axes, those of several panels, curves with data that tell more, or another kind of picture. */
export type Drawing =
  | readonly Curve[]
  | readonly (readonly Curve[])[]
  | Drawn
  | { csv: string; curves: readonly Curve[] };
export interface Drawn {
  readonly csv: string;
  readonly svg: (title: string) => string;
}

/** Numbers with six significant digits: more would be noise, and the files stay small. */
export function csvOf(header: readonly string[], rows: readonly (readonly Cell[])[]): string {
  return `${[header, ...rows].map((row) => row.map(csvCell).join(",")).join("\n")}\n`;
}

function csvCell(cell: Cell): string {
  if (cell === null) return "";
  if (typeof cell === "number") return Number.isInteger(cell) ? String(cell) : String(Number(cell.toPrecision(6)));
  return /[",\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/** The curves are the data. */
export async function figureOf(name: string, drawing: Drawing, say: (field: string) => string): Promise<Figure> {
  const { panels, columns, ...plot } = figureTexts(say);
  const { title, caption } = plot;
  if ("svg" in drawing) return { name, title, caption, csv: drawing.csv, svg: drawing.svg(title) };
  if ("curves" in drawing) return { ...(await figureOf(name, drawing.curves, say)), csv: drawing.csv };
  const [first] = drawing;
  if (first !== undefined && "kind" in first) {
    const [{ x, y }] = panels;
    const series = drawing as readonly Curve[];
    const csv = csvOf(["series", "kind", x.label, "value", "low", "high"], series.flatMap(rowsOf));
    return { name, title, caption, csv, svg: await linePlot({ ...plot, x, y, series }) };
  }
  const all = panels.map((panel, i) => ({ ...panel, series: drawing[i] as readonly Curve[] }));
  const rows = all.flatMap((panel) => panel.series.flatMap(rowsOf).map((row) => [panel.title, ...row]));
  const csv = csvOf(["panel", "series", "kind", "x", "value", "low", "high"], rows);
  return { name, title, caption, csv, svg: await smallMultiples({ ...plot, columns, panels: all }) };
}

/** What a curve may have at an x. */
type Y = number | null | undefined | Summary | Rate | PlotPoint;

/** A curve: what is at each x, or in each report of a sweep; a point may say its own x. */
const curve =
  (kind: Series["kind"]) =>
  <X>(name: string, xs: readonly X[], y: (x: X, i: number) => Y = (x) => x as PlotPoint): Curve => ({
    name,
    kind,
    points: xs.map((x, i) => pointAt(("xs" in xs ? (xs as unknown as Swept<string>).xs[i] : x) as string, y(x, i))),
  });
export const [measured, theory, bound, reference] = (["measured", "theory", "bound", "reference"] as const).map(curve);

/** A value, a mean or a rate at x, with its interval. */
export function pointAt(x: number | string, y: Y): PlotPoint {
  if (y === null || y === undefined || typeof y === "number") return { x, y: y ?? null };
  if ("x" in y) return y;
  return { x, y: "mean" in y ? y.mean : y.rate, low: y.low, high: y.high };
}

const rowsOf = ({ name, kind, points }: Series): Cell[][] =>
  points.map(({ x, y, low = null, high = null }) => [name, kind, x, y, low, high]);

/** A value with an interval, as claims want it. */
export type Estimate = { readonly ours: number } & { readonly interval: readonly [number, number] };

/** The exponent of a power law through measured points, with the interval that follows from theirs. */
export function exponentOf(points: readonly PlotPoint[]): Estimate {
  const pairs = points.map(({ x, y }) => [x as number, y!] as const);
  const slope = fittedExponent(pairs);
  // The slope is a weighted sum of ln y; half-widths add up like standard errors.
  const half = Math.hypot(
    ...points.map(({ y, low, high }, i) => {
      if (low == null || high == null || low <= 0) return 0;
      const moved = pairs.map(([x, value], j) => [x, j === i ? value * Math.E : value] as const);
      return (fittedExponent(moved) - slope) * ((high - low) / 2 / y!);
    }),
  );
  return { ours: slope, interval: [slope - half, slope + half] };
}

/** The exponent of what is in the reports of a sweep over numbers. */
export const growthOf = (swept: Swept<number>, of: (report: Swept<number>[number], x: number) => Y): Estimate =>
  exponentOf(swept.map((report, i) => pointAt(swept.xs[i], of(report, swept.xs[i]))));

/** The ratio of two means, with its interval. */
export function ratioOf(above: Summary, below: Summary): Estimate {
  const relative = ({ mean, low, high }: Summary) => (low === null ? 0 : (high! - low) / 2 / mean!);
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
function fittedExponent(points: readonly (readonly [x: number, y: number])[]): number {
  const logs = points.map(([x, y]) => [Math.log(x), Math.log(y)] as const);
  const mean = (i: 0 | 1) => logs.reduce((sum, point) => sum + point[i], 0) / logs.length;
  const [mx, my] = [mean(0), mean(1)];
  const above = logs.reduce((sum, [x, y]) => sum + (x - mx) * (y - my), 0);
  return above / logs.reduce((sum, [x]) => sum + (x - mx) ** 2, 0);
}
