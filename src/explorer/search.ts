/** Breadth-first search through every configuration that can be reached, so that a counterexample is a shortest one. */
import type { Property, View } from "../properties/properties.ts";
import { endlessLoop } from "./endless.ts";
import { isFault } from "./faults.ts";
import type { Problem } from "./problem.ts";
import { StateSpace, type Step } from "./state-space.ts";
import { StepGraph } from "./step-graph.ts";
import { isEqual, isLess, rearranged } from "./vectors.ts";
import { enlarged, Visited } from "./visited.ts";

export interface SearchOptions {
  readonly properties: readonly Property[];
  /**
   * Stop with `complete: false` when the tables of configurations and the list of beginnings take more than this. Not
   * counted: what nodes can do, which is remembered, and tables twice as large while they grow.
   */
  readonly maxBytes?: number;
  readonly maxStates?: number;
  /** Treat configurations of a ring that differ by a rotation as one; sound only where nodes have no ids. */
  readonly symmetry?: boolean;
  /** Called at every pause; false stops the search. */
  readonly onProgress?: (found: number, done: number) => boolean;
}

/** A run that breaks a promise: its steps from the start. */
export interface Violation {
  readonly property: string;
  readonly what: string;
  readonly network: StateSpace;
  /** From the blank network to the violation. */
  readonly steps: readonly Step[];
}

export interface SearchResult {
  readonly states: number;
  /** Configurations in which nothing is left to happen, unless a fault that need not come. */
  readonly ends: number;
  /** Configurations with a step that the limits forbid. */
  readonly cut: number;
  /** The longest shortest way to a configuration, in steps. */
  readonly depth: number;
  /** Whether everything reachable was visited. */
  readonly complete: boolean;
  /** Messages of a whole run, over all schedules; null where nothing ended, and the largest where runs can turn in circles. */
  readonly messages: { readonly min: number | null; readonly max: number | null };
  readonly violation: Violation | null;
}

/** Configurations between two pauses: a few milliseconds, or tens where a protocol has much to draw. */
const PAUSE_EVERY = 64;
/** What a beginning takes beside its vector, roughly. */
const BEGINNING_BYTES = 200;

interface Beginning {
  readonly vector: Int32Array;
  readonly messages: number;
  readonly steps: readonly Step[];
}

/** Work that pauses now and then, so that whoever waits for it can see to other things. */
export type Paused<T> = Generator<void, T>;

/** Goes on after every pause, to the end. */
export function finished<T>(work: Generator<unknown, T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
  }
}

export function search(problem: Problem, options: SearchOptions): SearchResult {
  return finished(searching(problem, options));
}

export function searching(problem: Problem, options: SearchOptions): Paused<SearchResult> {
  return new Search(problem, options).run();
}

class Search {
  readonly network: StateSpace;
  private readonly problem: Problem;
  private readonly options: SearchOptions;
  private readonly visited: Visited;
  private readonly rotations: readonly Int32Array[];
  private readonly graph = new StepGraph();
  /** By configuration: where it was first reached from, by which of that one's steps, and messages sent on that way. */
  private parents = new Int32Array(1024);
  private ordinals = new Int32Array(1024);
  private depths = new Int32Array(1024);
  private sent = new Int32Array(1024);
  private readonly ends: number[] = [];
  private cut = 0;

  constructor(problem: Problem, options: SearchOptions) {
    this.problem = problem;
    this.options = options;
    this.network = new StateSpace(problem);
    this.visited = new Visited(this.network.length);
    this.rotations = options.symmetry === true ? this.network.rotations() : [];
  }

  *run(): Paused<SearchResult> {
    const { maxBytes = Infinity, maxStates = Infinity } = this.options;
    const seeded = yield* this.seed();
    let violation: Violation | null = null;
    let done = 0;
    for (; seeded && done < this.visited.count; done++) {
      if (done % PAUSE_EVERY === 0 && !(yield* this.pause(done))) break;
      if (this.bytes > maxBytes || this.visited.count > maxStates) break;
      const steps = this.expand(done);
      const ended = steps.every(({ action }) => isFault(action));
      violation = this.check(done, ended, this.sent[done], () => this.pathTo(done));
      if (violation !== null) break;
      if (ended) this.ends.push(done);
      else if (steps.some(({ outcome }) => outcome?.beyond === true)) this.cut++;
    }
    const whole = seeded && done === this.visited.count ? yield* this.overall() : null;
    return {
      states: this.visited.count,
      ends: this.ends.length,
      cut: this.cut,
      depth: this.depths[Math.max(0, this.visited.count - 1)],
      complete: whole !== null,
      messages: whole?.messages ?? { min: null, max: null },
      violation: violation ?? whole?.violation ?? null,
    };
  }

  /** Lets others have their turn; false where the search is to stop. */
  private *pause(done: number): Paused<boolean> {
    yield;
    return this.options.onProgress?.(this.visited.count, done) !== false;
  }

  private get bytes(): number {
    return this.visited.bytes + this.graph.bytes + 16 * this.visited.count;
  }

  /** The configurations after all who start on their own have started; draws at the start make several. False: stopped. */
  private *seed(): Paused<boolean> {
    const { maxBytes = Infinity } = this.options;
    const work = this.beginnings();
    let step = work.next();
    for (; step.done !== true; step = work.next()) {
      if (step.value > maxBytes || !(yield* this.pause(0))) return false;
    }
    for (const { vector, messages } of step.value.values()) this.reach(vector, -1, 0, 0, messages);
    return true;
  }

  /** There can be very many, if every node draws much: pauses with the bytes that they take by then. */
  private *beginnings(): Generator<number, Map<string, Beginning>> {
    const bytes = BEGINNING_BYTES + 4 * this.network.length;
    let begun: Beginning[] = [{ vector: this.network.blank(), messages: 0, steps: [] }];
    for (const node of this.network.starters()) {
      const before = begun;
      begun = [];
      for (const [i, { vector, messages, steps }] of before.entries()) {
        if (i % PAUSE_EVERY === 0) yield begun.length * bytes;
        for (const step of this.network.start(vector, node)) {
          begun.push({
            vector: step.after,
            messages: messages + (step.outcome?.messages ?? 0),
            steps: [...steps, step],
          });
        }
      }
    }
    const distinct = new Map<string, Beginning>();
    for (const [i, beginning] of begun.entries()) {
      if (i % PAUSE_EVERY === 0) yield begun.length * bytes;
      distinct.set(this.canonical(beginning.vector).join(), beginning);
    }
    return distinct;
  }

  private expand(index: number): readonly Step[] {
    const steps = this.network.steps(this.visited.vector(index));
    let choice = 0;
    for (const [ordinal, { action, after, outcome }] of steps.entries()) {
      if (ordinal > 0 && action !== steps[ordinal - 1].action) choice++;
      const sent = outcome?.messages ?? 0;
      const target =
        outcome?.beyond === true
          ? -1
          : this.reach(after, index, ordinal, this.depths[index] + 1, this.sent[index] + sent);
      this.graph.add(target, sent, choice);
    }
    this.graph.expanded();
    return steps;
  }

  private reach(vector: Int32Array, parent: number, ordinal: number, depth: number, sent: number): number {
    const before = this.visited.count;
    const index = this.visited.add(this.canonical(vector));
    if (index === before) {
      if (index === this.parents.length) this.enlarge();
      this.parents[index] = parent;
      this.ordinals[index] = ordinal;
      this.depths[index] = depth;
      this.sent[index] = sent;
    }
    return index;
  }

  /** What only the whole graph can tell; null where the search is to stop. */
  private *overall(): Paused<Pick<SearchResult, "messages" | "violation"> | null> {
    const order = this.graph.order();
    const least = this.sent.slice(0, this.visited.count);
    const most = least.slice();
    const endless = order.length < this.graph.size;
    if (endless) this.graph.weighLeast(least);
    else this.graph.weigh(order, least, most);
    if (!(yield* this.pause(this.visited.count))) return null;
    const over = (pick: typeof Math.min, of: Int32Array) =>
      this.ends.length === 0 ? null : this.ends.reduce((found, end) => pick(found, of[end]), of[this.ends[0]]);
    return {
      messages: { min: over(Math.min, least), max: endless ? null : over(Math.max, most) },
      violation: endless ? this.neverEnds() : this.costsTooMuch(order, most),
    };
  }

  private neverEnds(): Violation | null {
    const property = this.options.properties.find(({ when }) => when === "forever");
    if (property === undefined) return null;
    const loop = endlessLoop(this.network, this.graph, {
      vector: (index) => this.visited.vector(index),
      number: (vector) => this.visited.add(this.canonical(vector)),
    });
    if (loop === null) return null;
    const what = property.violated(this.view(loop[0], this.sent[loop[0]]))!;
    const before = this.pathTo(loop[0]);
    const steps = [...before, ...this.along(loop, before.at(-1)!.after)];
    return {
      property: property.name,
      what: `${what} (its last ${loop.length - 1} steps)`,
      network: this.network,
      steps,
    };
  }

  /** A bound on messages is checked on the way on which a configuration was found, and here on the dearest one. */
  private costsTooMuch(order: Int32Array, most: Int32Array): Violation | null {
    const ended = new Set(this.ends);
    for (let index = 0; index < this.visited.count; index++) {
      if (most[index] === this.sent[index]) continue;
      const violation = this.check(index, ended.has(index), most[index], () => {
        const [start, ...rest] = this.graph.dearest(order, most, index);
        const before = this.pathTo(start);
        return [...before, ...this.along([start, ...rest], before.at(-1)!.after)];
      });
      if (violation !== null) return violation;
    }
    return null;
  }

  private view(index: number, messages: number): View {
    const vector = this.visited.vector(index);
    return {
      size: this.problem.topology.size,
      alive: (node) => !this.network.crashed(vector, node),
      id: (node) => this.problem.ids?.[node] ?? null,
      verdict: (node) => this.network.nodes.verdict(node, this.network.state(vector, node)),
      report: (node) => this.network.nodes.report(node, this.network.state(vector, node)),
      messages,
    };
  }

  private check(index: number, ended: boolean, messages: number, path: () => Step[]): Violation | null {
    const view = this.view(index, messages);
    for (const property of this.options.properties) {
      if (property.when === "forever" || (property.when === "end" && !ended)) continue;
      const what = property.violated(view);
      if (what !== null) return { property: property.name, what, network: this.network, steps: path() };
    }
    return null;
  }

  /** Steps from a configuration through the given ones; the first is where it stands. */
  private along(way: readonly number[], from: Int32Array): Step[] {
    let vector = from;
    return way.slice(1).map((index) => {
      const goal = this.visited.vector(index);
      const ways = this.network.steps(vector).filter(({ after }) => isEqual(this.canonical(after), goal));
      const step = ways.reduce((a, b) => ((b.outcome?.messages ?? 0) > (a.outcome?.messages ?? 0) ? b : a));
      vector = step.after;
      return step;
    });
  }

  private pathTo(index: number): Step[] {
    const ordinals: number[] = [];
    let at = index;
    for (; this.parents[at] >= 0; at = this.parents[at]) ordinals.unshift(this.ordinals[at]);
    const beginning = finished(this.beginnings()).get(this.visited.vector(at).join())!;
    const path = [...beginning.steps];
    let vector = beginning.vector;
    for (const ordinal of ordinals) {
      // With symmetry the ordinal belongs to a rotation of this configuration: find the step that leads to the same.
      const reached = this.canonical(this.network.steps(this.canonical(vector))[ordinal].after);
      const step = this.network.steps(vector).find(({ after }) => isEqual(this.canonical(after), reached))!;
      path.push(step);
      vector = step.after;
    }
    return path;
  }

  /** The least of all rotations, where symmetry is used. */
  private canonical(vector: Int32Array): Int32Array {
    let least = vector;
    for (const rotation of this.rotations) {
      const turned = rearranged(vector, rotation);
      if (isLess(turned, least)) least = turned;
    }
    return least;
  }

  private enlarge(): void {
    this.parents = enlarged(this.parents);
    this.ordinals = enlarged(this.ordinals);
    this.depths = enlarged(this.depths);
    this.sent = enlarged(this.sent);
  }
}
