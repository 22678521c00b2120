/**
 * A protocol's runs as a Markov decision process: in each configuration the scheduler chooses what happens next, and chance
 * how its draws fall and whether a message is lost. Synchronous protocols leave nothing to the scheduler: of the orders in which
 * the messages of a round can be taken, the first is taken, as the lock-step host does.
 */
import { isSynchronous } from "../../protocols/parameters.ts";
import { CENTRE } from "../../topology/lattices.ts";
import type { Problem } from "../problem.ts";
import { subjectOf } from "../search/endless.ts";
import { looksTheSameEverywhere } from "../search/search.ts";
import type { Paused } from "../search/search-terms.ts";
import type { Action, Step } from "../space/configurations.ts";
import { DOWN } from "../space/layout.ts";
import { OutOfPatience } from "../space/node-steps.ts";
import { Orders } from "../space/orders.ts";
import { StateSpace } from "../space/state-space.ts";
import { StepGraph } from "../space/step-graph.ts";
import { leastOf } from "../space/visited.ts";
import { type Fraction, fraction, minus, ONE, plus, times } from "./fraction.ts";

/** The chances of faults. */
export interface FaultChances {
  readonly loss: Fraction;
  readonly multicastLoss: Fraction;
  /** Each node has crashed before the run. */
  readonly crash: Fraction;
}

export interface Edge {
  readonly target: number;
  readonly odds: Fraction;
  readonly messages: number;
  /** Rounds of its own that the protocol reported. */
  readonly rounds: number;
  /** Instants that pass. */
  readonly ticks: number;
  readonly delivers: boolean;
}

interface Choice {
  /** Which message or timer it is, for fairness; null where its absence starves nobody. */
  readonly subject: string | null;
  readonly edges: readonly Edge[];
}

export interface Vertex {
  readonly vector: Int32Array;
  readonly levels: number;
  /** It lies beyond a limit, or the budget was spent: how a run goes on from here is not known. */
  cut: boolean;
  /** None where the run has ended. */
  choices: readonly Choice[];
}

export interface DecisionProcess {
  readonly network: StateSpace;
  readonly vertices: readonly Vertex[];
  /** How a run begins: messages of the starts included. */
  readonly beginnings: readonly Edge[];
  /** Whether the scheduler has nothing to say. */
  readonly chain: boolean;
  /** Which budget was spent before everything was followed; null where none was. */
  readonly stopped: Spent | null;
}

/** What a search may take. */
export interface Allowance {
  readonly maxStates: number;
  readonly maxBytes: number;
  /** Whether the time is over. */
  late(): boolean;
}

/** Which of them was spent. */
export type Spent = "states" | "bytes" | "time";

const PAUSE_EVERY = 64;
/** What a configuration and a way out of it take beside its vector, about: objects, their texts and fractions. */
const BYTES = { vertex: 800, cell: 24, edge: 400 };

export function* decisionProcessOf(
  problem: Problem,
  coins: FaultChances,
  allowance: Allowance,
): Paused<DecisionProcess> {
  const folded = new Builder(problem, coins, allowance, true);
  if (folded.folds) {
    const model = yield* folded.build();
    if (folded.isExact && !canGoOnForEver(model)) return model;
  }
  return yield* new Builder(problem, coins, allowance, false).build();
}

/** A schedule can keep a run somewhere: then fairness is asked of each message by its name, which folding takes away. */
function canGoOnForEver({ vertices }: DecisionProcess): boolean {
  const graph = new StepGraph();
  for (const { choices } of vertices) {
    for (const [choice, { edges }] of choices.entries()) for (const { target } of edges) graph.add(target, 0, choice);
    graph.expanded();
  }
  return graph.order().length < vertices.length && graph.endComponents().length > 0;
}

/** A way in which a run can have begun, while others are still to start. */
interface Begun extends Pick<Edge, "odds" | "messages" | "rounds"> {
  readonly vector: Int32Array;
  readonly levels: number;
}

class Builder {
  private readonly network: StateSpace;
  private readonly coins: FaultChances;
  private readonly allowance: Allowance;
  private readonly chain: boolean;
  private readonly vertices: Vertex[] = [];
  private readonly numbers = new Map<string, number>();
  private edges = 0;
  private stopped: Spent | null = null;
  private readonly rotations: readonly Int32Array[];
  private readonly orders: Orders | null;

  /** `folds`: configurations that differ by a rotation, or in numbers that are kept by order, are one. */
  constructor(problem: Problem, coins: FaultChances, allowance: Allowance, folds: boolean) {
    const { ordered } = problem;
    this.network = new StateSpace({ ...problem, choices: Infinity, exact: true, ordered: folds ? ordered : undefined });
    this.rotations = folds && looksTheSameEverywhere(problem) ? this.network.rotations().slice(1) : [];
    this.orders = folds && ordered !== undefined ? new Orders(this.network, ordered, "neighbours") : null;
    this.network.nodes.patient = () => !allowance.late();
    this.coins = coins;
    this.allowance = allowance;
    this.chain = isSynchronous(problem.protocol, problem.params);
  }

  get folds(): boolean {
    return this.orders !== null || this.rotations.length > 0;
  }

  /** Whether configurations that were taken for one are: none of them had something raised into a gap that is not known. */
  get isExact(): boolean {
    return this.orders?.isUncertain !== true;
  }

  *build(): Paused<DecisionProcess> {
    const beginnings = yield* this.beginnings();
    for (let done = 0; done < this.vertices.length; done++) {
      if (done % PAUSE_EVERY === 0) yield;
      if (!this.isExact) break;
      const vertex = this.vertices[done];
      if (vertex.cut) continue;
      if (this.spent(done)) vertex.cut = true;
      else this.follow(vertex);
    }
    const { network, vertices, chain, stopped } = this;
    return { network, vertices, beginnings, chain, stopped };
  }

  private follow(vertex: Vertex): void {
    try {
      vertex.choices = this.choicesOf(vertex);
      for (const { edges } of vertex.choices) this.edges += edges.length;
    } catch (error) {
      if (!(error instanceof OutOfPatience)) throw error;
      this.stopped = "time";
      vertex.cut = true;
    }
  }

  private spent(done: number): boolean {
    if (this.stopped !== null) return true;
    const { maxStates, maxBytes, late } = this.allowance;
    const { length } = this.vertices;
    const bytes = length * (BYTES.vertex + BYTES.cell * this.network.length) + this.edges * BYTES.edge;
    if (length > maxStates) this.stopped = "states";
    else if (bytes > maxBytes) this.stopped = "bytes";
    else if (done % PAUSE_EVERY === 0 && late()) this.stopped = "time";
    return this.stopped !== null;
  }

  /** Who has crashed, then the starts of the others, one after another; ways that are alike are one at once. */
  private *beginnings(): Paused<Edge[]> {
    const { network } = this;
    const found = new Map<string, Edge>();
    const { topology } = network.problem.protocol.assumes;
    // The centre of a star is trusted.
    const mortal = network.everybody.filter((node) => topology !== "star" || node !== CENTRE);
    const fates = this.coins.crash.over === 0n ? 1 : 2 ** mortal.length;
    for (let down = 0; down < fates; down++) {
      const crashed = mortal.filter((_, i) => (down >> i) & 1);
      const odds = this.crashOdds(crashed.length, mortal.length);
      const blank = crashed.reduce((vector, node) => withCrashed(network, vector, node), network.blank());
      let ways: Begun[] = [{ vector: blank, levels: 0, odds, messages: 0, rounds: 0 }];
      for (const node of network.starters()) {
        if (!crashed.includes(node)) ways = yield* this.started(ways, node, found);
      }
      for (const { vector, levels, ...way } of ways) {
        this.merge(found, { target: this.number(vector, levels), ...way, ticks: 0, delivers: false });
      }
      yield;
    }
    return [...found.values()];
  }

  private *started(before: readonly Begun[], node: number, found: Map<string, Edge>): Paused<Begun[]> {
    const alike = new Map<string, Begun>();
    for (const [done, begun] of before.entries()) {
      if (done % PAUSE_EVERY === 0) yield;
      try {
        if (this.tooMany(alike.size)) throw new OutOfPatience();
        this.startOne(begun, node, alike);
      } catch (error) {
        if (!(error instanceof OutOfPatience)) throw error;
        this.stopped ??= "time";
        const { odds, messages, rounds } = begun;
        const target = this.number(begun.vector, begun.levels, true);
        this.merge(found, { target, odds, messages, rounds, ticks: 0, delivers: false });
      }
    }
    return [...alike.values()];
  }

  private tooMany(ways: number): boolean {
    const { maxStates, maxBytes, late } = this.allowance;
    if (ways > maxStates) this.stopped = "states";
    else if (ways * (BYTES.vertex + BYTES.cell * this.network.length) > maxBytes) this.stopped = "bytes";
    else if (late()) this.stopped = "time";
    return this.stopped !== null;
  }

  private startOne({ vector, levels, odds, messages, rounds }: Begun, node: number, alike: Map<string, Begun>): void {
    this.network.nodes.useLevels(levels);
    const ways = this.network.start(vector, node);
    const share = sharesOf(ways);
    for (const step of ways) {
      const outcome = step.outcome!;
      const next: Begun = {
        vector: step.after,
        levels: outcome.levels!,
        odds: times(odds, share(step)),
        messages: messages + outcome.messages,
        rounds: rounds + outcome.rounds!,
      };
      const key = `${next.messages} ${next.rounds} ${next.levels}:${next.vector.join()}`;
      const other = alike.get(key);
      alike.set(key, other === undefined ? next : { ...next, odds: plus(next.odds, other.odds) });
    }
  }

  private crashOdds(crashed: number, size: number): Fraction {
    let odds = ONE;
    for (let node = 0; node < size; node++) {
      odds = times(odds, node < crashed ? this.coins.crash : minus(ONE, this.coins.crash));
    }
    return odds;
  }

  private choicesOf({ vector, levels }: Vertex): Choice[] {
    this.network.nodes.useLevels(levels);
    this.orders?.begin(vector);
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
    const { network } = this;
    const [{ action }] = steps;
    const found = new Map<string, Edge>();
    const ticks = action.do === "tick" ? action.by : 0;
    const delivers = action.do === "deliver";
    const loss = this.lossOf(vector, action);
    const share = sharesOf(steps);
    for (const step of steps) {
      const { outcome } = step;
      const odds = loss === null ? share(step) : times(minus(ONE, loss), share(step));
      const target = this.number(step.after, outcome?.levels ?? levels, outcome?.beyond === true);
      const cost = { messages: outcome?.messages ?? 0, rounds: outcome?.rounds ?? 0 };
      this.merge(found, { target, odds, ...cost, ticks, delivers });
    }
    if (loss !== null && action.do === "deliver") {
      const after = withoutMessage(network, vector, action.link, action.index);
      const lost = { odds: loss, messages: 0, rounds: 0, ticks, delivers: false };
      this.merge(found, { target: this.number(after, levels), ...lost });
    }
    return { subject: subjectOf(network, vector, steps[0]), edges: [...found.values()] };
  }

  /** How likely it is that a message does not arrive; null where it always does. */
  private lossOf(vector: Int32Array, action: Action): Fraction | null {
    if (action.do !== "deliver") return null;
    const { message } = this.network.onLink(vector, action.link)[action.index];
    const rate = this.network.nodes.multicasts.has(message) ? this.coins.multicastLoss : this.coins.loss;
    return rate.over === 0n ? null : rate;
  }

  private folded(vector: Int32Array): Int32Array {
    return leastOf(this.orders?.canonical(vector) ?? vector, this.rotations);
  }

  private merge(found: Map<string, Edge>, edge: Edge): void {
    const key = `${edge.target} ${edge.messages} ${edge.rounds} ${edge.delivers}`;
    const other = found.get(key);
    found.set(key, other === undefined ? edge : { ...edge, odds: plus(edge.odds, other.odds) });
  }

  private number(given: Int32Array, levels: number, cut = false): number {
    const vector = cut ? given : this.folded(given);
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

/** How likely each step of a choice is. Timers with a range are drawn by the host, each whole number in it as likely as any other. */
function sharesOf(steps: readonly Step[]): (step: Step) => Fraction {
  const alike = new Map<Step["outcome"], number>();
  for (const { outcome } of steps) alike.set(outcome, (alike.get(outcome) ?? 0) + 1);
  return ({ outcome }) => {
    if (outcome === null) return ONE;
    const count = alike.get(outcome)!;
    return count === 1 ? outcome.odds! : times(outcome.odds!, fraction(1n, BigInt(count)));
  };
}
