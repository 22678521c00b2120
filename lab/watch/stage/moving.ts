/** Where messages are at a moment, for the stage. */
import type { Flight, Moment } from "../../run/record.ts";
import { type Geometry, LABELLED, type Point } from "../geometry.ts";
import { nameOf } from "../summary.ts";
import { MOST_SINGLE, shareOf } from "./strands.ts";

export interface Moving {
  /** Its place among the record's flights. */
  readonly index: number;
  readonly at: Point;
  /** From the sender's rim to where it is, as a path. */
  readonly tail: string;
  /** In degrees. */
  readonly angle: number;
  readonly token: string;
  readonly colour: string;
  readonly text: string;
  readonly isReply: boolean;
  /** The way that it has come, as a path; null where that says nothing. */
  readonly trail: string | null;
}

export function movingIn({ flying, record }: Moment, geometry: Geometry, time: number): Moving[] {
  const { facts } = record;
  const isLabelled = facts.size <= LABELLED;
  const many = flying.size > MOST_SINGLE;
  if (many && geometry.layout !== "ring") return [];
  return [...flying].map((index) => {
    const flight = record.flights[index];
    const share = shareOf(flight, time);
    // A message starts at the rim of one disc and ends at the rim of the other.
    const rim = geometry.rim(flight, isLabelled && !many && flight.token !== "" ? 14 : 7);
    const way = rim + (1 - 2 * rim) * share;
    const at = geometry.along(flight, way);
    const ahead = geometry.along(flight, way + 0.02);
    return {
      index,
      at,
      tail: tailOf(flight, geometry, rim * 0.5, way),
      angle: (Math.atan2(ahead.y - at.y, ahead.x - at.x) * 180) / Math.PI,
      token: isLabelled && !many ? flight.token : "",
      colour: flight.colour,
      isReply: flight.isReply,
      text: `${flight.text}, from ${nameOf(facts, flight.from)} to ${nameOf(facts, flight.to)}`,
      trail:
        many || facts.size < 3
          ? null
          : trailOf(flight, geometry, way, isLabelled ? 34 + 5 * (index % 3) : 20 + 5 * (index % 3)),
    };
  });
}

/** The whole of it, from rim to rim. */
export function wayOf(flight: Flight, geometry: Geometry): string {
  const rim = geometry.rim(flight, 0);
  return tailOf(flight, geometry, rim, 1 - rim);
}

/** Along the ring, or straight. */
function tailOf(flight: Flight, geometry: Geometry, from: number, to: number): string {
  const [a, b] = [geometry.along(flight, from), geometry.along(flight, to)];
  const turn = geometry.turn(flight.from, flight.to);
  const r = Math.hypot(a.x - geometry.centre.x, a.y - geometry.centre.y);
  const way = turn === null ? "L" : `A${r},${r} 0 0 ${turn > 0 ? 1 : 0} `;
  return `M${a.x.toFixed(1)},${a.y.toFixed(1)}${way}${b.x.toFixed(1)},${b.y.toFixed(1)}`;
}

/** How far an id has come, inside the ring. */
function trailOf({ from, to, hops }: Flight, geometry: Geometry, share: number, inside: number): string | null {
  const turn = geometry.turn(from, to);
  if (turn === null || hops < 2) return null;
  const r = geometry.radius - inside;
  const end = geometry.angle(from) + turn * share;
  const length = Math.min(Math.abs(turn) * (hops - 1 + share), 2 * Math.PI * 0.999);
  const [a, b] = [geometry.onCircle(end - Math.sign(turn) * length, r), geometry.onCircle(end, r)];
  const flags = `${length > Math.PI ? 1 : 0} ${turn > 0 ? 1 : 0}`;
  return `M${a.x.toFixed(1)},${a.y.toFixed(1)}A${r},${r} 0 ${flags} ${b.x.toFixed(1)},${b.y.toFixed(1)}`;
}

const MOST_LOST = 50;

/** What was lost in the event that has just happened. */
export function lostIn({ record, event }: Moment, geometry: Geometry): { readonly from: Point; readonly at: Point }[] {
  if (event === 0) return [];
  const ended = record.ended[event - 1];
  const gone = record.sent[event - 1].filter((flight) => record.flights[flight].endedBy === event);
  const all = ended !== null && record.flights[ended].fate === "lost" ? [...gone, ended] : gone;
  return all.slice(0, MOST_LOST).map((flight) => {
    const { from, to } = record.flights[flight];
    return { from: geometry.places[from], at: geometry.along({ from, to }, 0.55) };
  });
}
