/** Twenty-four processes at the pointer, large enough to be told apart: where a thousand are drawn, one is less than a pixel. */
import type { Moment, Standing } from "../../run/record.ts";
import type { Palette } from "../colours.ts";
import type { Geometry, Point } from "../geometry.ts";

/** From this many processes on, the pointer shows a lens. */
export const CROWDED = 512;
const SHOWN = 24;
const FONT = "12px 'Atkinson Hyperlegible Next', sans-serif";

interface LensSetup {
  readonly context: CanvasRenderingContext2D;
  readonly geometry: Geometry;
  readonly moment: Moment;
  readonly colours: Palette;
  readonly width: number;
  readonly height: number;
  readonly time: number;
}

/** Neighbours on a ring side by side; elsewhere what lies around, magnified. */
export function drawLens(setup: LensSetup, node: number): void {
  const { facts } = setup.moment.record;
  if (facts.network === "ring" && setup.geometry.layout === "ring") drawStrip(setup, node);
  else drawGlass(setup, node);
}

function drawStrip(setup: LensSetup, node: number): void {
  const { context, geometry, moment, colours, width, height, time } = setup;
  const { facts, flights } = moment.record;
  const step = Math.min(19, (width - 24) / SHOWN);
  const [w, h] = [step * SHOWN + 12, 84];
  const place = geometry.places[node];
  const left = Math.max(2, Math.min(width - w - 2, place.x - w / 2));
  const top = place.y > height / 2 ? place.y - h - 22 : place.y + 22;
  panel(setup, () => context.roundRect(left, Math.max(2, Math.min(height - h - 2, top)), w, h, 8));
  const y = Math.max(2, Math.min(height - h - 2, top)) + 24;
  const first = node - SHOWN / 2;
  const x = (offset: number) => left + 6 + step * (offset + 0.5);
  context.strokeStyle = colours.line;
  context.lineWidth = 1;
  context.beginPath();
  context.moveTo(left + 4, y);
  context.lineTo(left + w - 4, y);
  context.stroke();
  const offsetOf = new Map<number, number>();
  for (let i = 0; i < SHOWN; i++) offsetOf.set((first + i + facts.size) % facts.size, i);
  for (const [one, i] of offsetOf) {
    dot(setup, moment.nodes[one], { x: x(i), y }, one === node ? 7 : 5);
    context.save();
    context.translate(x(i), y + 12);
    context.rotate(Math.PI / 2);
    context.font = one === node ? `700 ${FONT}` : FONT;
    context.fillStyle = one === node ? colours.ink : colours.muted;
    context.textAlign = "left";
    context.textBaseline = "middle";
    context.fillText(String(facts.ids?.[one] ?? one), 0, 0);
    context.restore();
  }
  for (const index of moment.flying) {
    const { from, to, sentAt, endedAt, colour } = flights[index];
    const [a, b] = [offsetOf.get(from), offsetOf.get(to)];
    if (a === undefined || b === undefined || Math.abs(a - b) > 1) continue;
    const span = endedAt - sentAt;
    const share = span > 0 && span < Infinity ? Math.min(1, Math.max(0, (time - sentAt) / span)) : 0.5;
    context.fillStyle = colours[colour];
    context.beginPath();
    context.arc(x(a + (b - a) * share), y - 13, 3, 0, 7);
    context.fill();
  }
}

function drawGlass(setup: LensSetup, node: number): void {
  const { context, geometry, moment, colours, width, height } = setup;
  const { facts } = moment.record;
  const centre = geometry.places[node];
  const distance = ({ x, y }: Point) => Math.hypot(x - centre.x, y - centre.y);
  const near = geometry.places
    .map((place, one) => ({ one, place, far: distance(place) }))
    .sort((a, b) => a.far - b.far)
    .slice(0, SHOWN);
  const r = 92;
  const scale = (r - 18) / Math.max(1, near.at(-1)!.far);
  const at = {
    x: Math.max(r + 2, Math.min(width - r - 2, centre.x)),
    y: Math.max(r + 2, Math.min(height - r - 2, centre.y > height / 2 ? centre.y - r - 24 : centre.y + r + 24)),
  };
  panel(setup, () => context.arc(at.x, at.y, r, 0, 7));
  context.font = FONT;
  context.textAlign = "center";
  context.textBaseline = "top";
  for (const { one, place } of near) {
    const shown = { x: at.x + (place.x - centre.x) * scale, y: at.y + (place.y - centre.y) * scale };
    dot(setup, moment.nodes[one], shown, one === node ? 7 : 5);
    context.fillStyle = one === node ? colours.ink : colours.muted;
    context.fillText(String(facts.ids?.[one] ?? one), shown.x, shown.y + 8);
  }
}

function panel({ context, colours }: LensSetup, path: () => void): void {
  context.beginPath();
  path();
  context.fillStyle = colours.page;
  context.fill();
  context.strokeStyle = colours.edge;
  context.lineWidth = 1.5;
  context.stroke();
}

/** A part's colour, and gold with a rim for who is elected; as on the stage. */
function dot(setup: LensSetup, { part, status }: Standing, { x, y }: Point, r: number): void {
  const { context, colours, moment } = setup;
  const isElected = status === "elected" && moment.elected.length > 0;
  context.beginPath();
  if (part === "mediator" || part === "relay") context.rect(x - r, y - r, 2 * r, 2 * r);
  else context.arc(x, y, isElected ? r + 2 : r, 0, 7);
  context.lineWidth = 1.6;
  if (isElected || part === "contends" || part === "crashed") {
    context.fillStyle = colours[isElected ? "leads-fill" : part === "contends" ? "stands" : "trouble"];
    context.fill();
    context.strokeStyle = isElected ? colours.ink : context.fillStyle;
  } else {
    context.fillStyle = colours.page;
    context.fill();
    context.strokeStyle =
      colours[part === "informed" ? "leads" : part === null || part === "idle" || part === "out" ? "out" : "answers"];
  }
  context.stroke();
}
