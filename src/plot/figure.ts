/** What a figure shows, as data; how it looks is decided in `vega.ts`. */

/**
 * - measured: points with their intervals; joined by a line with a band, unless theory of the same name shows what is between;
 * - theory: a dashed line in the colour of the measured series of the same name;
 * - bound: as theory, dotted: something that should not be passed;
 * - printed: values that a paper prints, as crosses;
 * - reference: a thin grey line, for growth such as sqrt(n).
 */
export type SeriesKind = "measured" | "theory" | "bound" | "printed" | "reference";

export interface PlotPoint {
  /** A number, or the name of a category; one kind for the whole figure. */
  readonly x: number | string;
  /** Null where there is no value: the line has a gap. */
  readonly y: number | null;
  readonly low?: number | null;
  readonly high?: number | null;
}

export interface Series {
  /** A measured series and its theory have the same name. */
  readonly name: string;
  readonly kind: SeriesKind;
  readonly points: readonly PlotPoint[];
}

export interface Axis {
  /** With its unit, where it has one. */
  readonly label: string;
  readonly log?: boolean;
  readonly domain?: readonly [number, number];
}

/** One pair of axes. */
export interface Panel {
  readonly title: string;
  readonly x: Axis;
  readonly y: Axis;
  readonly series: readonly Series[];
}

export interface LinePlot extends Panel {
  /** Where the numbers come from: seed, trials, what the bands are. */
  readonly caption?: string;
  /** Of the axes. */
  readonly width?: number;
  readonly height?: number;
}

/** Panels in a grid that share one legend. */
export interface Multiples {
  readonly title: string;
  readonly caption?: string;
  readonly columns: number;
  readonly panels: readonly Panel[];
  /** Of each panel. */
  readonly width?: number;
  readonly height?: number;
}

/** What a reader may want otherwise: the title, and the size of the whole picture in pixels. */
export interface Look {
  readonly title?: string | undefined;
  readonly width?: number | undefined;
  readonly height?: number | undefined;
}

/** Okabe and Ito's colours, which people with any kind of colour vision tell apart; without yellow, too pale on white. */
const PALETTE = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"] as const;
/** Shapes of which each can be seen where several lie on one point, in print without colours too. */
const SHAPES = ["circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right"] as const;
const CROSS = { colour: "#000000", shape: "M-0.9,-0.9L0.9,0.9M0.9,-0.9L-0.9,0.9" };

/** Colour and shape by name, in the order in which names first appear; references are grey lines and have none. */
export function signsOf(series: readonly Series[]): Map<string, { colour: string; shape: string }> {
  const names = new Map(series.filter(({ kind }) => kind !== "reference").map(({ name, kind }) => [name, kind]));
  let next = 0;
  return new Map(
    [...names].map(([name, kind]) => {
      if (kind === "printed") return [name, CROSS];
      const i = next++;
      return [name, { colour: PALETTE[i % PALETTE.length], shape: SHAPES[i % SHAPES.length] }];
    }),
  );
}
