/**
 * Where everything stands: lanes side by side, time down. Within an instant, items share a row while nothing that they say
 * overlaps; so texts cannot collide, whatever the run.
 */
import type { Item } from "./items.ts";
import { LINE, SIZE, textWidth, wrapped } from "./measure.ts";

export const RADIUS = 7;
/** What a clock beside a mark takes. */
const CLOCK = 27;
const MARGIN = 10;
/** Between a mark and what is said beside it. */
const BESIDE = 12;
/** A label leaves room for the head of its arrow. */
const BESIDE_HEAD = 19;
const ROW_GAP = 14;
/** A label on the right of its mark stands a little lower, so that the arrow, which comes from above, does not cross it. */
const LOWERED = 6;
const INSTANT_GAP = 10;
/** Words take at most this, or the distance of lanes where that is more. */
const NARROW = 150;
/** Lane heads come again after this many pixels. */
const HEADS_AGAIN = 900;

interface PlacedText {
  readonly x: number;
  readonly y: number;
  readonly anchor: "start" | "end";
  readonly text: string;
  readonly role: "label" | "words" | "cast";
}

export interface Placed extends Item {
  readonly x: number;
  readonly y: number;
  readonly texts: readonly PlacedText[];
}

export interface PlacedInstant {
  readonly at: number;
  readonly top: number;
  readonly y: number;
}

export interface DiagramLayout {
  readonly items: ReadonlyMap<number, Placed>;
  readonly instants: readonly PlacedInstant[];
  /** Where lane heads stand: the top of each band. */
  readonly heads: readonly number[];
  readonly bottom: number;
}

export interface Lanes {
  readonly x: ReadonlyMap<number, number>;
  readonly gap: number;
  readonly left: number;
  readonly width: number;
}

interface Row {
  readonly taken: [number, number][];
  readonly items: { readonly item: Item; readonly x: number; readonly sides: Sides }[];
  lines: number;
  lowered: number;
}

export function layout(items: readonly Item[], lanes: Lanes, top: number, headHeight: number): DiagramLayout {
  const placed = new Map<number, Placed>();
  const instants: PlacedInstant[] = [];
  const heads = [top];
  const all = byInstant(items).map((together) => ({ at: together[0].at, rows: rowsOf(together, lanes) }));
  let left = all.reduce((sum, { rows }) => sum + heightOf(rows), 0);
  let y = top + headHeight;
  let sinceHead = 0;
  for (const { at, rows } of all) {
    if (sinceHead > HEADS_AGAIN && left > HEADS_AGAIN / 3) {
      heads.push(y);
      y += headHeight;
      sinceHead = 0;
    }
    instants.push({ at, top: y, y: y + middleOf(rows[0]) });
    let below = y;
    for (const row of rows) {
      const middle = below + middleOf(row);
      for (const { item, x, sides } of row.items)
        placed.set(item.number, { ...item, x, y: middle, texts: textsOf(sides, x, middle) });
      below += rowHeight(row);
    }
    const height = heightOf(rows);
    y += height;
    left -= height;
    sinceHead += height;
  }
  return { items: placed, instants, heads, bottom: y };
}

const rowHeight = ({ lines, lowered }: Row): number => lines * LINE + ROW_GAP + lowered;
const middleOf = ({ lines }: Row): number => (lines * LINE + ROW_GAP) / 2;
const heightOf = (rows: readonly Row[]): number => rows.reduce((sum, row) => sum + rowHeight(row), INSTANT_GAP);

function byInstant(items: readonly Item[]): Item[][] {
  const groups: Item[][] = [];
  for (const item of items) {
    const last = groups.at(-1);
    if (last !== undefined && last[0].at === item.at) last.push(item);
    else groups.push([item]);
  }
  return groups;
}

/** Each item goes into the first row that has room for it, below what came before it in its lane and below its cause. */
function rowsOf(items: readonly Item[], lanes: Lanes): Row[] {
  const rows: Row[] = [];
  const rowOf = new Map<number, number>();
  const reached = new Map<number, number>();
  for (const item of items) {
    const x = placeOf(item, lanes);
    const sides = sidesOf(item, x, lanes);
    const cause = rowOf.get(item.arrow?.tail ?? -1) ?? -1;
    // What never arrives has no place in the lane.
    let row = 1 + Math.max(cause, item.mark === "lost" ? -1 : (reached.get(item.node) ?? -1));
    while (row < rows.length && !fits(rows[row], sides)) row++;
    while (rows.length <= row) rows.push({ taken: [], items: [], lines: 1, lowered: 0 });
    rows[row].taken.push([sides.from, sides.to]);
    rows[row].items.push({ item, x, sides });
    rows[row].lines = Math.max(rows[row].lines, sides.lines);
    rows[row].lowered = Math.max(rows[row].lowered, sides.lowered);
    rowOf.set(item.number, row);
    if (item.mark !== "lost") reached.set(item.node, row);
  }
  return rows;
}

const fits = (row: Row, { from, to }: Sides): boolean => row.taken.every(([a, b]) => to < a || b < from);

/** What never arrives ends short of its lane. */
function placeOf(item: Item, { x }: Lanes): number {
  const at = x.get(item.node)!;
  const from = item.arrow === null ? undefined : x.get(item.arrow.from);
  if (item.mark !== "lost" || from === undefined) return at;
  const short = Math.min(Math.abs(at - from) * 0.3, 40);
  return at - Math.sign(at - from) * short;
}

interface Said {
  readonly text: string;
  readonly role: PlacedText["role"];
}

interface Sides {
  readonly start: readonly Said[];
  readonly end: readonly Said[];
  readonly from: number;
  readonly to: number;
  readonly lowered: number;
  readonly lines: number;
}

/** The label stands on the side from which the arrow comes, if there is room; words and all the rest on the other. */
function sidesOf(item: Item, x: number, lanes: Lanes): Sides {
  const { width, left, gap } = lanes;
  const room = { start: x - BESIDE_HEAD - left, end: width - MARGIN - x - BESIDE_HEAD };
  const most = Math.max(NARROW, gap - 2 * BESIDE);
  const label = broken(item.label, "label", Infinity);
  const words = broken(item.words, "words", most);
  const cast = broken(item.cast?.text ?? "", "cast", Infinity);
  const all = [...label, ...words, ...cast];
  const from = item.arrow === null ? undefined : lanes.x.get(item.arrow.from);
  const choices: (readonly [start: readonly Said[], end: readonly Said[]])[] = [
    ...(from !== undefined && from < x ? [[label, [...words, ...cast]] as const] : []),
    [[], all],
    [all, []],
  ];
  const [start, end] =
    choices.find(([before, after]) => widest(before) <= room.start && widest(after) <= room.end) ??
    squeezed(all, room.start, room.end);
  const clockAtEnd = item.timer && start.length > 0;
  return {
    start,
    end,
    from: x - Math.max(RADIUS + 3, extent(start), item.timer && !clockAtEnd ? CLOCK : 0),
    to: x + Math.max(RADIUS + 3, extent(end), clockAtEnd ? CLOCK : 0),
    lowered: from !== undefined && end[0]?.role === "label" ? LOWERED : 0,
    lines: Math.max(1, start.length, end.length),
  };
}

const broken = (text: string, role: Said["role"], most: number): Said[] =>
  text === "" ? [] : wrapped(text, most, SIZE.text).map((line) => ({ text: line, role }));

/** Where no line fits, all are broken to what the roomier side has. */
function squeezed(all: readonly Said[], start: number, end: number): readonly [readonly Said[], readonly Said[]] {
  const lines = all.flatMap(({ text, role }) => broken(text, role, Math.max(start, end)));
  return start > end ? [lines, []] : [[], lines];
}

const extent = (said: readonly Said[]): number => (said.length === 0 ? 0 : distance(said) + widest(said) + 4);

const distance = (said: readonly Said[]): number => (said.some(({ role }) => role === "label") ? BESIDE_HEAD : BESIDE);

const widest = (said: readonly Said[]): number =>
  said.reduce((most, { text }) => Math.max(most, textWidth(text, SIZE.text)), 0);

function textsOf({ start, end, lowered }: Sides, x: number, y: number): PlacedText[] {
  const block = (said: readonly Said[], anchor: PlacedText["anchor"]): PlacedText[] =>
    said.map(({ text, role }, i) => ({
      text,
      role,
      anchor,
      x: anchor === "end" ? x - distance(said) : x + distance(said),
      y: y + 4 + lowered + (i - (said.length - 1) / 2) * LINE,
    }));
  return [...block(start, "end"), ...block(end, "start")];
}
