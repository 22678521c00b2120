/** The space-time picture: a row for each process, time to the right. Drawn once, then uncovered as time goes by. */

import type { Axis } from "../run/axis.ts";
import { causesOf } from "../run/causes.ts";
import type { Flight, RunRecord } from "../run/record.ts";
import type { Facts } from "../run/types.ts";
import type { Palette } from "./colours.ts";
import { LABELLED, lettersFor } from "./geometry.ts";
import type { Named } from "./named.ts";

interface Frame {
  readonly width: number;
  readonly height: number;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
  /** In pixels. */
  readonly letters: number;
}

export function frameOf(width: number, height: number, facts: Facts, isPresenting = false): Frame {
  const letters = lettersFor(height, isPresenting).small;
  return {
    width,
    height,
    left: Math.round(letters * (facts.size <= LABELLED ? Math.max(4.8, 0.6 * longestLabel(facts) + 1.5) : 3.4)),
    right: 14,
    top: 10,
    bottom: Math.round(14 + letters),
    letters,
  };
}

/** Lines that the pointer can find: more of them cannot be told apart. */
const MOST_POINTED = 5_000;
/** Pixels. */
const REACH = 6;
const MOST_CAUSES = 2_000;

/** Of a point from a piece of a line. */
function distance(x: number, y: number, x1: number, y1: number, x2: number, y2: number): number {
  const [dx, dy] = [x2 - x1, y2 - y1];
  const length = dx * dx + dy * dy;
  const share = length === 0 ? 0 : Math.max(0, Math.min(1, ((x - x1) * dx + (y - y1) * dy) / length));
  return Math.hypot(x - x1 - share * dx, y - y1 - share * dy);
}

/** Letters of a name that fit beside a lane. */
const MOST_LETTERS = 14;

/** What stands beside a lane: the number of the process, or its name where all have one. */
function labelOf({ names, size }: Facts, node: number): string {
  const name = names.length === size ? names[node] : String(node);
  return name.length > MOST_LETTERS ? `${name.slice(0, MOST_LETTERS - 1)}…` : name;
}

const longestLabel = (facts: Facts): number =>
  Math.max(0, ...Array.from({ length: facts.size }, (_, node) => labelOf(facts, node).length));

export class SpaceTime {
  readonly frame: Frame;
  private readonly record: RunRecord;
  private readonly axis: Axis;
  private readonly colours: Palette;
  private readonly ratio: number;
  private readonly lines: HTMLCanvasElement;
  private readonly marks: HTMLCanvasElement;
  /** Marks are this far to either side of their time. */
  readonly reach: number;

  constructor(record: RunRecord, axis: Axis, frame: Frame, colours: Palette, ratio: number) {
    this.record = record;
    this.axis = axis;
    this.frame = frame;
    this.colours = colours;
    this.ratio = ratio;
    this.reach = this.size <= 32 ? 6 : this.size <= 128 ? 3 : 0;
    this.lines = this.layer((context) => this.drawLines(context));
    this.marks = this.layer((context) => this.drawMarks(context));
  }

  private get size(): number {
    return this.record.facts.size;
  }

  x(time: number): number {
    const { left, right, width } = this.frame;
    return left + (this.axis.place(time) / this.axis.span) * (width - left - right);
  }

  timeAt(x: number): number {
    const { left, right, width } = this.frame;
    const share = Math.max(0, Math.min(1, (x - left) / (width - left - right)));
    return this.axis.time(share * this.axis.span);
  }

  y(node: number): number {
    const { top, bottom, height } = this.frame;
    return top + ((node + 0.5) / this.size) * (height - top - bottom);
  }

  nodeAt(y: number): number | null {
    const { top, bottom, height } = this.frame;
    const node = Math.floor(((y - top) / (height - top - bottom)) * this.size);
    return node >= 0 && node < this.size ? node : null;
  }

  /** The message whose line is under a point, among those that were sent by then. */
  flightAt(x: number, y: number, time: number): number | null {
    const { flights } = this.record;
    if (flights.length > MOST_POINTED || x > this.x(time)) return null;
    let [found, best] = [-1, REACH];
    for (const [index, { from, to, sentAt, endedAt }] of flights.entries()) {
      const [x1, x2] = [this.x(sentAt), this.x(Math.min(endedAt, this.record.end))];
      if (x < x1 - REACH || x > x2 + REACH || Math.abs(to - from) === this.size - 1) continue;
      const away = distance(x, y, x1, this.y(from), x2, this.y(to));
      if (away < best) [found, best] = [index, away];
    }
    return found < 0 ? null : found;
  }

  /** Everything up to a moment, with what was seen and scrubbed back as a ghost. */
  draw(
    context: CanvasRenderingContext2D,
    time: number,
    event: number,
    seen: number,
    selected: number | null,
    flight: number | null,
    named: readonly Named[] = [],
  ): void {
    const { frame, ratio, colours } = this;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, frame.width, frame.height);
    this.drawGrid(context, selected, named);
    const now = event === 0 ? frame.left - 20 : this.x(time);
    const ghost = this.x(seen);
    if (ghost > now) this.show(context, this.lines, now, ghost, 0.16);
    this.show(context, this.lines, 0, now, 1);
    if (ghost > now) this.show(context, this.marks, now + this.reach, ghost + this.reach, 0.16);
    this.show(context, this.marks, 0, now - this.reach, 1);
    this.drawPresent(context, time, event);
    if (selected !== null) this.drawSelected(context, selected, event);
    if (flight !== null) this.drawWay(context, flight, now);
    context.strokeStyle = colours.ink;
    context.lineWidth = 1.6;
    context.beginPath();
    const x = Math.max(frame.left, now);
    context.moveTo(x, 2);
    context.lineTo(x, frame.height);
    context.stroke();
  }

  private show(
    context: CanvasRenderingContext2D,
    layer: HTMLCanvasElement,
    from: number,
    to: number,
    alpha: number,
  ): void {
    const { ratio, frame } = this;
    const [a, b] = [Math.max(0, from), Math.min(frame.width, to)];
    if (b <= a) return;
    context.globalAlpha = alpha;
    const h = layer.height;
    context.drawImage(layer, a * ratio, 0, (b - a) * ratio, h, a, 0, b - a, h / ratio);
    context.globalAlpha = 1;
  }

  private layer(draw: (context: CanvasRenderingContext2D) => void): HTMLCanvasElement {
    const canvas = document.createElement("canvas");
    canvas.width = Math.max(1, Math.round(this.frame.width * this.ratio));
    canvas.height = Math.max(1, Math.round(this.frame.height * this.ratio));
    const context = canvas.getContext("2d")!;
    context.scale(this.ratio, this.ratio);
    draw(context);
    return canvas;
  }

  private font(weight = 400): string {
    return `${weight} ${this.frame.letters}px 'Atkinson Hyperlegible Next', sans-serif`;
  }

  private drawGrid(context: CanvasRenderingContext2D, selected: number | null, named: readonly Named[]): void {
    const { frame, colours, record } = this;
    const { facts } = record;
    const end = frame.height - frame.bottom;
    context.font = this.font();
    const marked = new Map(named.map(({ node, label }) => [node, label]));
    for (const node of [...marked.keys(), ...(selected === null ? [] : [selected])]) {
      context.fillStyle = colours.panel;
      const half = Math.max(4, (end - frame.top) / this.size / 2);
      context.fillRect(0, this.y(node) - half, frame.width - frame.right, 2 * half);
    }
    context.lineWidth = 1;
    context.textBaseline = "middle";
    context.textAlign = "center";
    const ticks = this.axis.ticks(Math.max(3, Math.floor((frame.width - frame.left) / 64)));
    let last = -100;
    for (const tick of ticks) {
      const x = this.x(tick);
      context.strokeStyle = colours.line;
      context.beginPath();
      context.moveTo(x, frame.top - 4);
      context.lineTo(x, end + 4);
      context.stroke();
      if (x - last < 2.8 * frame.letters) continue;
      last = x;
      context.fillStyle = colours.muted;
      const label = tick.toLocaleString("en", { maximumFractionDigits: 2 });
      context.fillText(label, Math.min(x, frame.width - context.measureText(label).width / 2), end + 2 + frame.letters);
    }
    if (this.size <= 64) {
      context.strokeStyle = colours.line;
      for (let node = 0; node < this.size; node++) {
        context.beginPath();
        context.moveTo(frame.left, this.y(node));
        context.lineTo(frame.width - frame.right, this.y(node));
        context.stroke();
      }
    }
    context.textAlign = "right";
    if (this.size <= LABELLED) {
      for (let node = 0; node < this.size; node++) {
        const isMarked = marked.has(node);
        context.fillStyle = isMarked ? colours.ink : colours.muted;
        context.font = this.font(isMarked ? 700 : 400);
        context.fillText(
          labelOf(facts, node),
          facts.ids === null ? frame.left - 10 : 1.5 * frame.letters,
          this.y(node),
        );
        if (facts.ids === null) continue;
        context.fillStyle = colours.ink;
        context.font = this.font(700);
        context.fillText(String(facts.ids[node]), frame.left - 10, this.y(node));
      }
    } else {
      const labels = new Map(
        [...marked.keys(), ...(selected === null ? [] : [selected]), 0, this.size - 1].map((node) => [
          node,
          labelOf(facts, node),
        ]),
      );
      const taken: number[] = [];
      for (const [node, label] of labels) {
        const half = frame.letters / 2;
        const y = Math.min(end - half, Math.max(frame.top + half, this.y(node)));
        if (taken.some((one) => Math.abs(one - y) < frame.letters)) continue;
        taken.push(y);
        context.font = this.font(marked.has(node) ? 700 : 400);
        context.fillStyle = marked.has(node) ? colours.ink : colours.muted;
        context.fillText(label, frame.left - 6, y);
      }
    }
  }

  private drawLines(context: CanvasRenderingContext2D): void {
    const { record, colours, size } = this;
    this.drawLives(context);
    context.lineWidth = size <= 32 ? 1.5 : size <= 128 ? 1 : 0.6;
    // Many lines are drawn faintly and in small batches, so that they add up where they are dense.
    const many = record.flights.length;
    const dense = record.facts.network === "ring" ? many > 20_000 : many > 600;
    context.globalAlpha = dense ? Math.max(0.06, Math.min(0.5, 250 / many)) : 0.9;
    for (const colour of ["stands", "answers", "out", "leads"] as const) {
      context.strokeStyle = colours[colour];
      const mine = record.flights.filter((flight) => flight.colour === colour);
      const batch = dense ? Math.max(4, Math.ceil(mine.length / 2_000)) : Infinity;
      for (let first = 0; first < mine.length; first += batch) {
        context.beginPath();
        for (const flight of mine.slice(first, first + batch)) this.path(context, flight);
        context.stroke();
      }
    }
    context.globalAlpha = 1;
  }

  /** A thick line while a process contends or leads. */
  private drawLives(context: CanvasRenderingContext2D): void {
    const { record, colours, size } = this;
    const since = new Map<number, { colour: keyof Palette; time: number }>();
    const end = record.end;
    context.lineWidth = size <= 32 ? 2.6 : size <= 128 ? 1.6 : 0.8;
    const close = (node: number, time: number) => {
      const open = since.get(node);
      if (open === undefined) return;
      context.strokeStyle = colours[open.colour];
      context.beginPath();
      context.moveTo(this.x(open.time), this.y(node));
      context.lineTo(this.x(time), this.y(node));
      context.stroke();
      since.delete(node);
    };
    for (const { node, part, time } of record.events) {
      if (node === null || part === null) continue;
      const colour =
        part === "crashed"
          ? "trouble"
          : part === "leads" || part === "member" || part === "informed"
            ? "leads"
            : part === "contends"
              ? "stands"
              : part === "out" || part === "idle"
                ? null
                : undefined;
      if (colour === undefined || since.get(node)?.colour === colour) continue;
      close(node, time);
      if (colour !== null) since.set(node, { colour, time });
    }
    for (const node of [...since.keys()]) close(node, end);
  }

  private path(context: CanvasRenderingContext2D, { from, to, sentAt, endedAt, fate }: Flight): void {
    const isOpen = endedAt === Infinity;
    const [x1, y1] = [this.x(sentAt), this.y(from)];
    const x2 = isOpen ? this.x(this.record.end) : fate === "lost" && endedAt === sentAt ? x1 + 8 : this.x(endedAt);
    const y2 = this.y(to);
    const wraps = this.record.facts.network === "ring" && this.size > 2 && Math.abs(to - from) === this.size - 1;
    if (!wraps) {
      context.moveTo(x1, y1);
      context.lineTo(x2, y2);
      return;
    }
    // Past the last row it comes in again at the first.
    const { top, bottom, height } = this.frame;
    const half = (height - top - bottom) / this.size / 2;
    const sign = from > to ? 1 : -1;
    const middle = (x1 + x2) / 2;
    context.moveTo(x1, y1);
    context.lineTo(middle, y1 + sign * half);
    context.moveTo(middle, y2 - sign * half);
    context.lineTo(x2, y2);
  }

  private drawMarks(context: CanvasRenderingContext2D): void {
    for (let index = 0; index < this.record.length; index++) this.mark(context, index);
  }

  /** Events of the present instant, one by one: the rest of it is still to come. */
  private drawPresent(context: CanvasRenderingContext2D, time: number, event: number): void {
    const { events } = this.record;
    const from = this.timeAt(this.x(time) - this.reach);
    for (let i = event - 1; i >= 0 && events[i].time >= from - 1e-9; i--) this.mark(context, i);
  }

  private mark(context: CanvasRenderingContext2D, index: number): void {
    const { record, colours, size } = this;
    const event = record.events[index];
    if (event.node === null) return;
    const [x, y] = [this.x(event.time), this.y(event.node)];
    const before = record.before[index] < 0 ? null : record.events[record.before[index]];
    const wins = event.part === "leads" || event.part === "member" ? before?.part !== event.part : false;
    if (wins) {
      this.winner(context, x, y, size <= 32 ? 8 : 5);
      return;
    }
    const isGone = event.fate === "lost";
    const dead = event.part === "crashed" || isGone;
    const swallowed = /\bswallows\b/.test(event.text);
    if (dead || (swallowed && event.verdict.status === "undecided")) {
      if (size > 128 && !dead) return;
      const r = size <= 32 ? 4 : 1.6;
      context.strokeStyle = dead ? colours.trouble : colours.ink;
      context.lineWidth = dead ? 2 : 1.4;
      context.beginPath();
      if (isGone) context.arc(x, y, r, 0, 7);
      else {
        context.moveTo(x - r, y - r);
        context.lineTo(x + r, y + r);
        context.moveTo(x + r, y - r);
        context.lineTo(x - r, y + r);
      }
      context.stroke();
    }
  }

  /** A star, or the hexagon of a council's member, as on the stage. */
  private winner(context: CanvasRenderingContext2D, x: number, y: number, r: number): void {
    const isMember = this.record.facts.network === "star";
    const corners = isMember ? 6 : 10;
    context.beginPath();
    for (let i = 0; i < corners; i++) {
      const angle = (2 * Math.PI * i) / corners - (isMember ? 0 : Math.PI / 2);
      const far = isMember ? r * 0.8 : i % 2 === 0 ? r : r * 0.45;
      context.lineTo(x + Math.cos(angle) * far, y + Math.sin(angle) * far);
    }
    context.closePath();
    context.fillStyle = this.colours["leads-fill"];
    context.strokeStyle = this.colours.ink;
    context.lineWidth = 1.2;
    context.fill();
    context.stroke();
  }

  /** The whole way that a message has come, with those that it goes on from; dashed, those that it was sent because of. */
  private drawWay(context: CanvasRenderingContext2D, flight: number, now: number): void {
    const { flights } = this.record;
    if (flights[flight] === undefined) return;
    const way = new Set<number>();
    for (let at = flight; at >= 0; at = flights[at].goesOnFrom) way.add(at);
    context.save();
    context.beginPath();
    context.rect(0, 0, now, this.frame.height);
    context.clip();
    context.strokeStyle = this.colours.ink;
    context.lineWidth = 3;
    context.beginPath();
    for (const at of way) this.path(context, flights[at]);
    context.stroke();
    context.lineWidth = 2;
    context.setLineDash([5, 4]);
    context.beginPath();
    for (const at of causesOf(this.record, flight, MOST_CAUSES)) if (!way.has(at)) this.path(context, flights[at]);
    context.stroke();
    context.restore();
  }

  /** The messages of one process stand out. */
  private drawSelected(context: CanvasRenderingContext2D, node: number, event: number): void {
    context.strokeStyle = this.colours.ink;
    context.lineWidth = this.size <= 64 ? 2 : 1.2;
    context.beginPath();
    let drawn = 0;
    for (const flight of this.record.flights) {
      if (flight.endedBy > event || (flight.from !== node && flight.to !== node)) continue;
      this.path(context, flight);
      if (++drawn > 2_000) break;
    }
    context.stroke();
  }
}
