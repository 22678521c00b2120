/** The shapes of parts and of faults: each can be told from the others without its colour. */
import type { Arrow, Mark } from "./items.ts";
import { type Lanes, type Placed, RADIUS as R, RADIUS } from "./layout.ts";
import { colourOf, dashOf, type Theme } from "./measure.ts";

/** What the legend calls them. */
export const MARK_NAMES: Readonly<Record<Mark, string>> = {
  contends: "contender, candidate",
  idle: "has not started, takes no part",
  out: "out",
  informed: "knows the leader",
  mediator: "as mediator",
  referee: "as referee",
  relay: "relay",
  centre: "centre",
  member: "council member",
  leads: "leader",
  crash: "crash",
  pause: "is paused",
  resume: "goes on",
  leave: "leaves",
  refuse: "refuses a message",
  lost: "lost",
};

const polygon = (x: number, y: number, corners: number, radius: number, turned = -90): string =>
  Array.from({ length: corners }, (_, i) => {
    const angle = ((turned + (360 * i) / corners) * Math.PI) / 180;
    return `${round(x + radius * Math.cos(angle))},${round(y + radius * Math.sin(angle))}`;
  }).join(" ");

function star(x: number, y: number): string {
  return Array.from({ length: 10 }, (_, i) => {
    const angle = ((-90 + 36 * i) * Math.PI) / 180;
    const radius = i % 2 === 0 ? R + 4 : (R + 4) * 0.45;
    return `${round(x + radius * Math.cos(angle))},${round(y + radius * Math.sin(angle))}`;
  }).join(" ");
}

export const round = (value: number): number => Math.round(value * 10) / 10;

export function markShape(mark: Mark, x: number, y: number, theme: Theme): string {
  const at = `cx="${round(x)}" cy="${round(y)}"`;
  const { stands, answers, page, ink, out, leads, leadsRim, trouble } = theme;
  const circle = (fill: string, stroke: string, width: number, radius = R - 1) =>
    `<circle ${at} r="${radius}" fill="${fill}" stroke="${stroke}" stroke-width="${width}"/>`;
  const shape = (points: string, fill = answers, stroke = ink) =>
    `<polygon points="${points}" fill="${fill}" stroke="${stroke}" stroke-width="1.2" stroke-linejoin="round"/>`;
  const strokes = (path: string, stroke: string) =>
    `<path d="${path}" stroke="${stroke}" stroke-width="2.6" stroke-linecap="round" fill="none"/>`;
  const [l, r, t, b] = [round(x - R + 1), round(x + R - 1), round(y - R + 1), round(y + R - 1)];
  switch (mark) {
    case "contends":
      return circle(stands, stands, 1);
    case "idle":
      return circle(page, ink, 1, R - 2);
    case "out":
      return circle(page, out, 2);
    case "informed":
      return `${circle(page, leadsRim, 1.6)}${circle(page, leadsRim, 1.2, R - 4)}`;
    case "mediator":
      return shape(polygon(x, y, 4, R + 2, 45));
    case "referee":
      return shape(polygon(x, y + 1.5, 3, R + 2));
    case "relay":
      return shape(polygon(x, y, 4, R + 1.5));
    case "centre":
      return shape(polygon(x, y, 5, R + 2));
    case "member":
      return shape(polygon(x, y, 6, R + 1), leads, leadsRim);
    case "leads":
      return shape(star(x, y), leads, leadsRim);
    case "crash":
      return strokes(`M${l} ${t}L${r} ${b}M${l} ${b}L${r} ${t}`, trouble);
    case "pause":
      return strokes(`M${round(x - 3.5)} ${t}V${b}M${round(x + 3.5)} ${t}V${b}`, trouble);
    case "resume":
      return shape(polygon(x, y, 3, R + 1, 0), page, trouble);
    case "leave":
      return strokes(`M${l} ${y}H${r}`, ink);
    case "refuse":
      return `${circle(page, trouble, 1.8)}${strokes(`M${round(x - 4)} ${round(y - 4)}L${round(x + 4)} ${round(y + 4)}`, trouble)}`;
    case "lost":
      return circle(page, trouble, 1.8, R - 2);
  }
}

/** A small clock. */
export function clockMark(x: number, y: number, { page, ink }: Theme): string {
  const [cx, cy] = [round(x), round(y)];
  return `<circle cx="${cx}" cy="${cy}" r="5" fill="${page}" stroke="${ink}"/><path d="M${cx} ${round(cy - 3)}V${cy}H${round(cx + 2.5)}" stroke="${ink}" fill="none"/>`;
}

// Messages: a line from the mark that sent it to the one that got it, in the colour and with the pattern of its kind.

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
