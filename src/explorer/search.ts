/** Breadth-first search through every configuration that can be reached, so that a counterexample is a shortest one. */
import type { Property } from "../properties/properties.ts";
import { beginnings } from "./beginnings.ts";
import { endlessLoop } from "./endless.ts";
import { isFault } from "./faults.ts";
import { Judge } from "./judge.ts";
import type { NodeOutcome } from "./node-steps.ts";
import type { Problem } from "./problem.ts";
import { type Action, StateSpace, type Step } from "./state-space.ts";
import { StepGraph } from "./step-graph.ts";
import { isEqual, isLess, rearranged } from "./vectors.ts";
import { enlarged, Visited } from "./visited.ts";

export interface SearchOptions {
  readonly properties: readonly Property[];
  /**
   * Stop with `complete: false` when the tables of configurations take more than this. Not counted: what nodes can do,
   * which is remembered, and tables twice as large while they grow.
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
  /** Whether a run can come to the same configuration twice; known where everything was visited. */
  readonly loops: boolean;
  /** The largest draw, and how many of its values were tried; null where nobody draws. */
  readonly draws: { readonly tried: number; readonly of: number } | null;
  /** Messages of a whole run, over all schedules; null where nothing ended, and the largest where runs can turn in circles. */
  readonly messages: { readonly min: number | null; readonly max: number | null };
  readonly violation: Violation | null;
}

/** Configurations between two pauses: a few milliseconds, or tens where a protocol has much to draw. */
const PAUSE_EVERY = 64;
/** So many beginnings at a time, and what follows from them, before the next: few have more. */
const BATCH = 1 << 16;

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
  private readonly options: SearchOptions;
  private readonly visited: Visited;
  private readonly judge: Judge;
  private readonly beginnings: Iterator<readonly Step[]>;
  private readonly rotations: readonly Int32Array[];
  private readonly graph = new StepGraph();
  /** By configuration: where it was first reached from, by which of that one's steps, and messages sent on that way. */
  private parents = new Int32Array(1024);
  private ordinals = new Int32Array(1024);
  private depths = new Int32Array(1024);
  private sent = new Int32Array(1024);
  /** How many beginnings have come, and which of them a configuration was. */
  private begun = 0;
  private readonly beginningOf = new Map<number, number>();
  private readonly ends: number[] = [];
  private cut = 0;
  private deepest = 0;
  /** Of the configuration that is being expanded. */
  private readonly cells: Int32Array;
  private index = 0;
  private ordinal = 0;
  private choice = 0;
  private last: Action | null = null;
  private ended = true;
  private beyond = false;

  constructor(problem: Problem, options: SearchOptions) {
    this.options = options;
    this.network = new StateSpace(problem);
    this.visited = new Visited(this.network.blank());
    this.judge = new Judge(this.network, options.properties);
    this.beginnings = beginnings(this.network);
    this.rotations = options.symmetry === true ? this.network.rotations() : [];
    this.cells = this.network.blank();
  }

  *run(): Paused<SearchResult> {
    const { maxBytes = Infinity, maxStates = Infinity } = this.options;
    let violation: Violation | null = null;
    let stopped = false;
    let done = 0;
    while (!stopped && violation === null && this.begin()) {
      for (; done < this.visited.count; done++) {
        stopped = this.bytes > maxBytes || this.visited.count > maxStates;
        if (!stopped && done % PAUSE_EVERY === 0) stopped = !(yield* this.pause(done));
        if (stopped) break;
        this.expand(done);
        violation = this.check(done, this.ended, this.sent[done], () => this.pathTo(done));
        if (violation !== null) break;
        if (this.ended) this.ends.push(done);
        else if (this.beyond) this.cut++;
      }
    }
    const whole = stopped || violation !== null ? null : yield* this.overall();
    return {
      states: this.visited.count,
      ends: this.ends.length,
      cut: this.cut,
      depth: this.deepest,
      complete: whole !== null,
      loops: whole?.loops ?? false,
      draws: this.network.nodes.draws,
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
    return this.visited.bytes + this.graph.bytes + 4 * this.parents.byteLength;
  }

  /** The next beginnings; false where there are none. */
  private begin(): boolean {
    for (let number = 0; number < BATCH; number++) {
      const { value: steps, done } = this.beginnings.next();
      if (done === true) return number > 0;
      this.network.draft.load(steps.at(-1)?.after ?? this.network.blank());
      const messages = steps.reduce((sum: number, { outcome }: Step) => sum + (outcome?.messages ?? 0), 0);
      const before = this.visited.count;
      if (this.reach(-1, 0, 0, messages) === before) this.beginningOf.set(before, this.begun);
      this.begun++;
    }
    return true;
  }

  private expand(index: number): void {
    this.index = index;
    this.ordinal = 0;
    this.choice = 0;
    this.last = null;
    this.ended = true;
    this.beyond = false;
    this.visited.read(index, this.cells);
    this.network.draft.load(this.cells);
    this.network.visitSteps(this.follow);
    this.graph.expanded();
  }

  /** The draft holds what one more step leads to. */
  private readonly follow = (action: Action, outcome: NodeOutcome | null): void => {
    const { index } = this;
    if (action !== this.last && this.last !== null) this.choice++;
    this.last = action;
    if (this.ended && !isFault(action)) this.ended = false;
    const sent = outcome === null ? 0 : outcome.messages;
    let target = -1;
    if (outcome?.beyond === true) this.beyond = true;
    else target = this.reach(index, this.ordinal, this.depths[index] + 1, this.sent[index] + sent);
    this.graph.add(target, sent, this.choice);
    this.ordinal++;
  };

  /** The number of the configuration that the draft holds. */
  private reach(parent: number, ordinal: number, depth: number, sent: number): number {
    const { draft } = this.network;
    const before = this.visited.count;
    const index =
      this.rotations.length === 0
        ? this.visited.add(draft.cells, draft.hash)
        : this.visited.add(this.canonical(draft.cells));
    if (index === before) {
      if (index === this.parents.length) this.enlarge();
      this.parents[index] = parent;
      this.ordinals[index] = ordinal;
      this.depths[index] = depth;
      this.sent[index] = sent;
      this.deepest = Math.max(this.deepest, depth);
    }
    return index;
  }

  /** What only the whole graph can tell; null where the search is to stop. */
  private *overall(): Paused<Pick<SearchResult, "messages" | "violation" | "loops"> | null> {
    const order = this.graph.order();
    const least = this.sent.slice(0, this.visited.count);
    const most = least.slice();
    const endless = order.length < this.graph.size;
    const dear = endless ? this.graph.dearLoop() : null;
    if (endless) this.graph.weighLeast(least);
    else this.graph.weigh(order, least, most);
    if (endless && dear === null) this.graph.weighMost(most);
    if (!(yield* this.pause(this.visited.count))) return null;
    const over = (pick: typeof Math.min, of: Int32Array) =>
      this.ends.length === 0 ? null : this.ends.reduce((found, end) => pick(found, of[end]), of[this.ends[0]]);
    return {
      messages: { min: over(Math.min, least), max: endless ? null : over(Math.max, most) },
      loops: endless,
      violation: (endless ? this.neverEnds() : null) ?? (dear === null ? this.costsTooMuch(most) : this.costsAny(dear)),
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
    const what = property.violated(this.judge.view(this.visited.vector(loop[0]), () => this.sent[loop[0]]))!;
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
  private costsTooMuch(most: Int32Array): Violation | null {
    const ended = new Set(this.ends);
    for (let index = 0; index < this.visited.count; index++) {
      if (most[index] === this.sent[index]) continue;
      const violation = this.check(index, ended.has(index), most[index], () => {
        const [start, ...rest] = this.graph.dearest(most, this.sent, this.parents, index);
        const before = this.pathTo(start);
        return [...before, ...this.along([start, ...rest], before.at(-1)!.after)];
      });
      if (violation !== null) return violation;
    }
    return null;
  }

  /** Around a loop that costs messages, as often as it takes to break a bound. */
  private costsAny(loop: readonly number[]): Violation | null {
    const [at] = loop;
    const seen = (index: number, messages: number) => this.judge.view(this.visited.vector(index), () => messages);
    const property = this.options.properties.find(
      ({ when, violated }) => when === "always" && violated(seen(at, Infinity)) !== null,
    );
    if (property === undefined) return null;
    const steps = this.pathTo(at);
    let messages = this.sent[at];
    for (;;) {
      for (const [i, index] of loop.entries()) {
        if (i > 0) {
          const [step] = this.along([loop[i - 1], index], steps.at(-1)!.after);
          steps.push(step);
          messages += step.outcome?.messages ?? 0;
        }
        const what = property.violated(seen(index, messages));
        if (what !== null) return { property: property.name, what, network: this.network, steps };
      }
    }
  }

  private check(index: number, ended: boolean, messages: number, path: () => Step[]): Violation | null {
    this.visited.read(index, this.cells);
    const found = this.judge.judge(this.cells, ended, () => messages);
    return found === null ? null : { ...found, network: this.network, steps: path() };
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
    const path = this.startsTo(at);
    let vector = path.at(-1)?.after ?? this.network.blank();
    for (const ordinal of ordinals) {
      // With symmetry the ordinal belongs to a rotation of this configuration: find the step that leads to the same.
      const reached = this.canonical(this.network.steps(this.canonical(vector))[ordinal].after);
      const step = this.network.steps(vector).find(({ after }) => isEqual(this.canonical(after), reached))!;
      path.push(step);
      vector = step.after;
    }
    return path;
  }

  private startsTo(index: number): Step[] {
    let number = 0;
    for (const steps of beginnings(this.network)) if (number++ === this.beginningOf.get(index)) return [...steps];
    throw new Error("a configuration without a beginning");
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
