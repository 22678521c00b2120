/**
 * Exact probabilities of a small network: that nobody, exactly one or several lead in the end, and the mean of messages and
 * rounds. For synchronous protocols over all draws; for others the least and the greatest over all weakly fair schedules,
 * whose scheduler sees every draw as soon as it has been made. Loss and crashes are coins.
 */
import { InputError } from "../../errors.ts";
import { census } from "../../host/census.ts";
import type { Outcome } from "../../protocol.ts";
import { isSynchronous, type Params } from "../../protocols/parameters.ts";
import { findProtocol, type ProtocolChoice } from "../../protocols/registry.ts";
import { type Given, readAll } from "../../setting.ts";
import { type ExploreRequest, explorationProblem, explorationProblems } from "../explore.ts";
import { finished, type Paused } from "../search.ts";
import { BUDGETS, EXPLORATION } from "../settings.ts";
import { viewOf } from "../view.ts";
import { type Fraction, fraction, ONE, ofDouble, plus, times, ZERO } from "./fraction.ts";
import { type Coins, type Process, processOf } from "./graph.ts";
import { CHANCES } from "./settings.ts";
import { type Best, backwards, bounded, exactly, type Known, known, meanTime } from "./solve.ts";

/** A network, and the coins of its faults; what an exploration tries within budgets is no probability. */
export interface ProbabilityRequest
  extends Pick<ExploreRequest, "n" | "params" | "ids" | "initiators" | "roles" | "fifo" | "timed" | "limits">,
    Given<typeof CHANCES> {
  readonly maxStates?: number;
}

/** Over all schedules; both ends are the same where the scheduler has nothing to say. */
export interface Span {
  readonly min: Known;
  readonly max: Known;
}

/** What is to be expected of a protocol, and of how many configurations that follows. */
export interface Probabilities {
  readonly protocol: string;
  readonly n: number;
  readonly params: Params;
  /** Arrangements of ids and sets of initiators, each as likely as any other. */
  readonly cases: number;
  readonly states: number;
  /** Whether schedules differ, or all is chance. */
  readonly schedules: "all" | "none";
  /** Whether the numbers are fractions; otherwise they lie between two ends. */
  readonly exact: boolean;
  readonly outcomes: Readonly<Record<Outcome | "never", Span>>;
  /** Null where runs can come again to where they were, or go beyond a limit. */
  readonly messages: Span | null;
  /** As simulations count them; null where they do not follow from the number of instants. */
  readonly rounds: Known | null;
}

/** Fractions up to so many configurations. */
const EXACT_STATES = 100_000;
const MOST_STATES = 1_000_000;

/**
 * What is exactly to be expected of a protocol in a small network.
 *
 * @example
 * ```ts
 * import { probabilities } from "sortition/explore";
 *
 * const { outcomes } = probabilities("referees", { n: 3 });
 * const { over, under } = outcomes.one.min.exact!;
 * ```
 */
export function probabilities(protocol: ProtocolChoice, request: ProbabilityRequest): Probabilities {
  return finished(computing(protocol, request));
}

/** As `probabilities`, in pieces. */
export function* computing(choice: ProtocolChoice, request: ProbabilityRequest): Paused<Probabilities> {
  const { protocol } = findProtocol(choice);
  const { maxStates = MOST_STATES, loss, crash, ...asked } = request;
  const coins = coinsOf(choice, { loss, crash });
  const problems = explorationProblems(protocol, asked);
  const parts: Part[] = [];
  for (const problem of problems) {
    const model = yield* processOf(problem, coins, maxStates);
    parts.push(
      yield* solve(
        model,
        parts.reduce((sum, { states }) => sum + states, 0),
      ),
    );
  }
  const share = fraction(1n, BigInt(parts.length));
  const mean = (of: (part: Part) => Known) => average(parts.map(of), share);
  const span = (of: (part: Part) => Span): Span => ({
    min: mean((part) => of(part).min),
    max: mean((part) => of(part).max),
  });
  const { params } = explorationProblem(protocol, asked);
  return {
    protocol: protocol.name,
    n: readAll(EXPLORATION, asked).n,
    params: params as Params,
    cases: parts.length,
    states: parts.reduce((sum, { states }) => sum + states, 0),
    schedules: isSynchronous(protocol, params) ? "none" : "all",
    exact: parts.every(({ outcomes }) => outcomes.one.min.exact !== null),
    outcomes: {
      none: span(({ outcomes }) => outcomes.none),
      one: span(({ outcomes }) => outcomes.one),
      many: span(({ outcomes }) => outcomes.many),
      never: span(({ outcomes }) => outcomes.never),
    },
    messages: parts.every(({ messages }) => messages !== null) ? span(({ messages }) => messages!) : null,
    rounds: parts.every(({ rounds }) => rounds !== null) ? mean(({ rounds }) => rounds!) : null,
  };
}

interface Part {
  readonly states: number;
  readonly outcomes: Probabilities["outcomes"];
  readonly messages: Span | null;
  readonly rounds: Known | null;
}

function coinsOf(choice: ProtocolChoice, given: Given<typeof CHANCES>): Coins {
  const { protocol } = findProtocol(choice);
  const read = (name: keyof typeof CHANCES) => {
    const value = given[name] ?? 0;
    const chance = CHANCES[name].read(value);
    if (chance === undefined)
      throw new InputError((field) => `${field(name)} must be ${CHANCES[name].wanted}, not ${value}`);
    return ofDouble(chance);
  };
  const coins = { loss: read("loss"), crash: read("crash") };
  const { name, assumes } = protocol;
  if (coins.loss.over > 0n && assumes.multicast) {
    throw new InputError(`${name} multicasts, whose loss is not a coin here: leave loss out, or simulate it`);
  }
  if (
    coins.crash.over > 0n &&
    (assumes.topology === "ring" || assumes.topology === "star" || protocol.crash === "round")
  ) {
    throw new InputError(
      `crashes of ${name} are not coins here (rings close over crashed nodes, centres are trusted, rounds have their own): leave crash out, or simulate it`,
    );
  }
  return coins;
}

function* solve(model: Process, before: number): Paused<Part> {
  const { protocol, params } = model.network.problem;
  const states = model.vertices.length;
  const order = backwards(model);
  const outcomes = model.vertices.map(({ choices, cut }, vertex) =>
    cut ? "cut" : choices.length > 0 ? null : outcomeOf(model, vertex),
  );
  yield;
  // How a run ends that was cut is not known: it counts where that makes the most of a probability, and not for the least.
  const is = (wanted: Outcome, best: Best) => (vertex: number) =>
    outcomes[vertex] === wanted || (best === "max" && outcomes[vertex] === "cut");
  const whole = !outcomes.includes("cut");
  if (order === null || before + states > EXACT_STATES) {
    const both = (wanted: Outcome): Span => ({
      min: bounded(model, "min", is(wanted, "min")),
      max: bounded(model, "max", is(wanted, "max")),
    });
    const ends = (best: Best) =>
      bounded(model, best, (vertex) => outcomes[vertex] !== null && (best === "max" || outcomes[vertex] !== "cut"));
    const rest = ({ from, to }: Known): Known => ({
      from: Math.max(0, 1 - to),
      to: Math.max(0, 1 - from),
      exact: null,
    });
    const never = order === null || !whole ? { min: rest(ends("max")), max: rest(ends("min")) } : certain(ZERO);
    const found = { none: both("none"), one: both("one"), many: both("many"), never };
    return { states, outcomes: found, messages: null, rounds: null };
  }
  const span = (final: (vertex: number, best: Best) => Fraction, reward?: (messages: number) => Fraction): Span => {
    const value = (best: Best) => known(exactly(model, order, best, (vertex) => final(vertex, best), reward));
    const min = value("min");
    return { min, max: model.chain && whole ? min : value("max") };
  };
  const chance = (wanted: Outcome | null) =>
    span((vertex, best) => (wanted !== null && is(wanted, best)(vertex) ? ONE : cutAsMost(vertex, best)));
  const cutAsMost = (vertex: number, best: Best) => (best === "max" && outcomes[vertex] === "cut" ? ONE : ZERO);
  const reported = protocol.rounds === "reported";
  const halved = protocol.rounds === "exchanges" && isSynchronous(protocol, params);
  const time = model.chain && whole && !reported ? meanTime(model, order) : null;
  return {
    states,
    outcomes: { none: chance("none"), one: chance("one"), many: chance("many"), never: chance(null) },
    messages: whole
      ? span(
          () => ZERO,
          (messages) => fraction(BigInt(messages), 1n),
        )
      : null,
    rounds: time === null ? null : known(halved ? times(time, fraction(1n, 2n)) : time),
  };
}

const certain = (value: Fraction): Span => ({ min: known(value), max: known(value) });

function outcomeOf({ network, vertices }: Process, vertex: number): Outcome {
  const { protocol, params } = network.problem;
  network.nodes.useLevels(vertices[vertex].levels);
  const counted = census(viewOf(network, vertices[vertex].vector, 0));
  const { elected } = counted;
  return protocol.judge?.(params, counted) ?? (elected === 0 ? "none" : elected === 1 ? "one" : "many");
}

function average(values: readonly Known[], share: Fraction): Known {
  if (values.every(({ exact }) => exact !== null)) {
    return known(values.reduce((sum, { exact }) => plus(sum, times(exact!, share)), ZERO));
  }
  const mean = (end: "from" | "to") => values.reduce((sum, value) => sum + value[end], 0) / values.length;
  return { from: mean("from"), to: mean("to"), exact: null };
}

/** Settings of an exploration that are no probabilities. */
export const UNLIKELY: readonly string[] = [...Object.keys(BUDGETS), "choices", "ties"];
