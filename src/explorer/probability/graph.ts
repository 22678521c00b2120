/**
 * A protocol's runs as a Markov decision process: in each configuration the scheduler chooses what happens next, and chance
 * how its draws fall and whether a message is lost. Synchronous protocols leave nothing to the scheduler: of the orders in which
 * the messages of a round can be taken, the first is taken, as the lock-step host does.
 */
import { InputError } from "../../errors.ts";
import { isSynchronous } from "../../protocols/parameters.ts";
import { subject } from "../endless.ts";
import { DOWN } from "../layout.ts";
import type { Problem } from "../problem.ts";
import type { Paused } from "../search.ts";
import { type Action, StateSpace, type Step } from "../state-space.ts";
import { type Fraction, fraction, minus, ONE, plus, times } from "./fraction.ts";

/** The chances of faults. */
export interface Coins {
  readonly loss: Fraction;
  /** Each node has crashed before the run. */
  readonly crash: Fraction;
}

export interface Edge {
  readonly target: number;
  readonly odds: Fraction;
  readonly messages: number;
  /** Instants that pass. */
  readonly ticks: number;
  readonly delivers: boolean;
}

export interface Choice {
  /** Which message or timer it is, for fairness; null where its absence starves nobody. */
  readonly subject: string | null;
  readonly edges: readonly Edge[];
}

export interface Vertex {
  readonly vector: Int32Array;
  readonly levels: number;
  /** It lies beyond a limit: how a run goes on from here is not known. */
  readonly cut: boolean;
  /** None where the run has ended. */
  choices: readonly Choice[];
}

export interface Process {
  readonly network: StateSpace;
  readonly vertices: readonly Vertex[];
  /** How a run begins: messages of the starts included. */
  readonly beginnings: readonly Edge[];
  /** Whether the scheduler has nothing to say. */
  readonly chain: boolean;
}

const PAUSE_EVERY = 64;

export function* processOf(problem: Problem, coins: Coins, maxStates: number): Paused<Process> {
  return yield* new Builder(problem, coins, maxStates).build();
}

class Builder {
  private readonly network: StateSpace;
  private readonly coins: Coins;
  private readonly maxStates: number;
  private readonly chain: boolean;
  private readonly vertices: Vertex[] = [];
  private readonly numbers = new Map<string, number>();

  constructor(problem: Problem, coins: Coins, maxStates: number) {
    this.network = new StateSpace({ ...problem, choices: Infinity, exact: true });
    this.coins = coins;
    this.maxStates = maxStates;
    this.chain = isSynchronous(problem.protocol, problem.params);
  }

  *build(): Paused<Process> {
    const beginnings = this.beginnings();
    for (let done = 0; done < this.vertices.length; done++) {
      if (done % PAUSE_EVERY === 0) yield;
      if (this.vertices.length > this.maxStates) {
        throw new InputError(
          (name) =>
            `more than ${this.maxStates} configurations: lower ${name("n")}, give smaller parameters, or raise ${name("maxStates")}`,
        );
      }
      const vertex = this.vertices[done];
      if (!vertex.cut) vertex.choices = this.choicesOf(vertex);
    }
    return { network: this.network, vertices: this.vertices, beginnings, chain: this.chain };
  }

  /** Who has crashed, then the starts of the others, one after another. */
  private beginnings(): Edge[] {
    const { network } = this;
    const { size } = network.layout;
    const found = new Map<string, Edge>();
    for (let down = 0; down < 2 ** size; down++) {
      const crashed = network.everybody.filter((node) => (down >> node) & 1);
      const odds = this.crashOdds(crashed.length, size);
      if (odds.over === 0n) continue;
      const blank = crashed.reduce((vector, node) => withCrashed(network, vector, node), network.blank());
      const starters = network.starters().filter((node) => !crashed.includes(node));
      this.begin(blank, 0, odds, 0, starters, found);
    }
    return [...found.values()];
  }

  private crashOdds(crashed: number, size: number): Fraction {
    let odds = ONE;
    for (let node = 0; node < size; node++) {
      odds = times(odds, node < crashed ? this.coins.crash : minus(ONE, this.coins.crash));
    }
    return odds;
  }

  private begin(
    vector: Int32Array,
    levels: number,
    odds: Fraction,
    messages: number,
    starters: readonly number[],
    found: Map<string, Edge>,
  ): void {
    const [node, ...others] = starters;
    if (node === undefined) {
      this.merge(found, { target: this.number(vector, levels), odds, messages, ticks: 0, delivers: false });
      return;
    }
    this.network.nodes.useLevels(levels);
    const ways = this.network.start(vector, node);
    for (const step of ways) {
      this.network.nodes.useLevels(levels);
      const next = step.outcome!.levels!;
      this.begin(step.after, next, times(odds, oddsOf(step, ways)), messages + step.outcome!.messages, others, found);
    }
  }

  private choicesOf({ vector, levels }: Vertex): Choice[] {
    this.network.nodes.useLevels(levels);
    const groups = new Map<Action, Step[]>();
    for (const step of this.network.steps(vector)) {
      const group = groups.get(step.action);
      if (group === undefined) groups.set(step.action, [step]);
      else group.push(step);
    }
    const taken = this.chain ? [...groups.values()].slice(0, 1) : [...groups.values()];
    return taken.map((steps) => this.choiceOf(vector, levels, steps));
  }

  private choiceOf(vector: Int32Array, levels: number, steps: readonly Step[]): Choice {
    const { network, coins } = this;
    const [{ action }] = steps;
    const found = new Map<string, Edge>();
    const ticks = action.do === "tick" ? action.by : 0;
    const delivers = action.do === "deliver";
    const lossy = delivers && coins.loss.over > 0n;
    for (const step of steps) {
      const odds = lossy ? times(minus(ONE, coins.loss), oddsOf(step, steps)) : oddsOf(step, steps);
      const target = this.number(step.after, step.outcome?.levels ?? levels, step.outcome?.beyond === true);
      this.merge(found, { target, odds, messages: step.outcome?.messages ?? 0, ticks, delivers });
    }
    if (lossy && action.do === "deliver") {
      const after = withoutMessage(network, vector, action.link, action.index);
      this.merge(found, { target: this.number(after, levels), odds: coins.loss, messages: 0, ticks, delivers: false });
    }
    return { subject: subject(network, vector, steps[0]), edges: [...found.values()] };
  }

  private merge(found: Map<string, Edge>, edge: Edge): void {
    const key = `${edge.target} ${edge.messages} ${edge.delivers}`;
    const other = found.get(key);
    found.set(key, other === undefined ? edge : { ...edge, odds: plus(edge.odds, other.odds) });
  }

  private number(vector: Int32Array, levels: number, cut = false): number {
    const key = cut ? "cut" : `${levels}:${vector.join()}`;
    let number = this.numbers.get(key);
    if (number === undefined) {
      number = this.vertices.length;
      this.numbers.set(key, number);
      this.vertices.push({ vector, levels, cut, choices: [] });
    }
    return number;
  }
}

function withCrashed({ layout }: StateSpace, vector: Int32Array, node: number): Int32Array {
  const after = Int32Array.from(vector);
  after[layout.statusAt(node)] = DOWN;
  return after;
}

function withoutMessage({ layout, contents }: StateSpace, vector: Int32Array, link: number, index: number): Int32Array {
  const after = Int32Array.from(vector);
  after[layout.linkAt(link)] = contents.remove(vector[layout.linkAt(link)], index);
  return after;
}

/** Timers with a range are drawn by the host, each whole number in it as likely as any other. */
function oddsOf({ outcome }: Step, all: readonly Step[]): Fraction {
  if (outcome === null) return ONE;
  const alike = all.filter((step) => step.outcome === outcome).length;
  return alike === 1 ? outcome.odds! : times(outcome.odds!, fraction(1n, BigInt(alike)));
}
