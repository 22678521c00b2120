/** Many messages at once as bundles: all that leave one process, or go to one, are a strand with a count. */
import type { Flight, Moment } from "../../run/record.ts";
import type { Geometry, Point } from "../geometry.ts";

/** With more on their way, single messages cannot be told apart. */
export const MOST_SINGLE = 200;
/** Smaller strands have no number beside them. */
const LEAST_TALLIED = 3;
/** Lines of one strand that are drawn; the number beside it counts all. */
const MOST_LINES = 60;

interface Strand {
  readonly hub: number;
  readonly isOut: boolean;
  readonly colour: Flight["colour"];
  readonly count: number;
  readonly path: string;
  /** Where its number stands; null for a small one. */
  readonly tally: Point | null;
}

export function shareOf({ sentAt, endedAt }: Flight, time: number): number {
  const span = endedAt - sentAt;
  return span > 0 && span < Infinity ? Math.min(1, Math.max(0.02, (time - sentAt) / span)) : 0.5;
}

/** Nothing where few are on their way: those are drawn one by one. */
export function strandsIn({ flying, record }: Moment, geometry: Geometry, time: number): Strand[] {
  if (flying.size <= MOST_SINGLE || geometry.layout === "ring") return [];
  const [out, into] = [new Map<number, number>(), new Map<number, number>()];
  for (const index of flying) {
    const { from, to } = record.flights[index];
    out.set(from, (out.get(from) ?? 0) + 1);
    into.set(to, (into.get(to) ?? 0) + 1);
  }
  const groups = new Map<string, Flight[]>();
  for (const index of flying) {
    const flight = record.flights[index];
    const isOut = out.get(flight.from)! >= into.get(flight.to)!;
    const key = `${isOut ? flight.from : flight.to} ${isOut} ${flight.colour}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [flight]);
    else group.push(flight);
  }
  const strands = [...groups].map(([key, flights]) => {
    const [hub, isOut] = key.split(" ");
    return strandOf(Number(hub), isOut === "true", flights, geometry, time);
  });
  return apart(strands, 3 * geometry.letters.small);
}

/** Numbers that would cover larger ones are left out. */
function apart(strands: readonly Strand[], room: number): Strand[] {
  const taken: Point[] = [];
  return [...strands]
    .sort((a, b) => b.count - a.count)
    .map((strand) => {
      const { tally } = strand;
      if (tally === null) return strand;
      if (taken.some(({ x, y }) => Math.abs(x - tally.x) < room && Math.abs(y - tally.y) < room / 2))
        return { ...strand, tally: null };
      taken.push(tally);
      return strand;
    });
}

function strandOf(hub: number, isOut: boolean, flights: Flight[], geometry: Geometry, time: number): Strand {
  const at = geometry.places[hub];
  const step = Math.max(1, flights.length / MOST_LINES);
  const drawn = flights.filter((_, i) => Math.floor(i / step) !== Math.floor((i - 1) / step));
  const ends = drawn.map((flight) => geometry.places[isOut ? flight.to : flight.from]);
  const middle = {
    x: ends.reduce((sum, { x }) => sum + x, 0) / ends.length,
    y: ends.reduce((sum, { y }) => sum + y, 0) / ends.length,
  };
  // All of a strand leave in one direction, and part on the way.
  const knot = { x: at.x + (middle.x - at.x) * 0.45, y: at.y + (middle.y - at.y) * 0.45 };
  const path = drawn
    .map((flight, i) => {
      const share = shareOf(flight, time);
      const [from, to] = isOut ? [at, ends[i]] : [ends[i], at];
      return part(from, knot, to, share);
    })
    .join("");
  const tally =
    flights.length < LEAST_TALLIED ? null : { x: at.x + (knot.x - at.x) * 0.5, y: at.y + (knot.y - at.y) * 0.5 };
  return { hub, isOut, colour: flights[0].colour, count: flights.length, path, tally };
}

/** The first share of a curve, by de Casteljau. */
function part(a: Point, b: Point, c: Point, share: number): string {
  const between = (p: Point, q: Point): Point => ({ x: p.x + (q.x - p.x) * share, y: p.y + (q.y - p.y) * share });
  const [first, second] = [between(a, b), between(b, c)];
  const end = between(first, second);
  return `M${a.x.toFixed(1)},${a.y.toFixed(1)}Q${first.x.toFixed(1)},${first.y.toFixed(1)} ${end.x.toFixed(1)},${end.y.toFixed(1)}`;
}
