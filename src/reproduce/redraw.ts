/** Figures from the data that lie beside them, without running anything: in another size, under another title, by newer code. */

import { parseCsv } from "../plot/csv.ts";
import type { Plot, PlotPoint, Series } from "../plot/plot.ts";
import { figureTexts, plotOf } from "./draw.ts";
import type { ReproductionRecord } from "./record.ts";
import { textsOf } from "./texts.ts";

/** Null where the data are not its curves: diagrams of schedules, and tables that tell more. */
export function redrawn(
  paper: ReproductionRecord["paper"],
  figure: ReproductionRecord["figures"][number],
  csv: string,
): Plot | null {
  const [header, ...rows] = parseCsv(csv);
  const single = header[0] === "series";
  if (!single && header[0] !== "panel") return null;
  const { say } = textsOf(paper);
  const texts = figureTexts((field) => say(figure.name, field, null));
  const { title, caption } = figure;
  const named = rows.map(([first, ...rest]) => (single ? ["", first, ...rest] : [first, ...rest]));
  const titles = [...new Set(named.map(([panel]) => panel))];
  const numbers = rows.every((row) => row[single ? 2 : 3] === String(Number(row[single ? 2 : 3])));
  const panels = texts.panels.map((panel, i) => ({
    ...panel,
    title: titles[i],
    series: seriesOf(
      named.filter(([of]) => of === titles[i]),
      numbers,
    ),
  }));
  if (single) panels[0].title = title;
  return plotOf({ ...texts, title, caption, panels }, single);
}

function seriesOf(rows: readonly (readonly string[])[], numbers: boolean): Series[] {
  const found = new Map<string, Series & { points: PlotPoint[] }>();
  for (const [, name, kind, x, y, low, high] of rows) {
    const key = `${kind} ${name}`;
    const series = found.get(key) ?? { name, kind: kind as Series["kind"], points: [] };
    found.set(key, series);
    const [value, from, to] = [y, low, high].map((cell) => (cell === "" ? null : Number(cell)));
    series.points.push({ x: numbers ? Number(x) : x, y: value, low: from, high: to });
  }
  return [...found.values()];
}
