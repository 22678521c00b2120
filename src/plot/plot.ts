/** Figures as SVG text. The same data give the same bytes: no random ids, no locale, no fonts of the machine. */
import { InputError } from "../errors.ts";
import type { LinePlot, Multiples } from "./figure.ts";
import { type Page, specificationOf } from "./vega.ts";

export type { Axis, Kind, LinePlot, Multiples, Panel, PlotPoint, Series } from "./figure.ts";

const NO_CAPTION = "";

export function linePlot({ caption = NO_CAPTION, width = 560, height = 340, ...panel }: LinePlot): Promise<string> {
  return render({ title: panel.title, caption, columns: 1, panels: [panel], width, height });
}

/** Panels in a grid: one legend, axes of their own. */
export function smallMultiples(multiples: Multiples): Promise<string> {
  return render({ caption: NO_CAPTION, width: 230, height: 170, ...multiples });
}

/**
 * What draws, loaded where a figure is wanted: it takes longer than all other modules together, and is left out of the
 * package's own dependencies. Call it before long work, so that a missing package is told first.
 */
export async function loadPlotter(): Promise<[vega: typeof import("vega"), lite: typeof import("vega-lite")]> {
  try {
    return await Promise.all([import("vega"), import("vega-lite")]);
  } catch (error) {
    if ((error as { code?: string }).code !== "ERR_MODULE_NOT_FOUND") throw error;
    throw new InputError("figures need vega and vega-lite: npm install vega vega-lite");
  }
}

async function render(page: Page): Promise<string> {
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
