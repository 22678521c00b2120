/**
 * A space-time diagram as SVG for a class: a lane for each node, time down, an arrow for each message, and at each event the
 * shape of the part that the node plays and a few words. Instants are drawn at equal distances, because what matters is the
 * order. Every text keeps clear of every other, and of the border (see layout.ts).
 */
import { InputError } from "../../errors.ts";
import { kindOf, time } from "../describe.ts";
import type { TraceEvent } from "../events.ts";
import type { Story } from "../story.ts";
import {
  axis,
  drawTitle,
  escaped,
  HEAD_HEIGHT,
  type LaneHead,
  laneHeads,
  legend,
  textAt,
  titleLines,
} from "./frame.ts";
import { type Item, itemsOf } from "./items.ts";
import { type DiagramLayout, type Lanes, layout, type Placed } from "./layout.ts";
import { arrowTo, clockMark, Kinds, markShape, round, underWay } from "./marks.ts";
import { colourOf, SIZE, THEMES, type Theme, type ThemeName, textWidth } from "./measure.ts";

/** What a diagram shows besides the run, and how large. */
export interface DiagramOptions {
  readonly title: string;
  /** A second line: ids, seed, outcome. */
  readonly subtitle?: string;
  /** Of the picture, in pixels; by default what the lanes need, from 640 to 1280. */
  readonly width?: number;
  /** What time is counted in: "t =", "round", "step". */
  readonly unit?: string;
  /** Only these lanes, in this order. */
  readonly nodes?: readonly number[];
  readonly wanted?: (event: TraceEvent, number: number) => boolean;
  readonly legend?: boolean;
  /** Whether lanes have ids below their names; true where missing. */
  readonly ids?: boolean;
  readonly words?: boolean;
  readonly theme?: ThemeName;
}

const NARROWEST_LANE = 14;
const WIDEST_LANE = 190;
const USUAL = { least: 640, most: 1280, lane: 150 };
const AXIS_PADDING = 30;

/**
 * A run as a space-time diagram in SVG: a lane for each node, time downwards, messages as arrows.
 *
 * @example
 * ```ts
 * import { resolve } from "sortition/simulate";
 * import { diagram, tellTrial } from "sortition/trace";
 *
 * const svg = diagram(tellTrial(resolve({ protocol: "chang-roberts", n: 4 }), 0), { title: "Four processes" });
 * ```
 */
export function diagram(story: Story, options: DiagramOptions): string {
  const theme = THEMES[options.theme ?? "paper"];
  const { unit = "t =", wanted = () => true } = options;
  const only = options.nodes === undefined ? null : new Set(options.nodes);
  const items = itemsOf(
    story,
    (event, number) => (only?.has(event.node) ?? true) && wanted(event, number),
    options.words ?? true,
  );
  const nodes = options.nodes ?? lanesOf(items);
  const lanes = lanesFor(nodes, items, unit, options.width);
  const title = titleLines(options.title, options.subtitle ?? "", lanes.width);
  const placed = layout(items, lanes, title.height, HEAD_HEIGHT);
  const heads = nodes.map((node) => ({ ...headOf(story, node), ...(options.ids === false ? { id: "" } : {}) }));
  const kinds = new Kinds();
  const arrows = drawArrows(story, placed, lanes, kinds, theme);
  const drawn = [...placed.items.values()];
  const key =
    options.legend === false
      ? { drawn: [], bottom: placed.bottom }
      : legend(
          {
            kinds: kinds.names,
            marks: new Set(drawn.map(({ mark }) => mark)),
            timers: drawn.some(({ timer }) => timer),
            underWay: arrows.some,
          },
          lanes.width,
          placed.bottom,
          theme,
        );
  const height = Math.ceil(key.bottom + 10);
  const width = Math.ceil(lanes.width);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">`,
    `<title>${escaped([options.title, options.subtitle ?? ""].filter(Boolean).join("; "))}</title>`,
    `<style>${style(theme)}</style>`,
    `<rect width="${width}" height="${height}" fill="${theme.page}"/>`,
    ...drawTitle(title),
    ...axis(placed.instants, unit, lanes, theme),
    ...nodes.flatMap((node) => life(node, drawn, placed, lanes, theme)),
    ...arrows.drawn,
    ...placed.heads.flatMap((top) => laneHeads(heads, lanes, top)),
    ...drawn.flatMap(({ mark, timer, x, y, texts }) => [
      markShape(mark, x, y, theme),
      ...(timer ? [clockMark(besideMark(x, texts), y, theme)] : []),
    ]),
    ...drawn.flatMap((item) => textsOf(item, kinds, theme)),
    ...key.drawn,
    "</svg>",
    "",
  ].join("\n");
}

const lanesOf = (items: readonly Item[]): number[] =>
  [...new Set(items.flatMap(({ node, arrow }) => (arrow === null ? [node] : [node, arrow.from])))].sort(
    (a, b) => a - b,
  );

function lanesFor(nodes: readonly number[], items: readonly Item[], unit: string, asked: number | undefined): Lanes {
  const left =
    AXIS_PADDING + items.reduce((most, { at }) => Math.max(most, textWidth(`${unit} ${time(at)}`, SIZE.text)), 30);
  const least = Math.ceil(left + nodes.length * NARROWEST_LANE);
  const usual = Math.max(least, Math.min(USUAL.most, Math.max(USUAL.least, left + nodes.length * USUAL.lane)));
  const width = asked ?? usual;
  if (width < least) {
    throw new InputError(
      `${nodes.length} lanes need a width of at least ${least}: widen the picture or show fewer nodes`,
    );
  }
  const gap = Math.min(WIDEST_LANE, (width - left) / Math.max(1, nodes.length));
  return { x: new Map(nodes.map((node, i) => [node, left + gap * (i + 0.25)])), gap, left: left - 10, width };
}

/** The only part that a node plays names its lane; of several, all stand below. */
function headOf({ told, scene }: Story, node: number): LaneHead {
  const parts = new Set<string>();
  for (const sentence of told.values())
    if (sentence.node === node && sentence.as !== null) parts.add(sentence.as.replace(/^the /, ""));
  const plain = scene.name(node);
  const [only] = parts;
  const named = parts.size === 1 && /^(centre|host)/.test(only);
  const id = scene.id(node);
  return {
    node,
    name: named ? only : plain,
    short: plain.replace(/^node /, ""),
    id: id === null ? "" : `id ${id}`,
    parts: [...parts]
      .filter((part) => /^[A-Z]\d+$/.test(part) && part !== plain)
      .sort()
      .join(" "),
  };
}

/** A lane; thin and broken while its process is down or paused. */
function life(
  node: number,
  items: readonly Placed[],
  { heads, bottom }: DiagramLayout,
  lanes: Lanes,
  theme: Theme,
): string[] {
  const x = round(lanes.x.get(node)!);
  const lines: string[] = [];
  let [from, up] = [heads[0] + HEAD_HEIGHT - 8, true];
  const segment = (to: number) =>
    lines.push(
      `<line class="life" x1="${x}" x2="${x}" y1="${round(from)}" y2="${round(to)}" stroke="${up ? theme.out : theme.line}" stroke-width="${up ? 1.2 : 1}"${up ? "" : ' stroke-dasharray="2 5"'}/>`,
    );
  for (const { node: at, mark, y } of items) {
    if (at !== node) continue;
    const now = mark === "crash" || mark === "pause" || mark === "leave" ? false : mark === "lost" ? up : true;
    if (now === up) continue;
    segment(y);
    [from, up] = [y, now];
  }
  segment(bottom - 6);
  return lines;
}

/** `some`: whether anything is still under way in the end. */
function drawArrows({ events }: Story, { items }: DiagramLayout, lanes: Lanes, kinds: Kinds, theme: Theme) {
  const arrived = new Set<number>();
  const arrows = [...items.values()].flatMap((item) => {
    if (item.arrow === null) return [];
    arrived.add(events[item.number].cause!);
    return [arrowTo(item, item.arrow, items.get(item.arrow.tail), lanes, kinds.of(item.arrow.kind), theme)];
  });
  const leaving = events.flatMap((event, number) => {
    if (event.do !== "send" || arrived.has(number)) return [];
    const from = items.get(event.cause ?? -1);
    const to = lanes.x.get(event.to);
    return from === undefined || to === undefined ? [] : [underWay(from, to, kinds.of(kindOf(event.message)), theme)];
  });
  return { drawn: [...arrows, ...leaving], some: leaving.length > 0 };
}

/** A clock stands where no text does. */
const besideMark = (x: number, texts: Placed["texts"]): number =>
  texts.some(({ anchor }) => anchor === "end") ? x + 19 : x - 19;

function textsOf(item: Placed, kinds: Kinds, theme: Theme): string[] {
  const colour = (kind: string) => `style="fill:${colourOf(theme, kinds.of(kind))}"`;
  return item.texts.map(({ x, y, text, anchor, role }) => {
    const kind = role === "label" ? item.arrow?.kind : role === "cast" ? item.cast?.kind : undefined;
    const drawn = textAt(x, y, text, "said", anchor);
    return kind === undefined ? drawn : drawn.replace("<text ", `<text ${colour(kind)} `);
  });
}

const style = ({ ink, muted, page }: Theme): string => `
  text { font: ${SIZE.text}px "Atkinson Hyperlegible Next", system-ui, sans-serif; fill: ${ink}; }
  .title { font-size: ${SIZE.title}px; font-weight: 600; }
  .head { font-size: ${SIZE.head}px; font-weight: 600; }
  .id, .tick { fill: ${muted}; }
  .head, .id, .said { stroke: ${page}; stroke-width: 5px; stroke-linejoin: round; paint-order: stroke; }`;
