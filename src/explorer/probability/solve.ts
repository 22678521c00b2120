/** Least and greatest values of a Markov decision process: exact where no run comes again to where it was, and bounded otherwise. */
import { StepGraph } from "../step-graph.ts";
import { type Fraction, fraction, isLess, plus, times, toDouble, ZERO } from "./fraction.ts";
import type { Choice, Process } from "./graph.ts";

/** A value between two ends; where it is known exactly, they are those of its double. */
export interface Known {
  readonly from: number;
  readonly to: number;
  readonly exact: Fraction | null;
}

export type Best = "min" | "max";

export const known = (exact: Fraction): Known => ({ from: toDouble(exact), to: toDouble(exact), exact });

/** Every vertex before all that lead to it; null where there are loops. */
export function backwards({ vertices }: Process): number[] | null {
  const before = new Int32Array(vertices.length);
  const each = (vertex: number, visit: (target: number) => void) => {
    for (const { edges } of vertices[vertex].choices) for (const { target } of edges) visit(target);
  };
  for (const vertex of vertices.keys()) each(vertex, (target) => before[target]++);
  const order = [...vertices.keys()].filter((vertex) => before[vertex] === 0);
  for (const vertex of order) {
    each(vertex, (target) => {
      if (--before[target] === 0) order.push(target);
    });
  }
  return order.length === vertices.length ? order.reverse() : null;
}

/** What a run gathers: `reward` on the way, `final` where it ends. */
export function exactly(
  model: Process,
  order: readonly number[],
  best: Best,
  final: (vertex: number) => Fraction,
  reward: (messages: number) => Fraction = () => ZERO,
): Fraction {
  const values: Fraction[] = new Array(model.vertices.length);
  const gathered = (edges: Choice["edges"]) =>
    edges.reduce(
      (sum, { odds, target, messages }) => plus(sum, times(odds, plus(values[target], reward(messages)))),
      ZERO,
    );
  for (const vertex of order) {
    const { choices } = model.vertices[vertex];
    const options = choices.map(({ edges }) => gathered(edges));
    values[vertex] =
      options.length === 0
        ? final(vertex)
        : options.reduce((a, b) => ((best === "min" ? isLess(b, a) : isLess(a, b)) ? b : a));
  }
  return gathered(model.beginnings);
}

/** The mean time of the last delivery of a chain: forwards, since it is no sum over steps. */
export function meanTime(model: Process, order: readonly number[]): Fraction {
  const mass: { p: Fraction; now: Fraction; last: Fraction }[] = model.vertices.map(() => ({
    p: ZERO,
    now: ZERO,
    last: ZERO,
  }));
  let total = ZERO;
  for (const { target, odds } of model.beginnings) mass[target].p = plus(mass[target].p, odds);
  for (const vertex of [...order].reverse()) {
    const { p, now, last } = mass[vertex];
    const [choice] = model.vertices[vertex].choices;
    if (choice === undefined) total = plus(total, last);
    for (const { target, odds, ticks, delivers } of choice?.edges ?? []) {
      const later = plus(now, times(p, fraction(BigInt(ticks), 1n)));
      const to = mass[target];
      to.p = plus(to.p, times(p, odds));
      to.now = plus(to.now, times(later, odds));
      to.last = plus(to.last, times(delivers ? later : last, odds));
    }
  }
  return total;
}

/** Outward: what rounding of doubles can do to one sum. */
const SLACK = 2 ** -48;
const NARROW = 1e-12;
const MOST_SWEEPS = 100_000;

/**
 * The probability that a run ends in a vertex of `goal`, over all weakly fair schedules, between two ends that close in on
 * it (interval iteration: S. Haddad, B. Monmege, Theor. Comput. Sci. 735, 2018). Sets of vertices within which a schedule can keep the run
 * are made one first: a fair schedule leaves them some time, by any way out it likes, unless it may stay for ever.
 */
export function bounded(model: Process, best: Best, goal: (vertex: number) => boolean): Known {
  const { vertices } = model;
  const { setOf, options, stays } = quotient(model);
  const low = new Float64Array(options.length);
  const high = new Float64Array(options.length).fill(1);
  const ends = vertices.map(({ choices }, vertex) => (choices.length > 0 ? null : goal(vertex) ? 1 : 0));
  for (const [vertex, value] of ends.entries()) {
    if (value !== null) low[setOf[vertex]] = high[setOf[vertex]] = value;
  }
  const pick = best === "min" ? Math.min : Math.max;
  const sweep = (values: Float64Array, round: (value: number) => number) => {
    let change = 0;
    for (let set = options.length - 1; set >= 0; set--) {
      if (options[set].length === 0 && !stays[set]) continue;
      const sums = options[set].map((edges) => edges.reduce((sum, [odds, target]) => sum + odds * values[target], 0));
      const value = round(pick(...sums, ...(stays[set] ? [0] : [])));
      change = Math.max(change, Math.abs(values[set] - value));
      values[set] = value;
    }
    return change;
  };
  const from = () => model.beginnings.reduce((sum, { odds, target }) => sum + toDouble(odds) * low[setOf[target]], 0);
  const to = () => model.beginnings.reduce((sum, { odds, target }) => sum + toDouble(odds) * high[setOf[target]], 0);
  for (let sweeps = 0; sweeps < MOST_SWEEPS && to() - from() > NARROW; sweeps++) {
    const up = sweep(low, (value) => Math.max(0, value * (1 - SLACK)));
    const down = sweep(high, (value) => Math.min(1, value * (1 + SLACK)));
    if (up === 0 && down === 0) break;
  }
  return { from: from() * (1 - SLACK), to: Math.min(1, to() * (1 + SLACK)), exact: null };
}

/** Sets that a schedule can keep a run in, as one; what leads out of each; and whether a fair schedule may stay for ever. */
function quotient({ vertices }: Process) {
  const graph = new StepGraph();
  for (const { choices } of vertices) {
    for (const [choice, { edges }] of choices.entries()) for (const { target } of edges) graph.add(target, 0, choice);
    graph.expanded();
  }
  const setOf = new Int32Array(vertices.length).fill(-1);
  const sets: number[][] = [];
  for (const members of graph.endless()) {
    for (const vertex of members) setOf[vertex] = sets.length;
    sets.push(members);
  }
  for (const vertex of vertices.keys()) {
    if (setOf[vertex] >= 0) continue;
    setOf[vertex] = sets.length;
    sets.push([vertex]);
  }
  const staying = new Set(graph.endless().map(([first]) => setOf[first]));
  const options = sets.map((members, set) =>
    members.flatMap((vertex) =>
      vertices[vertex].choices
        .filter(({ edges }) => !staying.has(set) || edges.some(({ target }) => setOf[target] !== set))
        .map(({ edges }) => edges.map(({ odds, target }) => [toDouble(odds), setOf[target]] as const)),
    ),
  );
  const stays = sets.map((members, set) => staying.has(set) && isFair(members, vertices, setOf, set));
  return { setOf, options, stays };
}

function isFair(members: readonly number[], vertices: Process["vertices"], setOf: Int32Array, set: number): boolean {
  let waiting: Set<string> | null = null;
  const taken = new Set<string>();
  for (const vertex of members) {
    const possible = new Set<string>();
    for (const { subject, edges } of vertices[vertex].choices) {
      if (subject === null) continue;
      possible.add(subject);
      if (edges.every(({ target }) => setOf[target] === set)) taken.add(subject);
    }
    const before: Set<string> = waiting ?? possible;
    waiting = new Set([...before].filter((name) => possible.has(name)));
  }
  return [...(waiting ?? [])].every((name) => taken.has(name));
}
