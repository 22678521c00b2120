/** A space-time diagram as SVG: a line per node, time to the right, an arrow per message. */
import { messageText, time } from "./describe.ts";
import type { TraceEvent } from "./events.ts";

const LEFT = 90;
const TOP = 40;
const ROW = 64;
/** An instant is as wide as the longest message is long, within reason. */
const COLUMN = { least: 56, most: 170, perCharacter: 5.8 };

const STYLE = `
  text { font: 12px system-ui, sans-serif; fill: #222; }
  .life { stroke: #bbb; stroke-width: 1.5; }
  .after-crash { stroke: #bbb; stroke-dasharray: 2 5; }
  .message { stroke: #2563a8; stroke-width: 1.3; marker-end: url(#arrow); }
  .lost { stroke: #c0392b; stroke-width: 1.3; stroke-dasharray: 5 3; }
  .label { font-size: 10px; fill: #555; }
  .elected { fill: #1a7f37; font-weight: 600; }
  .trouble { fill: #c0392b; font-weight: 600; }
  .tick { fill: #888; font-size: 10px; }`;

/** Instants are drawn at equal distances: what matters is the order, not how long nothing happened. */
export function diagram(events: readonly TraceEvent[], title: string): string {
  const nodes = [...new Set(events.map(({ node }) => node))].sort((a, b) => a - b);
  const instants = [...new Set(events.map(({ at }) => at))].sort((a, b) => a - b);
  const column = columnWidth(events);
  const places = new Map(instants.map((at, i) => [at, LEFT + column * i]));
  const x = (at: number) => places.get(at)!;
  const y = (node: number) => TOP + ROW * (nodes.indexOf(node) + 1);
  const width = LEFT + column * (instants.length + 1);
  const height = TOP + ROW * (nodes.length + 1);
  const arrived = new Set(events.flatMap(({ do: what, cause }) => (what === "deliver" ? [cause] : [])));
  const body = events.flatMap((event, i) => mark(event, i, events, arrived, x, y));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`,
    `<style>${STYLE}</style>`,
    `<defs><marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z" fill="#2563a8"/></marker></defs>`,
    `<rect width="${width}" height="${height}" fill="white"/>`,
    `<text x="16" y="22" font-weight="600">${escaped(title)}</text>`,
    ...instants.map(
      (at) => `<text class="tick" x="${x(at)}" y="${height - 14}" text-anchor="middle">${time(at)}</text>`,
    ),
    ...nodes.flatMap((node) => [
      `<line class="life" x1="${LEFT - 20}" x2="${width - 16}" y1="${y(node)}" y2="${y(node)}"/>`,
      `<text x="16" y="${y(node) + 4}">node ${node}</text>`,
    ]),
    ...body,
    "</svg>",
    "",
  ].join("\n");
}

function columnWidth(events: readonly TraceEvent[]): number {
  const longest = Math.max(0, ...events.map((event) => ("message" in event ? messageText(event.message).length : 0)));
  return Math.min(COLUMN.most, Math.max(COLUMN.least, COLUMN.perCharacter * longest + 14));
}

function mark(
  event: TraceEvent,
  number: number,
  events: readonly TraceEvent[],
  arrived: ReadonlySet<number | null>,
  x: (at: number) => number,
  y: (node: number) => number,
): string[] {
  const at = x(event.at);
  const row = y(event.node);
  switch (event.do) {
    case "deliver": {
      const sent = events[event.cause!];
      const [x1, y1] = [x(sent.at), y(sent.node)];
      const label = `<text class="label" x="${(x1 + at) / 2 + 4}" y="${(y1 + row) / 2 - 3}">${escaped(messageText(event.message))}</text>`;
      if (event.from === event.node) {
        return [`<path class="message" fill="none" d="M${x1} ${y1}q${(at - x1) / 2} -28 ${at - x1} 0"/>`, label];
      }
      return [`<line class="message" x1="${x1}" y1="${y1}" x2="${at}" y2="${row}"/>`, label];
    }
    case "send": {
      if (arrived.has(number)) return [];
      const to = y(event.to);
      const end = [at + COLUMN.least * 0.6, row + (to - row) * 0.6];
      return [
        `<line class="lost" x1="${at}" y1="${row}" x2="${end[0]}" y2="${end[1]}"/>`,
        `<text class="trouble" x="${end[0]}" y="${end[1] + 4}" text-anchor="middle">×</text>`,
        `<text class="label" x="${end[0] + 6}" y="${end[1]}">${escaped(messageText(event.message))}</text>`,
      ];
    }
    case "crash":
      return [`<text class="trouble" x="${at}" y="${row + 5}" text-anchor="middle">✖ crash</text>`];
    case "start":
    case "restart":
      return [`<circle cx="${at}" cy="${row}" r="3" fill="#222"/>`];
    case "timer":
      return [
        `<rect x="${at - 4}" y="${row - 4}" width="8" height="8" fill="#b8860b"/>`,
        `<text class="label" x="${at - 4}" y="${row + 18}">${escaped(event.timer)}</text>`,
      ];
    case "verdict": {
      const { status, leader } = event;
      if (status === "elected") return [`<text class="elected" x="${at - 6}" y="${row - 8}">★ elected</text>`];
      const what = leader === null ? status : `follows ${leader}`;
      return [`<text class="label" x="${at - 6}" y="${row + 16}">${what}</text>`];
    }
    case "lose":
    case "end-round":
      return [];
  }
}

const escaped = (text: string) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
