/** What is to be expected of one case: fractions where that is possible, and otherwise two ends. */
import { census } from "../../host/census.ts";
import type { Outcome } from "../../protocol.ts";
import { isSynchronous } from "../../protocols/parameters.ts";
import type { Paused } from "../search/search-terms.ts";
import { viewOf } from "../space/state-space.ts";
import { between, type Ends, startBetween } from "./bounds.ts";
import { type Classes, classesOf } from "./classes.ts";
import { atStart, type Best, exactly } from "./exact.ts";
import {
  certain,
  type Fraction,
  fraction,
  type Known,
  type KnownSpan,
  known,
  minus,
  ONE,
  times,
  toDouble,
  ZERO,
} from "./fraction.ts";
import type { DecisionProcess, Edge, Spent } from "./graph.ts";

/** Fractions up to this many configurations of a case, where all of it was followed as far as it was to be. */
const EXACT_STATES = 100_000;

/** What is to be expected of one case. */
export interface CaseProbabilities {
  readonly states: number;
  readonly stopped: Spent | null;
  readonly unknown: KnownSpan;
  readonly outcomes: Readonly<Record<Outcome | "never", KnownSpan>>;
  readonly messages: KnownSpan | null;
  readonly rounds: Known | null;
}

export function* solve(model: DecisionProcess, late: () => boolean): Paused<CaseProbabilities> {
  return yield* new Solver(model, late).solve();
}

type Ending = Outcome | "cut" | null;

class Solver {
  private readonly model: DecisionProcess;
  private readonly late: () => boolean;
  private readonly classes: Classes;
  private readonly endings: readonly Ending[];
  private readonly whole: boolean;
  private exact: boolean;

  constructor(model: DecisionProcess, late: () => boolean) {
    this.model = model;
    this.late = late;
    this.classes = classesOf(model);
    this.endings = model.vertices.map(({ choices, cut }, vertex) =>
      cut ? "cut" : choices.length > 0 ? null : outcomeOf(model, vertex),
    );
    this.whole = !this.endings.includes("cut");
    this.exact = model.stopped === null && model.vertices.length <= EXACT_STATES;
  }

  *solve(): Paused<CaseProbabilities> {
    const { model, classes, endings, whole } = this;
    const outcome = (wanted: Outcome) => (ending: Ending) => ending === wanted;
    const outcomes = {
      none: yield* this.chance(outcome("none")),
      one: yield* this.chance(outcome("one")),
      many: yield* this.chance(outcome("many")),
    };
    const unknown = whole ? certain(ZERO) : yield* this.unfollowed(endings);
    const { protocol } = model.network.problem;
    const messages = classes.endless ? null : yield* this.cost((edge) => edge.messages);
    return {
      states: model.vertices.length,
      stopped: model.stopped,
      unknown,
      outcomes: { ...outcomes, never: classes.endless ? yield* this.never() : { min: known(ZERO), max: unknown.max } },
      messages,
      rounds: yield* protocol.rounds === "reported" ? this.reported() : this.time(),
    };
  }

  /** How likely an ending is. One that is not known counts where that makes the most of it, and not for the least. */
  private *chance(is: (ending: Ending) => boolean): Paused<KnownSpan> {
    const { endings, model, whole } = this;
    const ends = (best: Best) => (vertex: number) =>
      is(endings[vertex]) || (best === "max" && endings[vertex] === "cut") ? ONE : ZERO;
    const min = yield* this.value("min", ends("min"));
    return { min, max: model.chain && whole ? min : yield* this.value("max", ends("max")) };
  }

  /** What does not come to an end goes on: the least of the one is the most of the other. */
  private *never(): Paused<KnownSpan> {
    const ends = yield* this.chance((ending) => ending !== null && ending !== "cut");
    return { min: rest(ends.max), max: rest(ends.min) };
  }

  /** How likely it is that a run is not followed to its end. */
  private *unfollowed(endings: readonly Ending[]): Paused<KnownSpan> {
    const cut = (vertex: number) => (endings[vertex] === "cut" ? ONE : ZERO);
    const min = yield* this.value("min", cut);
    return { min, max: this.model.chain ? min : yield* this.value("max", cut) };
  }

  private *value(best: Best, end: (vertex: number) => Fraction): Paused<Known> {
    const { classes, model } = this;
    if (this.exact) {
      const values = yield* exactly(classes, { best, end }, this.late);
      if (values !== null) return known(atStart(model, classes, values));
      this.exact = false;
    }
    yield;
    const values = between(classes, { best, end: (vertex) => point(end(vertex)) }, 1);
    const { from, to } = startBetween(model, classes, values);
    return { from, to: Math.min(1, to), exact: null };
  }

  /** The mean of what steps cost; where runs were not followed it has no upper end. */
  private *cost(of: (edge: Edge) => number): Paused<KnownSpan> {
    const min = yield* this.mean("min", of);
    return { min, max: this.model.chain ? min : yield* this.mean("max", of) };
  }

  private *mean(best: Best, of: (edge: Edge) => number): Paused<Known> {
    const { classes, model, whole, endings } = this;
    if (this.exact && whole) {
      const gain = (edge: Edge) => fraction(BigInt(of(edge)), 1n);
      const values = yield* exactly(classes, { best, end: () => ZERO, gain }, this.late);
      if (values !== null) return known(atStart(model, classes, values, gain));
      this.exact = false;
    }
    yield;
    const gain = (edge: Edge) => ({ from: of(edge), to: of(edge) });
    const end = (vertex: number) => ({ from: 0, to: endings[vertex] === "cut" ? Infinity : 0 });
    const values = between(classes, { best, end, gain }, Infinity);
    return { ...startBetween(model, classes, values, gain), exact: null };
  }

  private *reported(): Paused<Known | null> {
    if (this.classes.endless || !this.model.chain) return null;
    if (this.model.network.problem.protocol.measures.rounds !== "sum") return null;
    return (yield* this.cost(({ rounds }) => rounds)).min;
  }

  /** The mean time of the last delivery of a chain: an instant counts if something still arrives after it. */
  private *time(): Paused<Known | null> {
    const { classes, model } = this;
    const { protocol, params } = model.network.problem;
    if (!model.chain || classes.endless) return null;
    const half = protocol.rounds === "exchanges" && isSynchronous(protocol, params);
    const exact = this.exact && this.whole ? yield* this.exactTime() : null;
    if (exact !== null) return known(half ? times(exact, fraction(1n, 2n)) : exact);
    yield;
    const { from, to } = this.timeBetween();
    return half ? { from: from / 2, to: to / 2, exact: null } : { from, to, exact: null };
  }

  private *exactTime(): Paused<Fraction | null> {
    const { classes, model, late } = this;
    const arrival = model.vertices.length;
    const end = (vertex: number) => (vertex === arrival ? ONE : ZERO);
    const arrives = yield* exactly(untilArrival(classes, arrival), { best: "min", end }, late);
    if (arrives === null) return null;
    const gain = ({ ticks, target }: Edge) =>
      ticks === 0 ? ZERO : times(fraction(BigInt(ticks), 1n), arrives[classes.of[target]]);
    const values = yield* exactly(classes, { best: "min", end: () => ZERO, gain }, late);
    return values === null ? null : atStart(model, classes, values, gain);
  }

  private timeBetween(): Ends {
    const { classes, model, endings } = this;
    const arrival = model.vertices.length;
    const end = (vertex: number) =>
      vertex === arrival ? point(ONE) : { from: 0, to: endings[vertex] === "cut" ? 1 : 0 };
    const arrives = between(untilArrival(classes, arrival), { best: "min", end }, 1);
    const gain = ({ ticks, target }: Edge) => ({
      from: ticks * arrives.from[classes.of[target]],
      to: ticks * arrives.to[classes.of[target]],
    });
    const open = (vertex: number) => ({ from: 0, to: endings[vertex] === "cut" ? Infinity : 0 });
    return startBetween(model, classes, between(classes, { best: "min", end: open, gain }, Infinity), gain);
  }
}

/** The same runs, each up to the first delivery: the vertex `arrival`, which is not one of theirs. Time passes only between deliveries. */
function untilArrival(classes: Classes, arrival: number): Classes {
  const own = classes.ways.length;
  const ways = classes.ways.map((all) =>
    all.map((edges) => edges.map((edge) => (edge.delivers ? { ...edge, target: arrival } : edge))),
  );
  return {
    ...classes,
    of: Int32Array.from([...classes.of, own]),
    ways: [...ways, []],
    stays: [...classes.stays, false],
    first: [...classes.first, arrival],
    layers: [[own], ...classes.layers],
  };
}

const point = (value: Fraction): Ends => ({ from: toDouble(value), to: toDouble(value) });

const ROUNDING = 2 ** -52;

const rest = ({ from, to, exact }: Known): Known =>
  exact !== null
    ? known(minus(ONE, exact))
    : { from: Math.max(0, (1 - to) * (1 - ROUNDING)), to: Math.min(1, (1 - from) * (1 + ROUNDING)), exact };

function outcomeOf({ network, vertices }: DecisionProcess, vertex: number): Outcome {
  const { protocol, params } = network.problem;
  network.nodes.useLevels(vertices[vertex].levels);
  const counted = census(viewOf(network, vertices[vertex].vector, 0));
  const { elected } = counted;
  return protocol.judge?.(params, counted) ?? (elected === 0 ? "none" : elected === 1 ? "one" : "many");
}
