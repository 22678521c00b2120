/** From measured values to curves, figures with their data, and the intervals of claims. */
import type { Cell } from "../campaign/row-format.ts";
import { csvOf, sixDigits } from "../plot/csv.ts";
import {
  type Axis,
  type Look,
  linePlot,
  type Multiples,
  type Panel,
  type Plot,
  type PlotPoint,
  type Series,
  smallMultiples,
} from "../plot/plot.ts";
import { exponentOf, type FittedValue } from "../statistics/fits.ts";
import type { Rate } from "../statistics/intervals.ts";
import type { Summary } from "../statistics/report.ts";
import type { Figure, Swept } from "./claim.ts";

type Curve = Series;
/** The curves of one pair of axes, those of several panels, curves with data that tell more, or another kind of picture. */
export type Drawing =
  | readonly Curve[]
  | readonly (readonly Curve[])[]
  | Drawn
  | { csv: string; curves: readonly Curve[] };
export interface Drawn {
  readonly csv: string;
  readonly svg: (look: Look & { readonly title: string }) => string;
}

/** The curves are the data: what is drawn has the digits of the file, so that it can be drawn again from it. */
export function figureOf(name: string, drawing: Drawing, say: (field: string) => string): Figure {
  const { panels, columns, ...plot } = figureTexts(say);
  const { title, caption } = plot;
  const figure = { name, title, caption };
  if ("svg" in drawing) {
    return {
      ...figure,
      csv: drawing.csv,
      picture: { svg: async (look) => drawing.svg({ ...look, title: look?.title ?? title }) },
    };
  }
  if ("curves" in drawing) return { ...figureOf(name, drawing.curves, say), csv: drawing.csv };
  const [first] = drawing;
  const single = first === undefined || "kind" in first;
  const shown = (single ? [drawing] : drawing) as readonly (readonly Curve[])[];
  const all = panels.map((panel, i) => ({ ...panel, series: shown[i].map(rounded) }));
  const csv = single ? curvesText(all[0]) : panelsText(all);
  return { ...figure, csv, picture: plotOf({ ...plot, columns, panels: all }, single) };
}

export const plotOf = (multiples: Multiples, single: boolean): Plot =>
  single ? linePlot({ ...multiples.panels[0], ...withoutPanels(multiples) }) : smallMultiples(multiples);

const withoutPanels = ({ panels: _, columns: __, ...plot }: Multiples) => plot;

const curvesText = ({ x, series }: Panel) =>
  csvOf(["series", "kind", x.label, "value", "low", "high"], series.flatMap(rowsOf));

const panelsText = (panels: readonly Panel[]) =>
  csvOf(
    ["panel", "series", "kind", "x", "value", "low", "high"],
    panels.flatMap((panel) => panel.series.flatMap(rowsOf).map((row) => [panel.title, ...row])),
  );

function rounded(series: Series): Series {
  const short = <T>(value: T): T => (typeof value === "number" ? (sixDigits(value) as T) : value);
  const pointOf = ({ x, y, low = null, high = null }: PlotPoint): PlotPoint => ({
    x: short(x),
    y: short(y),
    low: short(low),
    high: short(high),
  });
  return { ...series, points: series.points.map(pointOf) };
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
export const [measured, theory, bound, printed, reference] = (
  ["measured", "theory", "bound", "printed", "reference"] as const
).map(curve);

/** A value, a mean or a rate at x, with its interval. */
export function pointAt(x: number | string, y: Y): PlotPoint {
  if (y === null || y === undefined || typeof y === "number") return { x, y: y ?? null };
  if ("x" in y) return y;
  return { x, y: "mean" in y ? y.mean : y.rate, low: y.low, high: y.high };
}

const rowsOf = ({ name, kind, points }: Series): Cell[][] =>
  points.map(({ x, y, low = null, high = null }) => [name, kind, x, y, low, high]);

/** The exponent of what is in the reports of a sweep over numbers. */
export const growthOf = (swept: Swept<number>, of: (report: Swept<number>[number], x: number) => Y): FittedValue =>
  exponentOf(swept.map((report, i) => pointAt(swept.xs[i], of(report, swept.xs[i]))));

// What the texts say of a figure: its title and caption, and the titles and axes of its panels.

interface FigureTexts extends Pick<Multiples, "columns" | "width" | "height"> {
  readonly title: string;
  readonly caption: string;
  readonly panels: readonly Omit<Panel, "series">[];
}

/** A field that occurs for each panel has a line for each. */
export function figureTexts(say: (field: string) => string): FigureTexts {
  const [title, caption, columns, size, titles, xs, ys] = FIELDS.map(say);
  const [width, height] = size.split(" x ").map(Number);
  const [panelTitles, panelXs, panelYs] = [titles, xs, ys].map((lines) => lines.split("\n"));
  return {
    title,
    caption,
    columns: Number(columns),
    ...(size === "" ? {} : { width, height }),
    panels: panelXs.map((x, i) => ({ title: panelTitles[i], x: axisOf(x), y: axisOf(panelYs[i]) })),
  };
}

const FIELDS = ["title", "caption", "columns", "size", "panel", "x", "y"];

/** "n (processes) [log]" or "share [0 to 1]". */
function axisOf(text: string): Axis {
  const [, label, log, low, high] = /^(.*?)( \[log\])?(?: \[([\d.]+) to ([\d.]+)\])?$/.exec(text)!;
  return {
    label,
    ...(log === undefined ? {} : { log: true }),
    ...(low === undefined ? {} : { domain: [Number(low), Number(high)] }),
  };
}
