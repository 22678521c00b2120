/** Figures as SVG text and as a specification. The same data give the same bytes: no random ids, no locale, no fonts of the machine. */
import { InputError, notInstalled } from "../errors.ts";
import { textWidth } from "../trace/diagram/measure.ts";
import type { LinePlot, Look, Multiples } from "./figure.ts";
import { pictureSize } from "./picture.ts";
import { type PlotPage, specificationOf } from "./vega.ts";

export type { Axis, LinePlot, Look, Multiples, Panel, PlotPoint, Series, SeriesKind } from "./figure.ts";

/** A figure that can be drawn in several sizes; `specification` is what Vega-Lite draws, to edit. */
export interface Plot {
  svg(look?: Look): Promise<string>;
  /** Missing where something else draws. */
  specification?(look?: Look): Promise<object>;
}

export function linePlot({ caption = "", width = 560, height = 340, ...panel }: LinePlot): Plot {
  return plotOf({ title: panel.title, caption, columns: 1, panels: [panel], width, height });
}

/** Panels in a grid: one legend, axes of their own. */
export function smallMultiples(multiples: Multiples): Plot {
  return plotOf({ caption: "", width: 230, height: 170, ...multiples });
}

function plotOf(page: PlotPage): Plot {
  return {
    svg: async (look = {}) => (await fitted(page, look)).svg,
    specification: async (look = {}) => specificationOf((await fitted(page, look)).page),
  };
}

/**
 * What draws, loaded where a figure is wanted: it takes longer than all other modules together, and is left out of the
 * package's own dependencies. Call it before long work, so that a missing package is told first.
 */
export async function loadPlotter(): Promise<[vega: typeof import("vega"), lite: typeof import("vega-lite")]> {
  try {
    const [vega, lite] = await Promise.all([import("vega"), import("vega-lite")]);
    // Its own guess, without a canvas, makes every letter as wide as the widest.
    (vega as unknown as Measuring).textMetrics.width = widthOf;
    return [vega, lite];
  } catch (error) {
    throw notInstalled(error, "figures need vega and vega-lite: npm install vega vega-lite");
  }
}

/** Axes get what titles, marks and legend leave of the picture; lines of a title break anew, so it takes some turns. */
const TURNS = 4;
const LEAST = 60;

async function fitted(
  page: PlotPage,
  { title = page.title, width, height }: Look,
): Promise<{ page: PlotPage; svg: string }> {
  let now: PlotPage = { ...page, title };
  let svg = await render(now);
  const rows = Math.ceil(page.panels.length / page.columns);
  const across = Math.min(page.columns, page.panels.length);
  for (let turn = 0; turn < TURNS; turn++) {
    const [wide, high] = pictureSize(svg);
    const [dx, dy] = [(width ?? wide) - wide, (height ?? high) - high];
    if (dx === 0 && dy === 0) break;
    now = { ...now, width: now.width + dx / across, height: now.height + dy / rows };
    if (now.width < LEAST || now.height < LEAST) {
      const [option, asked] = now.width < LEAST ? ["width", width] : ["height", height];
      throw new InputError(`a ${option} of ${asked} pixels leaves no room for the axes: choose a larger one`);
    }
    svg = await render(now);
  }
  return { page: now, svg: padded(svg, width, height) };
}

/** A pixel or two that halves and the breaking of lines leave go to the border. */
function padded(svg: string, width: number | undefined, height: number | undefined): string {
  const [wide, high] = pictureSize(svg);
  const [x, y] = [width ?? wide, height ?? high];
  return svg.replace(
    / width="[\d.]+" height="[\d.]+" viewBox="[^"]*"/,
    ` width="${x}" height="${y}" viewBox="0 0 ${x} ${y}"`,
  );
}

async function render(page: PlotPage): Promise<string> {
  const [vega, { compile }] = await loadPlotter();
  const problems: string[] = [];
  const collect = (...words: readonly unknown[]) => problems.push(words.map(String).join(" "));
  const logger = { ...vega.logger(vega.Warn), warn: collect, error: collect };
  const specification = compile(specificationOf(page), { logger: logger as never }).spec;
  // Clip paths are numbered through the life of the process, unless told otherwise.
  vega.resetSVGDefIds();
  const view = new vega.View(vega.parse(specification), { renderer: "none", logger: logger as never });
  try {
    const svg = await view.toSVG();
    if (problems.length > 0) throw new Error(`a figure was not drawn as specified: ${problems.join("; ")}`);
    return `${svg}\n`;
  } finally {
    view.finalize();
  }
}

/** What Vega's types leave out. */
interface Measuring {
  readonly textMetrics: { width: typeof widthOf };
}
interface Text {
  readonly fontSize?: number;
  readonly fontWeight?: string | number;
}

function widthOf({ fontSize = 11, fontWeight }: Text, text: unknown): number {
  return textWidth(String(text ?? ""), fontSize, fontWeight === "bold");
}
