/** The layers of one pair of axes: lines, intervals and marks that can be told apart without colours. */

import { wrapped } from "../trace/diagram/measure.ts";
import { type Axis, type Panel, type Series, type SeriesKind, signsOf } from "./figure.ts";

/** A mark per point of a series, as the rows of Vega-Lite's data. */
interface Row {
  readonly name: string;
  readonly kind: SeriesKind;
  /** What the legend of lines calls it: the kind, or the name of a reference. */
  readonly line: string;
  readonly x: number | string;
  readonly y: number | null;
  readonly low: number | null;
  readonly high: number | null;
}

const SOLID = [1, 0];
const LINES: Readonly<Partial<Record<SeriesKind, readonly number[]>>> = {
  measured: SOLID,
  theory: [6, 4],
  bound: [1.5, 3],
};
const REFERENCES = [
  [9, 3, 1.5, 3],
  [14, 4],
  [9, 3, 1.5, 3, 1.5, 3],
  [3, 6],
];
/** About so many marks on a line of theory that no measured points belong to. */
const MARKS = 9;
const OPEN = { type: "point", filled: false, size: 62, strokeWidth: 1.7, opacity: 1 };

export function layersOf({ x, y, series }: Panel, all: readonly Series[], width: number): object[] {
  const rows = series.flatMap((one) => rowsOf(one, x, y));
  const of = (...kinds: SeriesKind[]) => rows.filter(({ kind }) => kinds.includes(kind));
  const points = of("measured").filter(({ y }) => y !== null);
  const banded = points.filter(({ low, high }) => low !== null && high !== null);
  const categories = [...new Set(rows.flatMap(({ x }) => (typeof x === "string" ? [x] : [])))];
  const numbers = rows.flatMap(({ x }) => (typeof x === "number" ? [x] : []));
  const along = categories.length > 0 ? categoryAxis(x, categories, width) : numberAxis(x, numbers, "x");
  const heights = rows.flatMap(({ y, low, high }) => [y, low, high]).filter((value) => value !== null);
  const position = {
    x: { field: "x", type: "quantitative", ...along },
    y: { field: "y", type: "quantitative", ...numberAxis(y, heights, "y") },
  };
  const { colour, shape, dash } = scalesOf(all);
  const marks = { ...position, color: colour, shape };
  const intervals = { ...position, y: { ...position.y, field: "low" }, y2: { field: "high" }, color: colour };
  // Without a scale, or the legend would have filled marks.
  const { color: _, ...bounds } = intervals;
  const band = ([name, { colour }]: readonly [string, { readonly colour: string }]) =>
    layer(
      banded.filter((row) => row.name === name && isJoined(row, series)),
      { type: "area", color: colour, opacity: 0.2, clip: true },
      bounds,
    );
  const lines = { ...position, color: colour, strokeDash: dash, detail: [byName, byLine] };
  if (categories.length > 0) {
    return categoryLayers(banded, points, of("theory", "bound"), of("printed"), intervals, marks);
  }
  return [
    ...[...signsOf(all)].flatMap(band),
    ...layer(
      of("measured").filter((row) => isJoined(row, series)),
      { type: "line", strokeWidth: 1.3, opacity: 0.7, clip: true },
      lines,
    ),
    ...layer(of("theory", "bound"), { type: "line", strokeWidth: 1.6, clip: true }, lines),
    ...layer(
      of("reference"),
      { type: "line", color: "#777777", strokeWidth: 1.2, clip: true },
      { ...position, strokeDash: dash, detail: [byName] },
    ),
    ...layer(alone(of("theory", "bound"), all), OPEN, marks),
    ...layer(
      banded.filter((row) => !isJoined(row, series)),
      { type: "rule", strokeWidth: 1.7, clip: true },
      intervals,
    ),
    ...layer(points, OPEN, marks),
    ...layer(of("printed"), { ...OPEN, size: 90 }, marks),
  ];
}

/** Where theory says what is between the points, a straight line would say something else. */
const isJoined = ({ name }: { readonly name: string }, series: readonly Series[]) =>
  !series.some((one) => one.kind === "theory" && one.name === name);

/** Nothing lies between categories: no lines, and the series side by side. */
function categoryLayers(
  banded: readonly Row[],
  points: readonly Row[],
  theory: readonly Row[],
  printed: readonly Row[],
  intervals: object,
  marks: { readonly x: object; readonly y: object; readonly color: object },
): object[] {
  const beside = { xOffset: byName };
  const { shape: _, ...plain } = marks as typeof marks & { shape: object };
  return [
    ...layer(banded, { type: "rule", strokeWidth: 1.7 }, { ...intervals, ...beside }),
    ...layer(theory, { type: "tick", orient: "horizontal", thickness: 2, width: 24 }, { ...plain, ...beside }),
    ...layer([...points, ...printed], OPEN, { ...marks, ...beside }),
  ];
}

const byName = { field: "name", type: "nominal" };
const byLine = { field: "line", type: "nominal" };

/** One legend for the names, by colour and shape, and one for the kinds of lines. */
function scalesOf(all: readonly Series[]) {
  const signs = signsOf(all);
  const names = [...signs.keys()];
  const of = (part: "colour" | "shape") => ({ domain: names, range: [...signs.values()].map((sign) => sign[part]) });
  const legend = names.length > 1 ? { title: null, symbolOpacity: 1 } : null;
  const references = [...new Set(all.filter(({ kind }) => kind === "reference").map(({ name }) => name))];
  const drawn = (Object.keys(LINES) as SeriesKind[]).filter((kind) =>
    all.some((one) => one.kind === kind && (kind !== "measured" || isJoined(one, all))),
  );
  const dashes = new Map<string, readonly number[]>([
    ...drawn.map((kind) => [kind, LINES[kind]!] as const),
    ...references.map((name, i) => [name, REFERENCES[i % REFERENCES.length]] as const),
  ]);
  return {
    colour: { ...byName, scale: of("colour"), legend },
    shape: { ...byName, scale: of("shape"), legend },
    dash: {
      ...byLine,
      scale: { domain: [...dashes.keys()], range: [...dashes.values()] },
      legend: [...dashes.keys()].some((line) => line !== "measured")
        ? { title: null, symbolType: "stroke", symbolSize: 900, symbolStrokeColor: "#555555" }
        : null,
    },
  };
}

const layer = (values: readonly Row[], mark: object, encoding: object): object[] =>
  values.length === 0 ? [] : [{ data: { values }, mark, encoding }];

/** Some points of the lines whose name has no measured points, at other places for each line, so that none hides another. */
function alone(rows: readonly Row[], all: readonly Series[]): Row[] {
  const measured = new Set(all.filter(({ kind }) => kind === "measured").map(({ name }) => name));
  const names = [...new Set(rows.map(({ name }) => name))].filter((name) => !measured.has(name));
  return names.flatMap((name, i) => {
    const own = rows.filter((row) => row.name === name && row.y !== null);
    const every = Math.max(1, Math.round(own.length / MARKS));
    const first = Math.floor((i * every) / names.length);
    return own.filter((_, j) => j % every === first);
  });
}

/** What a logarithmic axis cannot show is left out; the lower end of a band stops just below the points. */
function rowsOf({ name, kind, points }: Series, x: Axis, y: Axis): Row[] {
  const line = kind === "reference" ? name : kind;
  const shown = points.filter((point) => !(x.log === true && typeof point.x === "number" && point.x <= 0));
  const positive = shown.flatMap((point) => (point.y !== null && point.y > 0 ? [point.y] : []));
  const least = y.log === true ? Math.min(...positive) / 2 : -Infinity;
  return shown.map((point) => {
    const value = point.y !== null && y.log === true && point.y <= 0 ? null : point.y;
    const { low = null, high = null } = value === null ? {} : point;
    return { name, kind, line, x: point.x, y: value, low: low === null ? null : Math.max(low, least), high };
  });
}

// Axes: where they begin and end, what is counted in whole numbers, and marks that can be read.

/** At most this many whole numbers each have a mark. */
const EACH = 12;
const LABEL_SIZE = 10;

function numberAxis(axis: Axis, numbers: readonly number[], which: "x" | "y"): object {
  const { label, log = false, domain } = axis;
  const [least, most] = domain ?? [Math.min(...numbers), Math.max(...numbers)];
  const nice = domain === undefined && which === "y";
  return {
    scale: {
      type: log ? "log" : "linear",
      ...(domain === undefined ? { nice } : { domain, nice }),
      ...(log || domain !== undefined ? {} : { zero: which === "y" }),
    },
    axis: {
      title: label,
      labelOverlap: "parity",
      ...(log
        ? logMarks(least, most, nice)
        : wholeMarks(least, most, which === "x" && numbers.every(Number.isInteger))),
    },
  };
}

/** Names in lines that fit into the room that each has. */
function categoryAxis({ label }: Axis, names: readonly string[], width: number): object {
  const lines = Object.fromEntries(names.map((name) => [name, wrapped(name, width / names.length - 8, LABEL_SIZE)]));
  return {
    type: "ordinal",
    sort: names,
    axis: { title: label, labelAngle: 0, labelLimit: 0, labelExpr: `(${JSON.stringify(lines)})[datum.value]` },
  };
}

/** What is counted has no halves. */
function wholeMarks(least: number, most: number, whole: boolean): object {
  if (!whole) return {};
  if (most - least >= EACH) return { tickMinStep: 1, format: ",d" };
  return { values: Array.from({ length: most - least + 1 }, (_, i) => least + i), format: ",d" };
}

/** From here on, and below its inverse, powers of ten are written as such. */
const LARGE = 1e7;

function logMarks(least: number, most: number, nice: boolean): object {
  const powers = most >= LARGE || least < 1e3 / LARGE;
  const marks = valuesOf(least, most, nice);
  return {
    ...(marks.length >= 3 ? { values: marks } : {}),
    ...(powers && marks.length >= 3
      ? { labelExpr: `(${JSON.stringify(Object.fromEntries(marks.map((mark) => [mark, power(mark)])))})[datum.value]` }
      : { format: ",~g" }),
  };
}

const RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹";

/** 1e21 as 10²¹, 2e-5 as 2·10⁻⁵. */
function power(value: number): string {
  const [digits, exponent] = value.toExponential().split("e");
  const raised = [...exponent].map((sign) => (sign === "-" ? "⁻" : sign === "+" ? "" : RAISED[Number(sign)])).join("");
  return value === 1 ? "1" : `${digits === "1" ? "" : `${digits}·`}10${raised}`;
}

/** Powers of ten; where an axis that ends at its data has fewer than three, also two and five times them. */
function valuesOf(least: number, most: number, nice: boolean): number[] {
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
