/** The shapes of parts and of faults: each can be told from the others without its colour. */
import type { Mark } from "./items.ts";
import { RADIUS as R } from "./layout.ts";
import type { Theme } from "./theme.ts";

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
