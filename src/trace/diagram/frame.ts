/** What surrounds the run: title, lane heads, the axis of time, and a legend of what occurs. */
import { time } from "../describe.ts";
import type { Mark } from "./items.ts";
import type { Lanes, PlacedInstant } from "./layout.ts";
import { clockMark, line, MARK_NAMES, markShape, round } from "./marks.ts";
import { LINE, SIZE, type Theme, textWidth, wrapped } from "./measure.ts";

export const escaped = (text: string): string =>
  text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;");

export function textAt(
  x: number,
  y: number,
  text: string,
  style: string,
  anchor: "start" | "middle" | "end" = "start",
): string {
  const anchored = anchor === "start" ? "" : ` text-anchor="${anchor}"`;
  return `<text class="${style}" x="${round(x)}" y="${round(y)}"${anchored}>${escaped(text)}</text>`;
}

export interface LaneHead {
  readonly node: number;
  readonly name: string;
  /** The name without the word "node", where there is no room for it. */
  readonly short: string;
  /** "id 4", or nothing. */
  readonly id: string;
  /** What the paper calls its parts: "C3 M3". */
  readonly parts: string;
}

export const HEAD_HEIGHT = 2 * LINE + 16;

interface HeadStyle {
  above(head: LaneHead): string;
  below(head: LaneHead): string;
  readonly captions: boolean;
}

/** As much as the lanes have room for. */
const STYLES: readonly HeadStyle[] = [
  { above: ({ name }) => name, below: ({ id, parts }) => [id, parts].filter(Boolean).join(" · "), captions: false },
  { above: ({ name }) => name, below: ({ id }) => id, captions: false },
  { above: ({ short }) => short, below: ({ id }) => id.replace("id ", ""), captions: true },
];

/** Lanes too narrow for their names have numbers, and the margin says what they are; too narrow for these, some of them. */
export function laneHeads(heads: readonly LaneHead[], lanes: Lanes, top: number): string[] {
  const needs = ({ above, below }: HeadStyle) =>
    6 +
    heads.reduce(
      (most, head) => Math.max(most, textWidth(above(head), SIZE.head, true), textWidth(below(head), SIZE.text)),
      0,
    );
  const style = STYLES.find((one) => needs(one) <= lanes.gap) ?? STYLES[STYLES.length - 1];
  const each = Math.ceil(needs(style) / lanes.gap);
  const hasIds = heads.some(({ id }) => id !== "");
  return [
    ...(style.captions ? [textAt(12, top + LINE, "node", "tick")] : []),
    ...(style.captions && hasIds ? [textAt(12, top + 2 * LINE, "id", "tick")] : []),
    ...heads.flatMap((head, i) => {
      if (i % each !== 0) return [];
      const x = lanes.x.get(head.node)!;
      const below = style.below(head);
      return [
        textAt(x, top + LINE, style.above(head), "head", "middle"),
        ...(below === "" ? [] : [textAt(x, top + 2 * LINE, below, "id", "middle")]),
      ];
    }),
  ];
}

interface TitleLines {
  readonly lines: readonly string[];
  readonly height: number;
}

export function titleLines(
  title: string,
  subtitle: string,
  width: number,
): TitleLines & { readonly subtitle: readonly string[] } {
  const lines = wrapped(title, width - 24, SIZE.title, true);
  const below = subtitle === "" ? [] : wrapped(subtitle, width - 24, SIZE.text);
  return { lines, subtitle: below, height: 14 + lines.length * 21 + below.length * 17 + 6 };
}

export function drawTitle({ lines, subtitle }: ReturnType<typeof titleLines>): string[] {
  return [
    ...lines.map((text, i) => textAt(12, 26 + 21 * i, text, "title")),
    ...subtitle.map((text, i) => textAt(12, 24 + 21 * lines.length + 17 * i, text, "id")),
  ];
}

/** The instants, each with a rule above it. */
export function axis(instants: readonly PlacedInstant[], unit: string, lanes: Lanes, theme: Theme): string[] {
  return instants.flatMap(({ at, top, y }) => [
    `<line x1="12" x2="${round(lanes.width - 10)}" y1="${round(top - 3)}" y2="${round(top - 3)}" stroke="${theme.line}"/>`,
    textAt(12, y + 4, `${unit} ${time(at)}`, "tick"),
  ]);
}

interface Entry {
  readonly text: string;
  draw(x: number, y: number): string;
}

const SAMPLE = 40;

interface Occurring {
  readonly kinds: readonly string[];
  readonly marks: ReadonlySet<Mark>;
  readonly timers: boolean;
  readonly underWay: boolean;
}

/** Only what occurs in the picture. */
export function legend({ kinds, marks, timers, underWay }: Occurring, width: number, top: number, theme: Theme) {
  const across = (kind: number, head: boolean) => (x: number, y: number) =>
    line({ x, y }, { x: x + SAMPLE - 8, y }, kind, theme, 0, head);
  const entries: Entry[] = [
    ...kinds.map((text, kind) => ({ text, draw: across(kind, true) })),
    ...(underWay ? [{ text: "still under way", draw: across(0, false) }] : []),
    ...(Object.keys(MARK_NAMES) as Mark[])
      .filter((mark) => marks.has(mark))
      .map((mark) => ({
        text: MARK_NAMES[mark],
        draw: (x: number, y: number) => markShape(mark, x + SAMPLE / 2, y, theme),
      })),
    ...(timers
      ? [{ text: "a timer expires", draw: (x: number, y: number) => clockMark(x + SAMPLE / 2, y, theme) }]
      : []),
  ];
  const drawn: string[] = [];
  let [x, y] = [12, top + 14];
  for (const { text, draw } of entries) {
    const breadth = SAMPLE + 6 + textWidth(text, SIZE.text) + 20;
    if (x + breadth > width && x > 12) {
      x = 12;
      y += LINE + 9;
    }
    drawn.push(draw(x, y), textAt(x + SAMPLE + 4, y + 4, text, "id"));
    x += breadth;
  }
  return { drawn, bottom: entries.length === 0 ? top : y + 16 };
}
