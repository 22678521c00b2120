/**
 * Least and greatest values of a Markov decision process between two ends, in doubles that are rounded outwards. Around loops
 * the ends of a probability close in on it (interval iteration: S. Haddad, B. Monmege, Theor. Comput. Sci. 735, 2018); a mean is
 * approached from below, and an upper end is guessed and believed once a further step does not raise it (optimistic value
 * iteration: A. Hartmanns, B. L. Kaminski, CAV 2020).
 */
import type { Classes } from "./classes.ts";
import { type ExpectedGain, isLoop } from "./exact.ts";
import { toDouble } from "./fraction.ts";
import type { DecisionProcess, Edge } from "./graph.ts";

/** A value lies between them. */
export interface Ends {
  readonly from: number;
  readonly to: number;
}

interface Bounds {
  readonly from: Float64Array;
  readonly to: Float64Array;
}

const UNIT = 2 ** -52;
/** The smallest number that has all its bits. */
const TINY = 2 ** -1022;
const NARROW = 1e-13;
const MOST_SWEEPS = 100_000;
const GUESSES = [1e-11, 1e-9, 1e-7, 1e-5, 1e-3, 1];

/** What roundings of one sum can do: W. Kahan's summation of numbers that are not negative is off by two units, and each term by four. */
const SLACK = 8 * UNIT;

type End = keyof Ends;

function product(odds: number, value: number, end: End): number {
  if (value === 0) return 0;
  const found = odds * value;
  if (found >= TINY) return found;
  return end === "from" ? 0 : TINY;
}

/** Edges as numbers, read once for all questions. */
interface Way {
  readonly edges: readonly Edge[];
  readonly odds: Float64Array;
  readonly targets: Int32Array;
}

const wayOf = (of: Int32Array, edges: readonly Edge[]): Way => ({
  edges,
  odds: Float64Array.from(edges, ({ odds }) => toDouble(odds)),
  targets: Int32Array.from(edges, ({ target }) => of[target]),
});

/** Those of each set of classes, as long as it is asked about. */
const known = new WeakMap<Classes, readonly (readonly Way[])[]>();

function waysOf(classes: Classes): readonly (readonly Way[])[] {
  const found = known.get(classes) ?? classes.ways.map((all) => all.map((edges) => wayOf(classes.of, edges)));
  known.set(classes, found);
  return found;
}

function along(
  { edges, odds, targets }: Way,
  values: Float64Array,
  end: End,
  gain?: ExpectedGain<Ends>["gain"],
): number {
  let sum = 0;
  let lost = 0;
  for (let i = 0; i < odds.length; i++) {
    const value = values[targets[i]];
    const term = product(odds[i], gain === undefined ? value : value + gain(edges[i])[end], end) - lost;
    const next = sum + term;
    lost = next - sum - term;
    sum = next;
  }
  // Only what has no upper end makes a difference of infinite numbers.
  if (Number.isNaN(sum)) return Infinity;
  return end === "from" ? sum * (1 - SLACK) : sum * (1 + SLACK);
}

/** Of the beginnings of a run. */
export function startBetween(
  model: DecisionProcess,
  classes: Classes,
  values: Bounds,
  gain?: ExpectedGain<Ends>["gain"],
): Ends {
  const way = wayOf(classes.of, model.beginnings);
  return { from: along(way, values.from, "from", gain), to: along(way, values.to, "to", gain) };
}

/** By class. `most`: no value is larger, as a probability is not than 1. */
export function between(classes: Classes, question: ExpectedGain<Ends>, most: number): Bounds {
  const { ways, layers, stays, first } = classes;
  const bounds = { from: new Float64Array(ways.length), to: new Float64Array(ways.length) };
  const pick = question.best === "min" ? Math.min : Math.max;
  const options = waysOf(classes);
  const once = (own: number, values: Float64Array, end: End) => {
    let best = stays[own] ? 0 : question.best === "min" ? Infinity : 0;
    for (const way of options[own]) best = pick(best, along(way, values, end, question.gain));
    return Math.min(most, best);
  };
  for (const layer of layers) {
    const [own] = layer;
    if (layer.length > 1 || isLoop(classes, own)) around(layer, bounds, most, once);
    else if (ways[own].length === 0) {
      const { from, to } = stays[own] ? { from: 0, to: 0 } : question.end(first[own]);
      bounds.from[own] = from;
      bounds.to[own] = to;
    } else for (const end of ["from", "to"] as const) bounds[end][own] = once(own, bounds[end], end);
  }
  return bounds;
}

type Once = (own: number, values: Float64Array, end: End) => number;

function around(members: readonly number[], { from, to }: Bounds, most: number, once: Once): void {
  // What comes later was found later: backwards, a sweep carries a value as far as it goes.
  const layer = [...members].reverse();
  const sweep = (values: Float64Array, end: End) => {
    let change = 0;
    for (const own of layer) {
      const found = once(own, values, end);
      // What was known before stays known, whatever rounding does.
      const value = end === "from" ? Math.max(found, values[own]) : Math.min(found, values[own]);
      change = Math.max(change, Math.abs(values[own] - value) / Math.max(value, TINY));
      values[own] = value;
    }
    return change;
  };
  for (let sweeps = 0; sweeps < MOST_SWEEPS && sweep(from, "from") > NARROW; sweeps++);
  if (most < Infinity) {
    for (const own of layer) to[own] = most;
    for (let sweeps = 0; sweeps < MOST_SWEEPS && sweep(to, "to") > NARROW; sweeps++);
    return;
  }
  for (const guess of GUESSES) {
    for (const own of layer) to[own] = from[own] * (1 + guess);
    const holds = layer.every((own) => once(own, to, "to") <= to[own]);
    if (!holds) continue;
    for (let sweeps = 0; sweeps < MOST_SWEEPS && sweep(to, "to") > NARROW; sweeps++);
    return;
  }
  for (const own of layer) to[own] = Infinity;
}
