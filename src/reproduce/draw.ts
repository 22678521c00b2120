/** From measured values to figures with their data, and to the intervals of claims. */

import { linePlot, type PlotPoint, type Series, smallMultiples } from "../plot/plot.ts";
import type { Rate } from "../statistics/intervals.ts";
import type { Report, Summary } from "../statistics/report.ts";
import type { Figure } from "./claim.ts";
import { type FigureTexts, figureTexts } from "./figure-texts.ts";
import type { Values } from "./texts.ts";

export type Cell = number | string | null;

/** Numbers with six significant digits: more would be noise, and the files stay small. */
export function csvOf(header: readonly string[], rows: readonly (readonly Cell[])[]): string {
  return `${[header, ...rows].map((row) => row.map(csvCell).join(",")).join("\n")}\n`;
}

function csvCell(cell: Cell): string {
  if (cell === null) return "";
  if (typeof cell === "number") return Number.isInteger(cell) ? String(cell) : String(Number(cell.toPrecision(6)));
  return /[",\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/** A figure of one pair of axes, with the values of its texts; its data are the points of its series. */
export async function lineFigure(name: string, values: Values, series: readonly Series[]): Promise<Figure> {
  const { panels, columns: _, ...plot } = figureTexts(name, values);
  const [{ x, y }] = panels;
  const csv = csvOf(["series", "kind", x.label, "value", "low", "high"], series.flatMap(rowsOf));
  return { ...figureOf(plot), csv, svg: await linePlot({ ...plot, x, y, series }) };
}

/** A figure of several panels. */
export async function panelFigure(name: string, values: Values, all: readonly (readonly Series[])[]): Promise<Figure> {
  const plot = figureTexts(name, values);
  const panels = plot.panels.map((panel, i) => ({ ...panel, series: all[i] }));
  const rows = panels.flatMap(({ title, series }) => series.flatMap(rowsOf).map((row) => [title, ...row]));
  const csv = csvOf(["panel", "series", "kind", "x", "value", "low", "high"], rows);
  return { ...figureOf(plot), csv, svg: await smallMultiples({ ...plot, panels }) };
}

const figureOf = ({ name, title, caption }: Pick<FigureTexts, "name" | "title" | "caption">) => ({
  name,
  title,
  caption,
});

/** Points, or what gives a point each. */
export function plotted<X = PlotPoint>(
  kind: Series["kind"],
  name: string,
  xs: readonly X[],
  point: (x: X, i: number) => PlotPoint = (x) => x as PlotPoint,
): Series {
  return { name, kind, points: xs.map(point) };
}

/** A mean or a rate of each report of a sweep. */
export const swept = <X extends number | string>(
  name: string,
  reports: ReadonlyMap<X, Report>,
  of: (report: Report) => Summary | Rate,
): Series =>
  plotted("measured", name, [...reports], ([x, report]) => {
    const found = of(report);
    return "mean" in found ? meanAt(x, found) : rateAt(x, found);
  });

/** What is computed for each x. */
export const computed = <X extends number | string>(
  kind: Series["kind"],
  name: string,
  xs: readonly X[],
  y: (x: X) => number | null,
): Series => plotted(kind, name, xs, (x) => ({ x, y: y(x) }));

const rowsOf = ({ name, kind, points }: Series): Cell[][] =>
  points.map(({ x, y, low = null, high = null }) => [name, kind, x, y, low, high]);

/** The mean of a summary at x, with its interval. */
export const meanAt = (x: number | string, { mean, low, high }: Summary): PlotPoint => ({ x, y: mean, low, high });

/** A rate at x, with its interval. */
export const rateAt = (x: number | string, { rate, low, high }: Rate): PlotPoint => ({ x, y: rate, low, high });

/** The interval of a mean or a rate, as claims want it. */
export const intervalOf = ({ low, high }: Pick<Rate, "low" | "high">): readonly [number, number] | null =>
  low === null || high === null ? null : [low, high];

/** The exponent of a power law through measured points, with the interval that follows from theirs. */
export function exponentOf(points: readonly PlotPoint[]): {
  readonly ours: number;
  readonly interval: [number, number];
} {
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

/** The ratio of two means, with its interval. */
export function ratioOf(
  above: Summary,
  below: Summary,
): { readonly ours: number; readonly interval: [number, number] } {
  const relative = ({ mean, low, high }: Summary) => (low === null ? 0 : (high! - low) / 2 / mean!);
  const ours = above.mean! / below.mean!;
  const half = ours * Math.hypot(relative(above), relative(below));
  return { ours, interval: [ours - half, ours + half] };
}

/** A summary in other units: a number per process, or without the announcement. */
export function scaledAt(x: number | string, summary: Summary, scale: (value: number) => number): PlotPoint {
  const of = (value: number | null) => (value === null ? null : scale(value));
  return { x, y: of(summary.mean), low: of(summary.low), high: of(summary.high) };
}

/** The slope of a least-squares line through (ln x, ln y): the exponent of a power law. */
function fittedExponent(points: readonly (readonly [x: number, y: number])[]): number {
  const logs = points.map(([x, y]) => [Math.log(x), Math.log(y)] as const);
  const mean = (i: 0 | 1) => logs.reduce((sum, point) => sum + point[i], 0) / logs.length;
  const [mx, my] = [mean(0), mean(1)];
  const above = logs.reduce((sum, [x, y]) => sum + (x - mx) * (y - my), 0);
  return above / logs.reduce((sum, [x]) => sum + (x - mx) ** 2, 0);
}
