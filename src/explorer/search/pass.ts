/** Breadth-first search through every configuration that can be reached, so that a counterexample is a shortest one. */

import { InputError } from "../../errors.ts";
import type { Property } from "../../properties/properties.ts";
import type { Action, Step } from "../space/configurations.ts";
import { isFault } from "../space/faults.ts";
import type { NodeOutcome } from "../space/node-steps.ts";
import { Orders } from "../space/orders.ts";
import type { StateSpace } from "../space/state-space.ts";
import { beginnings } from "../space/state-space.ts";
import { StepGraph } from "../space/step-graph.ts";
import { enlarged, isEqual, leastOf, Visited } from "../space/visited.ts";
import { endlessLoop } from "./endless.ts";
import type { Judge, PropertyFinding } from "./judge.ts";
import type { Reduction } from "./reduction.ts";
import type { Paused, SearchOptions, SearchResult, Violation } from "./search-terms.ts";

/** Configurations between two pauses: a few milliseconds, or tens where a protocol has much to draw. */
const PAUSE_EVERY = 64;
/** So many beginnings at a time, and what follows from them, before the next: few have more. */
const BATCH = 1 << 16;

/** A run that only exists where numbers are kept by order. */
class Unfollowed extends Error {}

/** What a pass leaves out: nothing; whatever commutes; or that as far as nothing is put off for ever. */
export type Leaves = "nothing" | "commuting" | "commuting, in turn";

/** What a search takes for one: rotations, or all permutations of a complete network; nothing without symmetry. */
export function symmetriesOf(network: StateSpace, { symmetry, interchangeable }: SearchOptions): readonly Int32Array[] {
  if (symmetry !== true) return [];
  return interchangeable === true ? network.permutations() : network.rotations();
}

export class Pass {
  /** Whether a limit or the caller ended it before everything was visited. */
  stopped: "limit" | "caller" | null = null;
  private readonly network: StateSpace;
  private readonly reduction: Reduction | null;
  private readonly leaves: Leaves;
  private readonly options: SearchOptions;
  private readonly visited: Visited;
  private readonly judge: Judge;
  private readonly beginnings: Iterator<readonly Step[]>;
  private readonly symmetries: readonly Int32Array[];
  /** Where numbers are kept by order. */
  private readonly orders: Orders | null;
  /** Promises that a run by order breaks, which cannot be followed with the numbers themselves; and those that loops leave open. */
  private readonly doubtful: string[] = [];
  private readonly graph = new StepGraph();
  /** By configuration: where it was first reached from, how far it is, and messages sent on that way. */
  private parents = new Int32Array(1024);
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
  private choice = 0;
  private last: Action | null = null;
  private ended = true;
  private beyond = false;
  private ahead = false;

  /** `reduction` learns from every step, and chooses among them unless the pass leaves out nothing. */
  constructor(
    network: StateSpace,
    judge: Judge,
    options: SearchOptions,
    reduction: Reduction | null = null,
    leaves: Leaves = "nothing",
  ) {
    this.options = options;
    this.network = network;
    this.judge = judge;
    this.reduction = reduction;
    this.leaves = leaves;
    this.visited = new Visited(this.network.blank());
    this.beginnings = beginnings(this.network);
    this.symmetries = symmetriesOf(network, options);
    this.cells = this.network.blank();
    const { ordered } = network.problem;
    this.orders = ordered === undefined ? null : new Orders(network, ordered, options.keeping ?? "order");
  }

  *run(): Paused<SearchResult> {
    const { maxBytes = Infinity, maxStates = Infinity } = this.options;
    let violation: Violation | null = null;
    let done = 0;
    while (this.stopped === null && violation === null && !this.futile && this.begin()) {
      for (; done < this.visited.count && !this.futile; done++) {
        if (this.bytes > maxBytes || this.visited.count > maxStates) this.stopped = "limit";
        else if (done % PAUSE_EVERY === 0 && !(yield* this.pause(done))) this.stopped = "caller";
        if (this.stopped !== null) break;
        this.expand(done);
        violation = this.check(done, this.ended, this.sent[done], () => this.pathTo(done));
        if (violation !== null) break;
        if (this.ended) this.ends.push(done);
        else if (this.beyond) this.cut++;
      }
    }
    const all = this.stopped === null && violation === null && !this.futile;
    if (all) this.orders?.checkOlder(this.everything());
    const whole = all ? yield* this.overall() : null;
    return {
      reduced: this.leaves !== "nothing",
      unreduced: null,
      states: this.visited.count,
      ends: this.ends.length,
      cut: this.cut,
      depth: this.deepest,
      complete: whole !== null,
      loops: whole?.loops ?? false,
      draws: this.network.nodes.draws,
      messages: whole?.messages ?? { min: null, max: null },
      violation: violation ?? whole?.violation ?? null,
      doubtful: this.doubtful,
    };
  }

  private *everything(): Generator<Int32Array> {
    for (let index = 0; index < this.visited.count; index++) yield this.visited.vector(index);
  }

  /** What has been left out may matter after all. */
  get futile(): boolean {
    return this.leaves !== "nothing" && (this.reduction!.outdated || this.judge.readsMessages);
  }

  /** Lets others have their turn; false where the search is to stop. */
  private *pause(done: number): Paused<boolean> {
    yield;
    return this.options.onProgress?.(this.visited.count, done, this.network.nodes.draws !== null) !== false;
  }

  get bytes(): number {
    return this.visited.bytes + this.graph.bytes + 3 * this.parents.byteLength;
  }

  /** The next beginnings; false where there are none. */
  private begin(): boolean {
    for (let number = 0; number < BATCH; number++) {
      const { value: steps, done } = this.beginnings.next();
      if (done === true) return number > 0;
      this.network.draft.load(steps.at(-1)?.after ?? this.network.blank());
      const messages = steps.reduce((sum: number, { outcome }: Step) => sum + (outcome?.messages ?? 0), 0);
      const before = this.visited.count;
      if (this.reach(-1, 0, messages) === before) this.beginningOf.set(before, this.begun);
      this.begun++;
    }
    return true;
  }

  private expand(index: number): void {
    this.index = index;
    this.choice = 0;
    this.last = null;
    this.ended = true;
    this.beyond = false;
    this.visited.read(index, this.cells);
    this.network.draft.load(this.cells);
    const enough = this.leaves === "nothing" ? null : this.reduction!.choose(this.cells);
    if (this.orders !== null) this.expandByOrder(this.orders);
    else if (enough === null) this.network.visitSteps(this.follow);
    else {
      this.ahead = false;
      for (const node of enough) this.network.visitNode(node, this.follow);
      // All that follows was there before: in a circle the steps left out here could be left out everywhere.
      if (!this.ahead && this.leaves === "commuting, in turn") this.network.visitSteps(this.follow);
    }
    this.graph.expanded();
  }

  /** What was raised may or may not have met the next number: both are followed. */
  private expandByOrder(orders: Orders): void {
    const { network, cells } = this;
    orders.begin(cells);
    network.visitSteps(this.follow);
    for (const narrow of orders.narrowed(cells)) {
      orders.begin(narrow);
      network.draft.load(narrow);
      network.visitSteps(this.follow);
    }
  }

  /** The draft holds what one more step leads to. */
  private readonly follow = (action: Action, outcome: NodeOutcome | null): void => {
    const { index } = this;
    if (action !== this.last && this.last !== null) this.choice++;
    this.last = action;
    if (this.ended && !isFault(action)) this.ended = false;
    this.reduction?.learn(action, outcome);
    const sent = outcome === null ? 0 : outcome.messages;
    let target = -1;
    if (outcome?.beyond === true) this.beyond = true;
    else target = this.reach(index, this.depths[index] + 1, this.sent[index] + sent);
    // What a fault leads to does not make up for what was left out: that may not be possible there.
    if (target > index && !isFault(action)) this.ahead = true;
    this.graph.add(target, sent, this.choice);
  };

  /** The number of the configuration that the draft holds. */
  private reach(parent: number, depth: number, sent: number): number {
    const { draft } = this.network;
    const before = this.visited.count;
    const index =
      this.symmetries.length === 0 && this.orders === null
        ? this.visited.add(draft.cells, draft.hash)
        : this.visited.add(this.canonical(draft.cells));
    if (index === before) {
      if (index === this.parents.length) this.enlarge();
      this.parents[index] = parent;
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
    if (!(yield* this.pause(this.visited.count))) {
      this.stopped = "caller";
      return null;
    }
    const over = (pick: typeof Math.min, of: Int32Array) =>
      this.ends.length === 0 ? null : this.ends.reduce((found, end) => pick(found, of[end]), of[this.ends[0]]);
    return {
      messages: { min: over(Math.min, least), max: endless ? null : over(Math.max, most) },
      loops: endless,
      violation:
        this.unexpected(endless ? this.neverEnds() : null) ??
        (dear === null ? this.costsTooMuch(most) : this.costsAny(dear)),
    };
  }

  /** Null if there is none, or it was expected. */
  private unexpected(violation: Violation | null): Violation | null {
    if (violation === null) return null;
    const found = this.options.unexpected === undefined ? violation : this.options.unexpected(violation);
    if (found === null) this.judge.leaveOut(violation.property);
    return found;
  }

  private neverEnds(): Violation | null {
    const property = this.options.properties.find(({ when }) => when === "forever");
    // Who starves can be asked only where every node has a name of its own.
    if (property === undefined || this.leaves !== "nothing" || this.symmetries.length > 0) return null;
    if (this.orders !== null) {
      // A message has another name each time numbers are renamed, so whether a loop is fair cannot be asked; whether a schedule can stay, it can.
      if (this.graph.endComponents().length > 0) this.doubtful.push(property.name);
      return null;
    }
    const loop = endlessLoop(this.network, this.graph, {
      vector: (index) => this.visited.vector(index),
      number: (vector) => this.visited.add(vector),
    });
    if (loop === null) return null;
    const { from, steps, starves } = loop;
    const what = property.violated(this.judge.view(this.visited.vector(from), () => this.sent[from]))!;
    return {
      ...this.broken(property.name, `${what} (its last ${steps.length} steps)`, [...this.pathTo(from), ...steps]),
      loop: { steps: steps.length, starves },
    };
  }

  private broken(property: string, what: string, steps: readonly Step[], shortest = false): Violation {
    return { property, what, problem: this.network.problem, network: this.network, shortest, steps };
  }

  /** A bound on messages is checked on the way on which a configuration was found, and here on the dearest one. */
  private costsTooMuch(most: Int32Array): Violation | null {
    if (!this.judge.readsMessages) return null;
    const ended = new Set(this.ends);
    for (let index = 0; index < this.visited.count; index++) {
      if (most[index] === this.sent[index]) continue;
      const violation = this.check(index, ended.has(index), most[index], () => {
        const [start, ...rest] = this.graph.dearest(most, this.sent, this.parents, index);
        const before = this.pathTo(start);
        return [...before, ...this.along([start, ...rest], before.at(-1)?.after ?? this.network.blank(), most)];
      });
      if (violation !== null) return violation;
    }
    return null;
  }

  /** Around a loop that costs messages, as often as it takes to break a bound. */
  private costsAny(loop: readonly number[]): Violation | null {
    const [at] = loop;
    const seen = (index: number, messages: number) => this.judge.view(this.visited.vector(index), () => messages);
    const around = (property: Property): Violation => {
      const steps = this.pathTo(at);
      let messages = this.sent[at];
      for (;;) {
        for (const [i, index] of loop.entries()) {
          if (i > 0) {
            const [step] = this.along([loop[i - 1], index], steps.at(-1)!.after, null);
            steps.push(step);
            messages += step.outcome?.messages ?? 0;
          }
          const what = property.violated(seen(index, messages));
          if (what !== null) return this.broken(property.name, what, steps);
        }
      }
    };
    for (const property of this.options.properties) {
      if (property.when !== "always" || property.violated(seen(at, Infinity)) === null) continue;
      const violation = this.unexpected(around(property));
      if (violation !== null) return violation;
    }
    return null;
  }

  private check(index: number, ended: boolean, messages: number, path: () => Step[]): Violation | null {
    this.visited.read(index, this.cells);
    for (;;) {
      const found = this.judge.judge(this.cells, ended, () => messages);
      if (this.orders !== null) this.checkPromises(this.orders, index, ended, messages, found);
      if (found === null) return null;
      const shortest = this.leaves === "nothing" && this.orders === null && messages === this.sent[index];
      const steps = this.followed(found.property, path);
      if (steps === null) continue;
      const violation = this.unexpected(this.broken(found.property, found.what, steps, shortest));
      if (violation !== null) return violation;
    }
  }

  /** The run that breaks a promise; null where it cannot be followed with the numbers that are kept by order, which leaves the promise open. */
  private followed(property: string, path: () => Step[]): Step[] | null {
    try {
      return path();
    } catch (error) {
      if (!(error instanceof Unfollowed)) throw error;
      this.doubtful.push(property);
      this.judge.leaveOut(property);
      return null;
    }
  }

  /** Promises may not tell either how large numbers are that are kept by order; a sample is looked at. */
  private checkPromises(
    orders: Orders,
    index: number,
    ended: boolean,
    messages: number,
    found: PropertyFinding | null,
  ): void {
    if (index >= 256 && index % 16 !== 0) return;
    const others = orders.respaced(this.cells).map((cells) => this.judge.judge(cells, ended, () => messages));
    const other = others.find((each) => each?.property !== found?.property);
    if (other === undefined) return;
    throw new InputError(
      `the promise "${(other ?? found)!.property}" tells how large numbers are that ordered names: it may only compare them with each other and 0`,
    );
  }

  /**
   * Steps from a configuration through the given ones; the first is where it stands. Of steps that fit, the one that sends as
   * many messages as `sent` says, or else the dearest.
   */
  private along(way: readonly number[], from: Int32Array, sent: Int32Array | null = this.sent): Step[] {
    let vector = from;
    return way.slice(1).flatMap((index, i) => {
      const before = this.clear(vector);
      vector = before.at(-1)?.after ?? vector;
      const goal = this.visited.vector(index);
      const ways = this.network.steps(vector).filter(({ after }) => isEqual(this.canonical(after), goal));
      if (ways.length === 0) throw new Unfollowed();
      const cost = ({ outcome }: Step) => outcome?.messages ?? 0;
      const exact = sent === null ? undefined : ways.find((step) => cost(step) === sent[index] - sent[way[i]]);
      const step = exact ?? ways.reduce((a, b) => (cost(b) > cost(a) ? b : a));
      vector = step.after;
      return [...before, step];
    });
  }

  /** Messages that are older than what their receivers know arrive, and change nothing: where numbers are kept by order, they were forgotten. */
  private clear(from: Int32Array): Step[] {
    const { orders, network } = this;
    const steps: Step[] = [];
    if (orders === null) return steps;
    for (;;) {
      const vector = steps.at(-1)?.after ?? from;
      const step = network.steps(vector).find(({ action }) => {
        if (action.do !== "deliver" || "halfway" in action) return false;
        const { message } = network.onLink(vector, action.link)[action.index];
        return orders.older(vector, action.link).some((each) => each.message === message);
      });
      if (step === undefined) return steps;
      steps.push(step);
    }
  }

  private pathTo(index: number): Step[] {
    const way = [index];
    while (this.parents[way[0]] >= 0) way.unshift(this.parents[way[0]]);
    const starts = this.startsTo(way[0]);
    return [...starts, ...this.along(way, starts.at(-1)?.after ?? this.network.blank())];
  }

  private startsTo(index: number): Step[] {
    let number = 0;
    for (const steps of beginnings(this.network)) if (number++ === this.beginningOf.get(index)) return [...steps];
    throw new Error("a configuration without a beginning");
  }

  /** With numbers by their order, and the least of all that symmetries make of it. */
  private canonical(vector: Int32Array): Int32Array {
    return leastOf(this.orders === null ? vector : this.orders.canonical(vector), this.symmetries);
  }

  private enlarge(): void {
    this.parents = enlarged(this.parents);
    this.depths = enlarged(this.depths);
    this.sent = enlarged(this.sent);
  }
}
