/** Where nodes stand and how messages travel between them, in pixels of a square or nearly square stage. */
import type { Flight } from "../run/record.ts";
import type { Facts } from "../run/types.ts";

export interface Point {
  readonly x: number;
  readonly y: number;
}

type Layout = "ring" | "circle" | "disc" | "force";

/** Up to here nodes have room for their ids. */
export const LABELLED = 24;
/** Up to here they are elements of the page, above they are drawn. */
export const ELEMENTS = 64;

/** The largest of the labels beside the discs. */
interface Label {
  readonly lines: number;
  /** Letters in its longest line. */
  readonly long: number;
}

/** Sizes of letters in pixels: they grow with the picture, and for a class none is below 20. */
interface Letters {
  readonly small: number;
  readonly id: number;
  readonly big: number;
}

export function lettersFor(side: number, isPresenting: boolean): Letters {
  const small = Math.round(Math.min(24, Math.max(isPresenting ? 20 : 12, side / 34)));
  return { small, id: small + 1, big: Math.round(Math.min(96, Math.max(38, side / 8))) };
}

export class Geometry {
  readonly places: readonly Point[];
  readonly centre: Point;
  readonly radius: number;
  /** Of a node's disc. */
  readonly size: number;
  readonly layout: Layout;
  readonly letters: Letters;
  private readonly facts: Facts;

  constructor(
    facts: Facts,
    layout: Layout,
    width: number,
    height: number,
    forced: readonly (readonly [number, number])[] | null,
    letters: Letters,
    label: Label = { lines: 1, long: 1 },
  ) {
    this.facts = facts;
    this.letters = letters;
    this.layout = layout === "force" && forced === null ? "circle" : layout;
    const count = facts.size;
    this.centre = { x: width / 2, y: height / 2 };
    const labelled = count <= LABELLED;
    // More lines need room above and below, longer ones at the sides: there may be another picture.
    const above = labelled ? 0.9 * letters.small * (label.lines - 1) : 0;
    const beside = labelled ? 0.54 * letters.small * (label.long - 1) : 0;
    const room = Math.min(width / 2 - beside, height / 2 - above);
    // Beside the discs there must be room for the numbers, or for bars as long as ids are large.
    const margin = labelled ? 16 + 2 * letters.small : this.hasBars ? Math.max(34, room * 0.2) : 8 + letters.small;
    this.radius = Math.max(20, room - margin);
    const around = facts.network === "star" ? count - 1 : count;
    const gap = (2 * Math.PI * this.radius) / Math.max(3, around);
    this.size = labelled
      ? Math.max(10, Math.min(1.45 * letters.id, gap * 0.36))
      : count <= ELEMENTS
        ? Math.min(letters.small / 2, gap * 0.42)
        : Math.max(1.2, Math.min(4, gap * 0.4));
    this.places = Array.from({ length: count }, (_, node) => this.placeOf(node, around, forced));
  }

  get hasBars(): boolean {
    return this.facts.network === "ring" && this.facts.ids !== null && this.facts.size > LABELLED;
  }

  private placeOf(node: number, around: number, forced: readonly (readonly [number, number])[] | null): Point {
    const { centre, radius, facts } = this;
    if (this.layout === "force" && forced !== null) {
      const [x, y] = forced[node];
      return { x: centre.x + (2 * x - 1) * radius, y: centre.y + (2 * y - 1) * radius };
    }
    const star = facts.network === "star";
    if (star && node === 0) return centre;
    const index = star ? node - 1 : node;
    if (this.layout === "disc") {
      // A sunflower's seeds: even everywhere, whatever their number.
      const share = Math.sqrt((index + 0.5 + (star ? 3 : 0)) / (around + (star ? 3 : 0)));
      const angle = index * Math.PI * (3 - Math.sqrt(5));
      return { x: centre.x + Math.cos(angle) * share * radius, y: centre.y + Math.sin(angle) * share * radius };
    }
    return this.onCircle(angleOf(index, around), radius);
  }

  onCircle(angle: number, radius: number): Point {
    return { x: this.centre.x + Math.cos(angle) * radius, y: this.centre.y + Math.sin(angle) * radius };
  }

  angle(node: number): number {
    const { x, y } = this.places[node];
    return Math.atan2(y - this.centre.y, x - this.centre.x);
  }

  /** Where a message is when it has come a share of its way. */
  along({ from, to }: Pick<Flight, "from" | "to">, share: number): Point {
    const turn = this.turn(from, to);
    if (turn !== null) {
      // Messages the other way keep to the inside.
      const radius = this.radius - (turn < 0 ? 2 * this.size * 0.55 : 0);
      return this.onCircle(this.angle(from) + turn * share, radius);
    }
    const [a, b] = [this.places[from], this.places[to]];
    if (from === to) {
      const angle = this.angle(from) - 1 + 2 * share;
      const out = this.size * 2.2;
      return { x: a.x + Math.cos(angle) * out, y: a.y + Math.sin(angle) * out };
    }
    return { x: a.x + (b.x - a.x) * share, y: a.y + (b.y - a.y) * share };
  }

  /** Which share of its way a message spends inside the discs of its ends. */
  rim({ from, to }: Pick<Flight, "from" | "to">, own: number): number {
    const [a, b] = [this.places[from], this.places[to]];
    const length = Math.hypot(b.x - a.x, b.y - a.y);
    return length === 0 ? 0 : Math.min(0.42, (this.size + own) / length);
  }

  /** By which angle neighbours on a ring are apart, in the direction of travel; null where they are none. */
  turn(from: number, to: number): number | null {
    const { network, size } = this.facts;
    if (network !== "ring" || this.layout !== "ring" || from === to || size < 2) return null;
    let turn = this.angle(to) - this.angle(from);
    if (size === 2) return from === 0 ? Math.PI : Math.PI;
    if (turn > Math.PI) turn -= 2 * Math.PI;
    if (turn < -Math.PI) turn += 2 * Math.PI;
    return turn;
  }

  /** The node at a point, or the nearest within a finger's reach. */
  nodeAt(x: number, y: number, reach: number): number | null {
    let [found, best] = [-1, reach * reach];
    for (const [node, place] of this.places.entries()) {
      const distance = (place.x - x) ** 2 + (place.y - y) ** 2;
      if (distance < best) [found, best] = [node, distance];
    }
    return found < 0 ? null : found;
  }
}

const angleOf = (index: number, around: number): number => (2 * Math.PI * index) / around - Math.PI / 2;

/** The layouts that a network can have, the natural one first. */
export function layoutsFor(facts: Facts): Layout[] {
  const many = facts.size > ELEMENTS;
  if (facts.network === "ring") return facts.links.length > 0 && facts.recorded === null ? ["ring", "force"] : ["ring"];
  if (facts.network === "graph" && facts.links.length > 0) return ["force", many ? "disc" : "circle"];
  return many ? ["disc", "circle"] : ["circle"];
}

export function layoutFor(facts: Facts, wanted: string): Layout {
  const possible = layoutsFor(facts);
  return possible.find((layout) => layout === wanted) ?? possible[0];
}

/** The shape of a part, as a path around (0, 0). */
export function shapeOf(part: string | null, r: number): string {
  switch (part) {
    case "mediator":
      return polygon(4, r * 1.25, Math.PI / 4);
    case "referee":
      return polygon(3, r * 1.5, -Math.PI / 2);
    case "relay":
      return polygon(4, r * 1.35, 0);
    case "centre":
      return polygon(5, r * 1.25, -Math.PI / 2);
    case "member":
      return polygon(6, r * 1.18, 0);
    case "leads":
      return star(r * 1.75, r * 0.95);
    default:
      return `M${r},0A${r},${r} 0 1 1 ${-r},0A${r},${r} 0 1 1 ${r},0Z`;
  }
}

function polygon(corners: number, r: number, turn: number): string {
  const points = Array.from({ length: corners }, (_, i) => {
    const angle = turn + (2 * Math.PI * i) / corners;
    return `${(Math.cos(angle) * r).toFixed(2)},${(Math.sin(angle) * r).toFixed(2)}`;
  });
  return `M${points.join("L")}Z`;
}

function star(outer: number, inner: number): string {
  const points = Array.from({ length: 10 }, (_, i) => {
    const angle = -Math.PI / 2 + (Math.PI * i) / 5;
    const r = i % 2 === 0 ? outer : inner;
    return `${(Math.cos(angle) * r).toFixed(2)},${(Math.sin(angle) * r).toFixed(2)}`;
  });
  return `M${points.join("L")}Z`;
}
