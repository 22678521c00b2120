/** What the texts say of a figure: its title and caption, and the titles and axes of its panels. */
import type { Axis, Multiples, Panel } from "../plot/plot.ts";
import type { Figure, Reproduction } from "./claim.ts";
import { textsOf, type Values } from "./texts.ts";

export interface FigureTexts
  extends Pick<Figure, "name" | "title" | "caption">,
    Pick<Multiples, "columns" | "width" | "height"> {
  readonly panels: readonly Omit<Panel, "series">[];
}

/** Figures are named after their paper. A field that occurs for each panel has a line for each. */
export function figureTexts(name: string, values?: Values): FigureTexts {
  const { say } = textsOf(name.split("-")[0] as Reproduction["paper"]);
  const [title, caption, columns, size, titles, xs, ys] = FIELDS.map((field) => say(name, field, values));
  const [width, height] = size.split(" x ").map(Number);
  const [panelTitles, panelXs, panelYs] = [titles, xs, ys].map((lines) => lines.split("\n"));
  return {
    ...{ name, title, caption, columns: Number(columns) },
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
