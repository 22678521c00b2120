/** From the data of a figure to a Vega-Lite specification: how our figures look. */
import type { TopLevelSpec } from "vega-lite";
import { type Axis, coloursOf, type Kind, type Panel, type Series } from "./figure.ts";

/** A mark per point of a series, as the rows of Vega-Lite's data. */
interface Row {
  readonly name: string;
  readonly kind: Kind;
  readonly x: number | string;
  readonly y: number | null;
  readonly low: number | null;
  readonly high: number | null;
}

const DASHES: Readonly<Record<Kind, readonly number[]>> = {
  measured: [1, 0],
  theory: [6, 4],
  bound: [2, 3],
  reference: [1, 0],
};

const INK = "#222222";
const FONT = "Helvetica, Arial, sans-serif";

export interface Page {
  readonly title: string;
  readonly caption: string;
  readonly columns: number;
  readonly panels: readonly Panel[];
  readonly width: number;
  readonly height: number;
}

export function specificationOf(page: Page): TopLevelSpec {
  const all = page.panels.flatMap(({ series }) => series);
  const single = page.panels.length === 1;
  const panels = page.panels.map((panel) => ({
    ...panelOf(panel, all),
    ...(single ? {} : { title: { text: panel.title, anchor: "middle", fontSize: 12 } }),
    width: page.width,
    height: page.height,
  }));
  const title = { text: page.title, anchor: "start", frame: "group", fontSize: 15, offset: 12, color: INK };
  const body = single
    ? { ...panels[0], title: { ...title, ...subtitle(page.caption) } }
    : { concat: panels, columns: page.columns, spacing: 24, title: { ...title, ...subtitle(page.caption) } };
  return {
    $schema: "https://vega.github.io/schema/vega-lite/v6.json",
    background: "#ffffff",
    padding: 12,
    ...body,
    config: {
      font: FONT,
      axis: { gridColor: "#e4e4e4", domainColor: "#888888", tickColor: "#888888", labelColor: INK, titleColor: INK },
      axisX: { titlePadding: 10 },
      axisY: { titlePadding: 10 },
      legend: { labelColor: INK, titleColor: INK, symbolStrokeWidth: 2, labelLimit: 260, orient: "right", offset: 14 },
      view: { stroke: null },
      concat: { spacing: 24 },
    },
  } as unknown as TopLevelSpec;
}

const subtitle = (caption: string) =>
  caption === "" ? {} : { subtitle: caption, subtitleColor: "#555555", subtitleFontSize: 11, subtitlePadding: 5 };

function panelOf({ x, y, series }: Panel, all: readonly Series[]): object {
  const rows = series.flatMap((one) => rowsOf(one, x, y));
  const of = (...kinds: Kind[]) => rows.filter(({ kind }) => kinds.includes(kind));
  const colours = coloursOf(all);
  const names = [...colours.keys()];
  const kinds = (["measured", "theory", "bound"] as const).filter((kind) => all.some((one) => one.kind === kind));
  const categories = rows.some((row) => typeof row.x === "string");
  const position = { x: xEncoding(x, rows, categories), y: { field: "y", type: "quantitative", ...axisOf(y, rows) } };
  const legend = names.length > 1 ? { title: null, symbolOpacity: 1 } : null;
  const colour = { ...byName, scale: { domain: names, range: [...colours.values()] }, legend };
  const shape = { ...byName, scale: { domain: names }, legend };
  const dash = {
    field: "kind",
    type: "nominal",
    scale: { domain: kinds, range: kinds.map((kind) => DASHES[kind]) },
    legend:
      kinds.length > 1 ? { title: null, symbolType: "stroke", symbolSize: 500, symbolStrokeColor: "#555555" } : null,
  };
  const points = of("measured").filter(({ y }) => y !== null);
  const banded = points.filter(({ low, high }) => low !== null && high !== null);
  const bounds = { y: { ...position.y, field: "low" }, y2: { field: "high" } };
  const marks = { ...position, color: colour, shape };
  const intervals = { ...position, ...bounds, color: colour };
  const lines = { ...position, color: colour, strokeDash: dash, detail: [byName] };
  const references = of("reference");
  if (categories) return { layer: categoryLayers(banded, points, of("theory", "bound"), intervals, marks) };
  return {
    layer: [
      ...layer(
        references,
        { type: "line", color: "#999999", strokeWidth: 1, clip: true },
        { ...position, detail: [byName] },
      ),
      ...layer(lastOf(references), label, { ...position, text: { field: "name" } }),
      ...layer(banded, { type: "area", opacity: 0.2, clip: true }, intervals),
      // Thin under its theory, so that the dashes can be seen where the two agree.
      ...layer(of("measured"), { type: "line", strokeWidth: 1.3, opacity: 0.55, clip: true }, lines),
      ...layer(
        of("theory", "bound"),
        { type: "line", strokeWidth: 2, clip: true },
        { ...lines, detail: [byName, byKind] },
      ),
      ...layer(points, { type: "point", filled: true, size: 38, opacity: 1 }, marks),
    ],
  };
}

/** Nothing lies between categories: no lines, and the series side by side. */
function categoryLayers(
  banded: readonly Row[],
  points: readonly Row[],
  theory: readonly Row[],
  intervals: object,
  marks: { readonly x: object; readonly y: object; readonly color: object },
): object[] {
  const beside = { xOffset: byName };
  const { shape: _, ...plain } = marks as typeof marks & { shape: object };
  return [
    ...layer(banded, { type: "rule", strokeWidth: 2, opacity: 0.6 }, { ...intervals, ...beside }),
    ...layer(theory, { type: "tick", orient: "horizontal", thickness: 2, width: 24 }, { ...plain, ...beside }),
    ...layer(points, { type: "point", filled: true, size: 42, opacity: 1 }, { ...marks, ...beside }),
  ];
}

const byName = { field: "name", type: "nominal" };
const byKind = { field: "kind", type: "nominal" };

const label = { type: "text", align: "right", baseline: "bottom", dy: -4, fontSize: 11, color: "#666666" };

const layer = (values: readonly Row[], mark: object, encoding: object): object[] =>
  values.length === 0 ? [] : [{ data: { values }, mark, encoding }];

/** The last point of each series, where its name is written. */
function lastOf(rows: readonly Row[]): Row[] {
  const last = new Map(rows.filter(({ y }) => y !== null).map((row) => [row.name, row]));
  return [...last.values()];
}

/** What a logarithmic axis cannot show is left out; the lower end of a band stops just below the points. */
function rowsOf({ name, kind, points }: Series, x: Axis, y: Axis): Row[] {
  const shown = points.filter((point) => !(x.log === true && typeof point.x === "number" && point.x <= 0));
  const positive = shown.flatMap((point) => (point.y !== null && point.y > 0 ? [point.y] : []));
  const least = y.log === true ? Math.min(...positive) / 2 : -Infinity;
  return shown.map((point) => {
    const value = point.y !== null && y.log === true && point.y <= 0 ? null : point.y;
    const { low = null, high = null } = value === null ? {} : point;
    return { name, kind, x: point.x, y: value, low: low === null ? null : Math.max(low, least), high };
  });
}

function xEncoding(axis: Axis, rows: readonly Row[], categories: boolean): object {
  if (!categories) return { field: "x", type: "quantitative", ...axisOf(axis, rows, "x") };
  const order = [...new Set(rows.map(({ x }) => x))];
  return { field: "x", type: "ordinal", sort: order, axis: { title: axis.label, labelAngle: 0 } };
}

function axisOf({ label, log = false, domain }: Axis, rows: readonly Row[], field: "x" | "y" = "y"): object {
  const values = rows.flatMap((row) => (field === "x" ? [row.x] : [row.y, row.low, row.high]));
  const numbers = values.filter((value): value is number => typeof value === "number");
  const [least, most] = domain ?? [Math.min(...numbers), Math.max(...numbers)];
  const nice = domain === undefined && field === "y";
  const marks = log ? logMarks(least, most, nice) : [];
  return {
    scale: {
      type: log ? "log" : "linear",
      ...(domain === undefined ? { nice } : { domain, nice }),
      ...(log || domain !== undefined ? {} : { zero: field === "y" }),
    },
    axis: {
      title: label,
      ...(log ? { format: most >= 1e8 || least < 1e-4 ? "~e" : ",~g" } : {}),
      labelOverlap: "parity",
      // What is counted has no halves.
      ...(!log && field === "x" && numbers.every(Number.isInteger) ? { tickMinStep: 1 } : {}),
      ...(marks.length >= 3 ? { values: marks } : {}),
    },
  };
}

/** Powers of ten; where an axis that ends at its data has fewer than three, also two and five times them. */
function logMarks(least: number, most: number, nice: boolean): number[] {
  const decades = powersOfTen(least, most);
  if (nice) return decades;
  const inside = (value: number) => value >= least && value <= most;
  const few = decades.filter(inside);
  return few.length >= 3 ? few : decades.flatMap((ten) => [ten, 2 * ten, 5 * ten]).filter(inside);
}

/** Those that a "nice" logarithmic axis from `least` to `most` has. */
function powersOfTen(least: number, most: number): number[] {
  if (!(least > 0) || !Number.isFinite(most)) return [];
  const first = Math.floor(Math.log10(least));
  const last = Math.ceil(Math.log10(most));
  const every = Math.max(1, Math.ceil((last - first) / 9));
  return Array.from({ length: Math.floor((last - first) / every) + 1 }, (_, i) => Number(`1e${first + i * every}`));
}
