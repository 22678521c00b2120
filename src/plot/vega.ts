/** From the data of a figure to a Vega-Lite specification: how our figures look. */
import type { TopLevelSpec } from "vega-lite";
import { textWidth, wrapped } from "../trace/diagram/measure.ts";
import type { Panel, Series } from "./figure.ts";
import { layersOf } from "./panel.ts";

const INK = "#222222";
const FONT = "Helvetica, Arial, sans-serif";
/** Between panels: room for the marks and the title of an axis. */
const SPACING = { column: 100, row: 84 };
const LEGEND = { size: 10, widest: 190, symbol: 42 };
const TITLE = { size: 15, caption: 11 };
const LINE = 15;

export interface PlotPage {
  readonly title: string;
  readonly caption: string;
  readonly columns: number;
  readonly panels: readonly Panel[];
  /** Of the axes of each panel. */
  readonly width: number;
  readonly height: number;
}

export function specificationOf(page: PlotPage): TopLevelSpec {
  const all = page.panels.flatMap(({ series }) => series);
  const single = page.panels.length === 1;
  const panels = page.panels.map((panel) => ({
    layer: [...layersOf(panel, all, page.width), ...(single ? [] : [panelTitle(panel.title, page.width)])],
    width: page.width,
    height: page.height,
  }));
  const title = titleOf(page, all);
  const lines = Math.max(...page.panels.map((panel) => linesOf(panel.title, page.width).length));
  const spacing = { ...SPACING, row: SPACING.row + LINE * (lines - 1) };
  const body = single
    ? { ...panels[0], title }
    : { concat: panels, columns: page.columns, bounds: "flush", spacing, title };
  return {
    $schema: "https://vega.github.io/schema/vega-lite/v6.json",
    background: "#ffffff",
    padding: 12,
    ...body,
    config: {
      font: FONT,
      axis: {
        gridColor: "#e4e4e4",
        domainColor: "#888888",
        tickColor: "#888888",
        labelColor: INK,
        titleColor: INK,
        labelFlush: false,
      },
      axisX: { titlePadding: 10 },
      axisY: { titlePadding: 10 },
      legend: {
        labelColor: INK,
        titleColor: INK,
        labelFontSize: LEGEND.size,
        labelLimit: 0,
        orient: "right",
        offset: 14,
        labelExpr: `(${JSON.stringify(legendLines(all))})[datum.value] || datum.label`,
      },
      view: { stroke: null },
    },
  } as unknown as TopLevelSpec;
}

/** Long names in several lines, so that the axes keep their room. */
const legendLines = (all: readonly Series[]) =>
  Object.fromEntries(
    all.flatMap(({ name }) => {
      const lines = wrapped(name, LEGEND.widest, LEGEND.size);
      return lines.length > 1 ? [[name, lines]] : [];
    }),
  );

const linesOf = (title: string, width: number) => wrapped(title, width + SPACING.column / 2, 12, true);

/** As a mark: the title of a view would stand at a height that depends on what its marks and labels reach. */
function panelTitle(title: string, width: number): object {
  const text = linesOf(title, width);
  return {
    data: { values: [{}] },
    mark: { type: "text", align: "center", baseline: "bottom", fontSize: 12, fontWeight: "bold", lineHeight: LINE },
    encoding: { x: { value: width / 2 }, y: { value: -8 - LINE * (text.length - 1) }, text: { value: text } },
  };
}

function titleOf({ title, caption, columns, panels, width }: PlotPage, all: readonly Series[]) {
  const across = Math.min(columns, panels.length);
  const names = all.flatMap(({ name }) => wrapped(name, LEGEND.widest, LEGEND.size));
  const legend = LEGEND.symbol + Math.max(0, ...names.map((name) => textWidth(name, LEGEND.size)));
  const room = across * width + (across - 1) * SPACING.column + legend;
  return {
    text: wrapped(title, room, TITLE.size, true),
    anchor: "start",
    frame: "group",
    fontSize: TITLE.size,
    offset: 14,
    color: INK,
    ...(caption === ""
      ? {}
      : {
          subtitle: wrapped(caption, room, TITLE.caption),
          subtitleColor: "#555555",
          subtitleFontSize: TITLE.caption,
          subtitlePadding: 5,
        }),
  };
}
