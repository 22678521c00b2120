/**
 * A space-time diagram as SVG: a line per node, time to the right, an arrow per message. Instants are drawn at equal
 * distances, because what matters is the order; what a node handles within one stands side by side, in the order in which
 * it did.
 */
import { labelText, time } from "./describe.ts";
import type { TraceEvent } from "./events.ts";

const LEFT = 96;
const TOP = 32;
const ROW = 92;
/** Between two things that a node handles in one instant. */
const STEP = 30;
/** Between instants: as wide as the longest message is long, within reason. */
const GAP = { least: 112, most: 190, perCharacter: 6 };
/** Where on its arrow a label stands: nearer to the end, because several leave one point at once. */
const LABEL_AT = 0.78;

const STYLE = `
  text { font: 12px system-ui, sans-serif; fill: #222; }
  .instant { fill: #f1f4f8; }
  .life { stroke: #bbb; stroke-width: 1.5; }
  .message { stroke: #2563a8; stroke-width: 1.3; fill: none; marker-end: url(#arrow); }
  .lost { stroke: #c0392b; stroke-width: 1.3; stroke-dasharray: 5 3; }
  .label { font-size: 10.5px; fill: #444; stroke: white; stroke-width: 3px; paint-order: stroke; }
  .elected { fill: #1a7f37; font-weight: 600; }
  .trouble { fill: #c0392b; font-weight: 600; }
  .tick { fill: #777; font-size: 10.5px; }`;

/** Draws the events that are wanted, and the sendings of the messages among them. */
export function diagram(
  events: readonly TraceEvent[],
  title: string,
  wanted: (event: TraceEvent) => boolean = () => true,
): string {
  const shown = new Set(events.flatMap((event, i) => (wanted(event) ? [i] : [])));
  for (const i of [...shown]) if (events[i].do === "deliver") shown.add(events[i].cause!);
  const numbers = [...shown].sort((a, b) => a - b);
  const nodes = [...new Set(numbers.map((i) => events[i].node))].sort((a, b) => a - b);
  const { columns, places, width } = layout(events, numbers);
  const rows = new Map(nodes.map((node, row) => [node, row]));
  const y = (node: number) => TOP + ROW * ((rows.get(node) ?? -1) + 1) - ROW / 4;
  const bottom = TOP + ROW * (nodes.length + 0.25);
  const height = bottom + 28;
  const arrived = new Set(events.flatMap(({ do: what, cause }) => (what === "deliver" ? [cause] : [])));
  const marks = numbers.map((i) => mark(events, i, arrived.has(i), places, y));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`,
    `<title>${escaped(title)}</title>`,
    `<style>${STYLE}</style>`,
    `<defs><marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z" fill="#2563a8"/></marker></defs>`,
    `<rect width="${width}" height="${height}" fill="white"/>`,
    `<text x="16" y="22" font-weight="600">${escaped(title)}</text>`,
    ...columns.flatMap(({ at, x, breadth }) => [
      `<rect class="instant" x="${x - 9}" y="${TOP + 6}" width="${breadth + 18}" height="${bottom - TOP - 6}" rx="5"/>`,
      `<text class="tick" x="${x + breadth / 2}" y="${height - 12}" text-anchor="middle">${time(at)}</text>`,
    ]),
    ...nodes.flatMap((node) => [
      `<line class="life" x1="${LEFT - 20}" x2="${width - 16}" y1="${y(node)}" y2="${y(node)}"/>`,
      `<text x="16" y="${y(node) + 4}">node ${node}</text>`,
    ]),
    ...marks.flatMap(({ shapes }) => shapes),
    ...marks.flatMap(({ texts }) => texts),
    "</svg>",
    "",
  ].join("\n");
}

interface Column {
  readonly at: number;
  readonly x: number;
  readonly breadth: number;
}

/** Where each event stands: effects where their handler does. */
function layout(events: readonly TraceEvent[], numbers: readonly number[]) {
  const lengths = numbers
    .map((i) => events[i])
    .map((event) => ("message" in event ? labelText(event.message).length : 0));
  const longest = lengths.reduce((a, b) => Math.max(a, b), 0);
  const gap = Math.min(GAP.most, Math.max(GAP.least, GAP.perCharacter * longest + 24));
  const columns: Column[] = [];
  const places = new Map<number, number>();
  let x = LEFT;
  const instants = new Map<number, number[]>();
  for (const i of numbers) {
    const together = instants.get(events[i].at);
    if (together === undefined) instants.set(events[i].at, [i]);
    else together.push(i);
  }
  for (const [at, together] of [...instants].sort(([a], [b]) => a - b)) {
    const handled = new Map<number, number>();
    for (const i of together) {
      const { do: what, node, cause } = events[i];
      const effect = what === "send" || what === "verdict" || what === "lose" || what === "end-round";
      if (effect) {
        places.set(i, places.get(cause ?? -1) ?? x);
        continue;
      }
      const before = handled.get(node) ?? 0;
      handled.set(node, before + 1);
      places.set(i, x + STEP * before);
    }
    const breadth = STEP * (Math.max(1, ...handled.values()) - 1);
    columns.push({ at, x, breadth });
    x += breadth + gap;
  }
  return { columns, places, width: Math.max(x, 480) };
}

interface Mark {
  readonly shapes: readonly string[];
  readonly texts: readonly string[];
}

function mark(
  events: readonly TraceEvent[],
  number: number,
  arrived: boolean,
  places: ReadonlyMap<number, number>,
  y: (node: number) => number,
): Mark {
  const event = events[number];
  const x = places.get(number)!;
  const row = y(event.node);
  switch (event.do) {
    case "deliver": {
      const [x1, y1] = [places.get(event.cause!)!, y(events[event.cause!].node)];
      if (event.from === event.node) {
        const arc = `<path class="message" d="M${x1} ${y1}q${(x - x1) / 2} -34 ${x - x1} 0"/>`;
        return { shapes: [arc], texts: [label((x1 + x) / 2, row - 20, event.message)] };
      }
      const line = `<line class="message" x1="${x1}" y1="${y1}" x2="${x}" y2="${row}"/>`;
      const place = [x1 + (x - x1) * LABEL_AT, y1 + (row - y1) * LABEL_AT + 3] as const;
      return { shapes: [line], texts: [label(...place, event.message)] };
    }
    case "send": {
      if (arrived) return { shapes: [], texts: [] };
      const [x2, y2] = [x + GAP.least * 0.6, row + (event.to === event.node ? -ROW : y(event.to) - row) * 0.4];
      return {
        shapes: [`<line class="lost" x1="${x}" y1="${row}" x2="${x2}" y2="${y2}"/>`],
        texts: [
          `<text class="trouble" x="${x2}" y="${y2 + 4}" text-anchor="middle">×</text>`,
          label(x2, y2 + 16, event.message),
        ],
      };
    }
    case "crash":
      return { shapes: [], texts: [`<text class="trouble" x="${x - 4}" y="${row + 5}">✖ crash</text>`] };
    case "start":
    case "restart":
      return { shapes: [`<circle cx="${x}" cy="${row}" r="3" fill="#222"/>`], texts: [] };
    case "timer":
      return {
        shapes: [`<rect x="${x - 4}" y="${row - 4}" width="8" height="8" fill="#b8860b"/>`],
        texts: [`<text class="label" x="${x - 4}" y="${row + 18}">${escaped(event.timer)}</text>`],
      };
    case "verdict":
      return { shapes: [], texts: [verdictText(event, x, row)] };
    default:
      return { shapes: [], texts: [] };
  }
}

function verdictText({ status, leader }: Extract<TraceEvent, { do: "verdict" }>, x: number, row: number): string {
  if (status === "elected") return `<text class="elected" x="${x - 4}" y="${row + 18}">★ elected</text>`;
  const what = leader === null ? status : `follows ${leader}`;
  return `<text class="label" x="${x - 4}" y="${row + 17}">${what}</text>`;
}

const label = (x: number, y: number, message: unknown) =>
  `<text class="label" x="${Math.round(x)}" y="${Math.round(y)}" text-anchor="middle">${escaped(labelText(message))}</text>`;

const escaped = (text: string) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
