/** What a figure shows, as data; how it looks is decided in `vega.ts`. */

/**
 * - measured: points joined by a line, with the band of their intervals;
 * - theory: a dashed line in the colour of the measured series of the same name;
 * - bound: as theory, dotted: something that should not be passed;
 * - reference: a thin grey line with its name, for growth such as sqrt(n).
 */
export type Kind = "measured" | "theory" | "bound" | "reference";

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
  readonly kind: Kind;
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

/** Okabe and Ito's colours, which people with any kind of colour vision tell apart; without yellow, too pale on white. */
export const PALETTE = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"] as const;

/** Colours by name, in the order in which names first appear; references are all grey and have none. */
export function coloursOf(series: readonly Series[]): Map<string, string> {
  const names = new Set(series.filter(({ kind }) => kind !== "reference").map(({ name }) => name));
  return new Map([...names].map((name, i) => [name, PALETTE[i % PALETTE.length]]));
}
