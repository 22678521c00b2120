/** A chart as a list of things to draw, so that the page, an SVG file and a PNG all show the same. */
import { scaleLinear, scaleLog, scalePoint } from "d3-scale";
import { area, line } from "d3-shape";
import type { SweepPoint } from "../run/types.ts";

type Primitive =
  | {
      readonly kind: "path";
      readonly d: string;
      readonly stroke?: string;
      readonly fill?: string;
      readonly width?: number;
      readonly dash?: readonly number[];
      readonly opacity?: number;
    }
  | {
      readonly kind: "text";
      readonly x: number;
      readonly y: number;
      readonly text: string;
      readonly anchor?: "start" | "middle" | "end";
      readonly fill: string;
      readonly size?: number;
      readonly bold?: boolean;
    };

export interface ChartColours {
  readonly ink: string;
  readonly muted: string;
  readonly line: string;
  readonly page: string;
  readonly series: readonly string[];
}

export interface ChartOptions {
  readonly width: number;
  readonly height: number;
  readonly quantity: string;
  readonly axis: string;
  readonly logX: boolean;
  readonly logY: boolean;
  readonly colours: ChartColours;
}

interface Spot {
  readonly x: number;
  readonly mean: number;
  readonly low: number;
  readonly high: number;
  readonly theory: number | null;
}

/** Small round shapes that can be told apart without colour. */
const MARKERS = [
  "M4,0A4,4 0 1 1 -4,0A4,4 0 1 1 4,0Z",
  "M-3.6,-3.6H3.6V3.6H-3.6Z",
  "M0,-5L4.6,3.6H-4.6Z",
  "M0,-5.2L5.2,0L0,5.2L-5.2,0Z",
  "M-4,-4L4,4M4,-4L-4,4",
  "M0,-5V5M-5,0H5",
];

export function chartOf(points: readonly SweepPoint[], options: ChartOptions): Primitive[] {
  const { width, height, quantity, colours } = options;
  const protocols = [...new Set(points.map(({ protocol }) => protocol))];
  // Where there is no room beside the lines, their names stand above.
  const isNarrow = width < 600;
  const box = { left: 58, right: isNarrow ? 10 : 170, top: 34 + (isNarrow ? 18 * protocols.length : 0), bottom: 46 };
  const xs = [...new Set(points.map(({ x }) => x))];
  const isNumeric = xs.every((x) => typeof x === "number");
  const place = xScale(xs, isNumeric, options.logX, box.left, width - box.right);
  const lines = protocols.map((protocol) =>
    points
      .filter((point) => point.protocol === protocol && point.values[quantity]?.mean != null)
      .map(({ x, values, theory }): Spot => {
        const { mean, low, high } = values[quantity];
        return { x: place(x), mean: mean!, low: low ?? mean!, high: high ?? mean!, theory: theory[quantity] ?? null };
      })
      .sort((a, b) => a.x - b.x),
  );
  const all = lines
    .flat()
    .flatMap(({ low, high, mean, theory }) => [low, high, mean, ...(theory === null ? [] : [theory])]);
  if (all.length === 0) return [];
  const isLogY = options.logY && all.some((value) => value > 0);
  const y = yScale(all, isLogY, quantity, height - box.bottom, box.top);
  const drawn: Primitive[] = [];
  const text = (x: number, at: number, words: string, more: Partial<Extract<Primitive, { kind: "text" }>> = {}) =>
    drawn.push({ kind: "text", x, y: at, text: words, fill: colours.muted, ...more });

  let labelled = Infinity;
  for (const tick of y.ticks) {
    const at = y.place(tick);
    drawn.push({ kind: "path", d: `M${box.left},${at}H${width - box.right}`, stroke: colours.line, width: 1 });
    // Upwards; a label that would stand in the last one is left out, a round one never is.
    const isRound = Math.abs(Math.log10(tick) % 1) < 1e-9;
    if (labelled - at < 15 && !isRound) continue;
    if (labelled - at < 15)
      drawn.splice(
        drawn.findLastIndex(({ kind }) => kind === "text"),
        1,
      );
    labelled = at;
    text(box.left - 8, at, short(tick), { anchor: "end" });
  }
  for (const x of tickValues(xs, isNumeric))
    text(place(x), height - box.bottom + 18, typeof x === "number" ? short(x) : x, { anchor: "middle" });
  text((box.left + width - box.right) / 2, height - 8, options.axis, { anchor: "middle" });
  text(2, 12, quantity.replace("measures.", ""), { anchor: "start", fill: colours.ink, bold: true });

  const ends: { at: number; name: string; colour: string; marker: string }[] = [];
  for (const [i, spots] of lines.entries()) {
    if (spots.length === 0) continue;
    const colour = colours.series[i % colours.series.length];
    const band = area<Spot>()
      .x(({ x }) => x)
      .y0(({ low }) => y.place(low))
      .y1(({ high }) => y.place(high))(spots);
    const curve = line<Spot>()
      .x(({ x }) => x)
      .y(({ mean }) => y.place(mean))(spots);
    drawn.push({ kind: "path", d: band ?? "", fill: colour, opacity: 0.2 });
    drawn.push({ kind: "path", d: curve ?? "", stroke: colour, width: 2 });
    const known = spots.filter(({ theory }) => theory !== null);
    const theory = line<Spot>()
      .x(({ x }) => x)
      .y((spot) => y.place(spot.theory!))(known);
    if (known.length > 1) drawn.push({ kind: "path", d: theory ?? "", stroke: colours.ink, width: 1.5, dash: [5, 4] });
    for (const { x, mean } of spots) {
      drawn.push({
        kind: "path",
        d: moved(MARKERS[i % MARKERS.length], x, y.place(mean)),
        fill: colour,
        stroke: colour,
        width: 1.5,
      });
    }
    ends.push({ at: y.place(spots.at(-1)!.mean), name: protocols[i], colour, marker: MARKERS[i % MARKERS.length] });
  }
  // Labels at the ends of lines keep a line's height apart.
  ends.sort((a, b) => a.at - b.at);
  for (let i = 1; i < ends.length; i++) ends[i].at = Math.max(ends[i].at, ends[i - 1].at + 17);
  for (const [i, end] of ends.entries()) {
    const { name, colour, marker } = end;
    if (isNarrow) {
      const at = 32 + 18 * i;
      drawn.push({ kind: "path", d: moved(marker, 14, at), fill: colour, stroke: colour, width: 1.5 });
      text(26, at, name, { fill: colours.ink, anchor: "start" });
      continue;
    }
    const { at } = end;
    drawn.push({
      kind: "path",
      d: moved(marker, width - box.right + 14, at),
      fill: colour,
      stroke: colour,
      width: 1.5,
    });
    text(width - box.right + 24, at, name, { fill: colours.ink, anchor: "start" });
  }
  return drawn;
}

/** A path of absolute moves, lines and arcs, put elsewhere. */
function moved(path: string, x: number, y: number): string {
  return path.replace(/([MLHVA])([^MLHVAZ]*)/g, (_, letter: string, rest: string) => {
    const numbers = rest.trim().split(/[ ,]+/).filter(Boolean).map(Number);
    if (letter === "H") return `H${numbers[0] + x}`;
    if (letter === "V") return `V${numbers[0] + y}`;
    if (letter === "A") return `A${numbers.slice(0, 5).join(" ")} ${numbers[5] + x} ${numbers[6] + y}`;
    return `${letter}${numbers[0] + x},${numbers[1] + y}`;
  });
}

function xScale(xs: readonly (number | string)[], isNumeric: boolean, log: boolean, from: number, to: number) {
  if (!isNumeric) {
    const scale = scalePoint<string>(xs.map(String), [from + 16, to - 16]);
    return (x: number | string) => scale(String(x)) ?? from;
  }
  const numbers = xs as readonly number[];
  const [least, most] = [Math.min(...numbers), Math.max(...numbers)];
  const scale =
    log && least > 0
      ? scaleLog([least, most], [from + 8, to - 8])
      : scaleLinear([least, Math.max(most, least + 1e-9)], [from + 8, to - 8]);
  return (x: number | string) => scale(Number(x));
}

function yScale(values: readonly number[], log: boolean, quantity: string, from: number, to: number) {
  const most = Math.max(...values);
  if (log) {
    const least = Math.min(...values.filter((value) => value > 0));
    const scale = scaleLog([least * 0.8, Math.max(most * 1.2, least * 1.01)], [from, to]);
    const all = scale.ticks();
    const ticks = all.length > 9 ? all.filter((tick) => Math.abs(Math.log10(tick) % 1) < 1e-9) : all;
    return {
      place: (value: number) => scale(Math.max(value, least / 2)),
      ticks: ticks.length > 1 ? ticks : all.slice(0, 9),
    };
  }
  const scale = scaleLinear(
    [quantity === "success" ? Math.min(0.9, Math.min(...values)) : 0, quantity === "success" ? 1 : most || 1],
    [from, to],
  ).nice();
  return { place: (value: number) => scale(value), ticks: scale.ticks(6) };
}

function tickValues(xs: readonly (number | string)[], isNumeric: boolean): readonly (number | string)[] {
  const sorted = isNumeric ? [...(xs as number[])].sort((a, b) => a - b) : xs;
  const every = Math.ceil(sorted.length / 9);
  return sorted.filter((_, i) => i % every === 0);
}

export const short = (value: number): string =>
  Math.abs(value) >= 1e6 ? value.toExponential(0) : value.toLocaleString("en", { maximumSignificantDigits: 4 });

const escaped = (text: string): string =>
  text.replace(/[&<>"]/g, (letter) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[letter]!);

export const FONT = "'Atkinson Hyperlegible Next', sans-serif";

/** As a file of its own. */
export function svgText(drawn: readonly Primitive[], { width, height, colours }: ChartOptions, title: string): string {
  const parts = drawn.map((part) => {
    if (part.kind === "text") {
      const { x, y, text, anchor = "start", fill, size = 13, bold } = part;
      return `<text x="${x}" y="${y}" text-anchor="${anchor}" dominant-baseline="central" font-size="${size}" fill="${fill}"${bold ? ' font-weight="700"' : ""}>${escaped(text)}</text>`;
    }
    const { d, stroke = "none", fill = "none", width: wide = 1, dash, opacity = 1 } = part;
    return `<path d="${d}" stroke="${stroke}" fill="${fill}" stroke-width="${wide}" opacity="${opacity}"${dash ? ` stroke-dasharray="${dash.join(" ")}"` : ""}/>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="${FONT}"><title>${escaped(title)}</title><rect width="100%" height="100%" fill="${colours.page}"/>${parts.join("")}</svg>\n`;
}

/** As pixels, twice as fine as on the page. */
export function pngOf(drawn: readonly Primitive[], { width, height, colours }: ChartOptions): Promise<Blob> {
  const canvas = document.createElement("canvas");
  canvas.width = 2 * width;
  canvas.height = 2 * height;
  const context = canvas.getContext("2d")!;
  context.scale(2, 2);
  context.fillStyle = colours.page;
  context.fillRect(0, 0, width, height);
  for (const part of drawn) {
    if (part.kind === "text") {
      context.fillStyle = part.fill;
      context.textAlign = part.anchor === "middle" ? "center" : (part.anchor ?? "start");
      context.textBaseline = "middle";
      context.font = `${part.bold ? "700 " : ""}${part.size ?? 13}px ${FONT}`;
      context.fillText(part.text, part.x, part.y);
      continue;
    }
    const path = new Path2D(part.d);
    context.globalAlpha = part.opacity ?? 1;
    context.setLineDash([...(part.dash ?? [])]);
    if (part.fill !== undefined) {
      context.fillStyle = part.fill;
      context.fill(path);
    }
    if (part.stroke !== undefined) {
      context.strokeStyle = part.stroke;
      context.lineWidth = part.width ?? 1;
      context.stroke(path);
    }
    context.globalAlpha = 1;
  }
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob === null ? reject(new Error("no picture came out")) : resolve(blob)), "image/png"),
  );
}

/** One line a point. */
export function csvOf(points: readonly SweepPoint[], axis: string, quantities: readonly string[]): string {
  const head = [
    "protocol",
    axis,
    "trials",
    ...quantities.flatMap((name) => [name, `${name} low`, `${name} high`, `${name} theory`]),
  ];
  const rows = points.map(({ protocol, x, trials, values, theory }) => [
    ...[protocol, x, trials],
    ...quantities.flatMap((name) =>
      [values[name]?.mean, values[name]?.low, values[name]?.high, theory[name]].map((value) => value ?? ""),
    ),
  ]);
  return [head, ...rows]
    .map((row) => row.map((cell) => cellText(String(cell))).join(","))
    .join("\n")
    .concat("\n");
}

const cellText = (cell: string): string => (/[",\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
