/** Messages: a line from the mark that sent it to the one that got it, in the colour and with the pattern of its kind. */
import type { Arrow } from "./items.ts";
import { type Lanes, type Placed, RADIUS } from "./layout.ts";
import { round } from "./marks.ts";
import { colourOf, dashOf, type Theme } from "./theme.ts";

/** Kinds in the order in which they occur. */
export class Kinds {
  readonly names: string[] = [];

  of(name: string): number {
    const known = this.names.indexOf(name);
    return known >= 0 ? known : this.names.push(name) - 1;
  }
}

const HEAD = 8;
const STUB = 34;

interface Point {
  readonly x: number;
  readonly y: number;
}

export function line(from: Point, to: Point, kind: number, theme: Theme, cut: number, head = true): string {
  const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
  const [dx, dy] = [(to.x - from.x) / length, (to.y - from.y) / length];
  const tip = { x: to.x - dx * cut, y: to.y - dy * cut };
  const colour = colourOf(theme, kind);
  const stroke = `stroke="${colour}" stroke-width="1.5" stroke-dasharray="${dashOf(kind)}"`;
  const end = head ? { x: tip.x - dx * (HEAD - 2), y: tip.y - dy * (HEAD - 2) } : tip;
  const path = `<line class="message" x1="${round(from.x)}" y1="${round(from.y)}" x2="${round(end.x)}" y2="${round(end.y)}" ${stroke}/>`;
  return head ? `${path}${arrowHead(tip, dx, dy, kind, colour)}` : path;
}

/** Every other kind has an open head, every third a wide one: one more thing that grey keeps. */
function arrowHead(tip: Point, dx: number, dy: number, kind: number, colour: string): string {
  const wide = kind % 3 === 2 ? 5.5 : 3.6;
  const corner = (side: number) =>
    `${round(tip.x - dx * HEAD - side * dy * wide)} ${round(tip.y - dy * HEAD + side * dx * wide)}`;
  const path = `M${corner(1)}L${round(tip.x)} ${round(tip.y)}L${corner(-1)}`;
  return kind % 2 === 0
    ? `<path d="${path}Z" fill="${colour}"/>`
    : `<path d="${path}" fill="none" stroke="${colour}" stroke-width="1.6"/>`;
}

export function arrowTo(
  item: Placed,
  arrow: Arrow,
  tail: Point | undefined,
  lanes: Lanes,
  kind: number,
  theme: Theme,
): string {
  const cut = item.mark === "lost" ? RADIUS - 2 : RADIUS + 1;
  const head = item.mark !== "lost";
  if (arrow.from === item.node && tail !== undefined && item.mark !== "lost") return loop(tail, item, kind, theme);
  if (tail !== undefined) return line(tail, item, kind, theme, cut, head);
  // Sent before the part that is shown, or by a node that is not.
  const from = lanes.x.get(arrow.from) ?? item.x - STUB;
  const side = Math.sign(from - item.x) || -1;
  return line({ x: item.x + side * STUB, y: item.y - 14 }, item, kind, theme, cut, head);
}

/** A message to oneself. */
function loop(from: Point, to: Point, kind: number, theme: Theme): string {
  const colour = colourOf(theme, kind);
  const [x, out] = [round(to.x + RADIUS), round(to.x + RADIUS + 16)];
  const end = round(to.y - 3);
  return `<path class="message" d="M${x} ${round(from.y)}C${out} ${round(from.y)} ${out} ${end} ${x} ${end}" fill="none" stroke="${colour}" stroke-width="1.5" stroke-dasharray="${dashOf(kind)}"/>${arrowHead({ x, y: end }, -1, 0, kind, colour)}`;
}

/** What is still under way when the picture ends: it leaves, and nobody sees it arrive. */
export function underWay(from: Point, to: number, kind: number, theme: Theme): string {
  const dx = Math.max(-60, Math.min(60, (to - from.x) * 0.4)) || 24;
  return line(from, { x: from.x + dx, y: from.y + 24 }, kind, theme, 0, false);
}
