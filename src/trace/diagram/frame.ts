/** What surrounds the run: title, lane heads, the axis of time, and a legend of what occurs. */
import { time } from "../describe.ts";
import { type Kinds, line } from "./arrows.ts";
import type { Mark } from "./items.ts";
import type { Instant, Lanes } from "./layout.ts";
import { clock, MARK_NAMES, markShape, round } from "./marks.ts";
import { textWidth, wrapped } from "./measure.ts";
import { LINE, SIZE, type Theme } from "./theme.ts";

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

export interface Head {
  readonly node: number;
  readonly name: string;
  /** An id, or names of parts. */
  readonly below: string;
  /** The name without the word "node", where there is no room for it. */
  readonly short: string;
}

export const HEAD_HEIGHT = 2 * LINE + 16;

/** Lanes too narrow for their names have numbers, and the margin says what they are; too narrow for these, some of them. */
export function laneHeads(heads: readonly Head[], lanes: Lanes, top: number): string[] {
  const widest = (pick: (head: Head) => string, bold: boolean) =>
    heads.reduce((most, head) => Math.max(most, textWidth(pick(head), SIZE.head, bold)), 0) + 6;
  const roomy =
    lanes.gap >=
    Math.max(
      widest(({ name }) => name, true),
      widest(({ below }) => below, false),
    );
  const bare = (head: Head) => head.below.replace(/^id /, "");
  const each = roomy
    ? 1
    : Math.ceil(
        Math.max(
          widest(({ short }) => short, true),
          widest(bare, false),
        ) / lanes.gap,
      );
  const shown = heads.filter((_, i) => i % each === 0);
  const captions = roomy
    ? []
    : [
        textAt(12, top + LINE, "node", "tick"),
        ...(heads.some(({ below }) => below.startsWith("id ")) ? [textAt(12, top + 2 * LINE, "id", "tick")] : []),
      ];
  return [
    ...captions,
    ...shown.flatMap((head) => {
      const x = lanes.x.get(head.node)!;
      const below = roomy ? head.below : bare(head);
      return [
        textAt(x, top + LINE, roomy ? head.name : head.short, "head", "middle"),
        ...(below === "" ? [] : [textAt(x, top + 2 * LINE, below, "id", "middle")]),
      ];
    }),
  ];
}

export interface TitleLines {
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
export function axis(instants: readonly Instant[], unit: string, lanes: Lanes, theme: Theme): string[] {
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

/** Only what occurs in the picture. */
export function legend(
  kinds: Kinds,
  marks: ReadonlySet<Mark>,
  timers: boolean,
  lanes: Lanes,
  top: number,
  theme: Theme,
) {
  const entries: Entry[] = [
    ...kinds.names.map((text, kind) => ({
      text,
      draw: (x: number, y: number) => line({ x, y }, { x: x + SAMPLE - 8, y }, kind, theme, 0),
    })),
    ...(Object.keys(MARK_NAMES) as Mark[])
      .filter((mark) => marks.has(mark))
      .map((mark) => ({
        text: MARK_NAMES[mark],
        draw: (x: number, y: number) => markShape(mark, x + SAMPLE / 2, y, theme),
      })),
    ...(timers ? [{ text: "a timer expires", draw: (x: number, y: number) => clock(x + SAMPLE / 2, y, theme) }] : []),
  ];
  const drawn: string[] = [];
  let [x, y] = [12, top + 14];
  for (const { text, draw } of entries) {
    const width = SAMPLE + 6 + textWidth(text, SIZE.text) + 20;
    if (x + width > lanes.width && x > 12) {
      x = 12;
      y += LINE + 9;
    }
    drawn.push(draw(x, y), textAt(x + SAMPLE + 4, y + 4, text, "id"));
    x += width;
  }
  return { drawn, bottom: entries.length === 0 ? top : y + 16 };
}
