/** What the texts say of a figure: its title and caption, and the titles and axes of its panels. */
import type { Axis, Multiples, Panel } from "../plot/plot.ts";

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
