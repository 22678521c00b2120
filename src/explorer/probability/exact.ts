/** Least and greatest values of a Markov decision process as fractions. Around loops, the best policy's equations are solved. */
import type { Paused } from "../search/search-terms.ts";
import type { Classes } from "./classes.ts";
import { type Fraction, fraction, isLess, minus, ONE, plus, times, ZERO } from "./fraction.ts";
import type { DecisionProcess, Edge } from "./graph.ts";

export type Best = "min" | "max";

/** What a run gathers: `gain` on the way, `end` where it ends. */
export interface ExpectedGain<V> {
  readonly best: Best;
  end(vertex: number): V;
  gain?(edge: Edge): V;
}

/** By class; null where there was no time, or a loop is too large. */
type Values = readonly Fraction[] | null;

const PAUSE_EVERY = 64;
/** Equations with more unknowns than this are not solved in fractions. */
const MOST_UNKNOWNS = 100;

export function* exactly(classes: Classes, question: ExpectedGain<Fraction>, late: () => boolean): Paused<Values> {
  const { of, ways, layers, first } = classes;
  const values: Fraction[] = new Array(ways.length);
  const better = betterOf(question.best);
  let done = 0;
  for (const layer of layers) {
    if (done++ % PAUSE_EVERY === 0) {
      yield;
      if (late()) return null;
    }
    const [own] = layer;
    if (layer.length > 1 || isLoop(classes, own)) {
      if (layer.length > MOST_UNKNOWNS) return null;
      solveLayer(classes, layer, question, values);
    } else if (ways[own].length === 0) {
      values[own] = classes.stays[own] ? ZERO : question.end(first[own]);
    } else {
      const options = ways[own].map((edges) => sum(edges, question, (target) => values[of[target]]));
      values[own] = options.reduce((a, b) => (better(b, a) ? b : a));
    }
  }
  return values;
}

/** Of the beginnings of a run. */
export function atStart(
  model: DecisionProcess,
  classes: Classes,
  values: readonly Fraction[],
  gain?: ExpectedGain<Fraction>["gain"],
): Fraction {
  const question = { ...(gain === undefined ? {} : { gain }) };
  return sum(model.beginnings, question, (target) => values[classes.of[target]]);
}

export const isLoop = ({ of, ways, stays }: Classes, own: number): boolean =>
  (stays[own] && ways[own].length > 0) || ways[own].some((edges) => edges.some(({ target }) => of[target] === own));

const betterOf =
  (best: Best) =>
  (a: Fraction, b: Fraction): boolean =>
    best === "min" ? isLess(a, b) : isLess(b, a);

function sum(
  edges: readonly Edge[],
  { gain }: Pick<ExpectedGain<Fraction>, "gain">,
  value: (target: number) => Fraction | undefined,
): Fraction {
  let total = ZERO;
  for (const edge of edges) {
    const reached = value(edge.target) ?? ZERO;
    const gathered = gain === undefined ? reached : plus(reached, gain(edge));
    if (gathered.over !== 0n) total = plus(total, times(edge.odds, gathered));
  }
  return total;
}

/** One way out of a class: what it brings for certain, and how likely it leads to each class of the layer. */
interface Equation {
  readonly constant: Fraction;
  readonly odds: ReadonlyMap<number, Fraction>;
}

/**
 * Policy iteration. No schedule can stay in a layer for ever but by the staying that is a way of its own, so the equations of
 * every policy have one solution, and each policy that is better somewhere is worse nowhere.
 */
function solveLayer(
  classes: Classes,
  layer: readonly number[],
  question: ExpectedGain<Fraction>,
  values: Fraction[],
): void {
  const better = betterOf(question.best);
  const options = layer.map((own) => equationsOf(classes, layer, own, question, values));
  const policy = layer.map(() => 0);
  for (let changed = true; changed; ) {
    const solved = solveEquations(
      layer,
      policy.map((choice, i) => options[i][choice]),
    );
    changed = false;
    for (const [i, own] of layer.entries()) {
      values[own] = solved[i];
      let best = solved[i];
      for (const [choice, equation] of options[i].entries()) {
        const value = worth(equation, (other) => solved[layer.indexOf(other)]);
        if (!better(value, best)) continue;
        best = value;
        policy[i] = choice;
        changed = true;
      }
    }
  }
}

const worth = ({ constant, odds }: Equation, value: (own: number) => Fraction): Fraction =>
  [...odds].reduce((total, [own, p]) => plus(total, times(p, value(own))), constant);

function equationsOf(
  { of, ways, stays }: Classes,
  layer: readonly number[],
  own: number,
  question: ExpectedGain<Fraction>,
  values: readonly Fraction[],
): Equation[] {
  const inside = new Set(layer);
  const equations = ways[own].map((edges) => {
    const odds = new Map<number, Fraction>();
    for (const { target, odds: p } of edges) {
      const other = of[target];
      if (inside.has(other)) odds.set(other, plus(odds.get(other) ?? ZERO, p));
    }
    const constant = sum(edges, question, (target) => (inside.has(of[target]) ? ZERO : values[of[target]]));
    return { constant, odds };
  });
  return stays[own] ? [...equations, { constant: ZERO, odds: new Map() }] : equations;
}

/** x = constant + odds x, by elimination. */
function solveEquations(unknowns: readonly number[], equations: readonly Equation[]): Fraction[] {
  const rows = equations.map(({ constant, odds }) => ({ constant, odds: new Map(odds) }));
  for (const [i, own] of unknowns.entries()) {
    const row = rows[i];
    // x = c + p x + rest: divided by 1 - p.
    const again = row.odds.get(own) ?? ZERO;
    row.odds.delete(own);
    const leaving = minus(ONE, again);
    const scale = fraction(leaving.under, leaving.over);
    row.constant = times(row.constant, scale);
    for (const [other, p] of row.odds) row.odds.set(other, times(p, scale));
    for (const other of rows) {
      const p = other.odds.get(own);
      if (p === undefined || other === row) continue;
      other.odds.delete(own);
      other.constant = plus(other.constant, times(p, row.constant));
      for (const [target, q] of row.odds) {
        other.odds.set(target, plus(other.odds.get(target) ?? ZERO, times(p, q)));
      }
    }
  }
  return rows.map(({ constant }) => constant);
}
