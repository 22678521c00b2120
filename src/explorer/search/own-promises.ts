/**
 * Promises that the search for the others cannot check on its way: that something happens eventually, in every fair run; that
 * no strongly fair run goes on for ever; bounds on time. Each has a search of its own through the full graph.
 */
import { InputError } from "../../errors.ts";
import type { Property, View } from "../../properties/properties.ts";
import type { Problem } from "../problem.ts";
import type { Step } from "../space/configurations.ts";
import { isFault } from "../space/faults.ts";
import { atTime, beginnings, StateSpace, viewOf } from "../space/state-space.ts";
import { StepGraph } from "../space/step-graph.ts";
import { isEqual, Visited } from "../space/visited.ts";
import { endlessLoop } from "./endless.ts";
import type { Paused, SearchOptions, Violation } from "./search-terms.ts";

/** A promise about time needs a network with time. */
export function checkTime({ maxDelay }: Problem, { name, counts }: Property): void {
  if (counts !== "time" || maxDelay !== null) return;
  throw new InputError((field) => `"${name}" counts time, but steps have no time: set ${field("timed")}`);
}

interface OwnResult {
  readonly states: number;
  readonly complete: boolean;
  /** Whether a limit kept it from following runs in which the promise is still open. */
  readonly cut: boolean;
  readonly violation: Violation | null;
}

const PAUSE_EVERY = 64;

export function searchingFor(
  problem: Problem,
  property: Property,
  options: Omit<SearchOptions, "properties">,
): Paused<OwnResult> {
  checkTime(problem, property);
  return new OwnSearch(problem, property, options).run();
}

class OwnSearch {
  private readonly network: StateSpace;
  private readonly property: Property;
  private readonly options: Omit<SearchOptions, "properties">;
  private readonly visited: Visited;
  private readonly graph = new StepGraph();
  private readonly parents: number[] = [];
  private readonly starts: (readonly Step[])[] = [];
  private readonly ends: number[] = [];
  private cut = false;

  constructor(problem: Problem, property: Property, options: Omit<SearchOptions, "properties">) {
    this.network = new StateSpace(problem);
    this.property = property;
    this.options = options;
    this.visited = new Visited(this.network.blank());
  }

  *run(): Paused<OwnResult> {
    const { maxBytes = Infinity, maxStates = Infinity, onProgress } = this.options;
    for (const steps of beginnings(this.network)) {
      const before = this.visited.count;
      if (this.reach(steps.at(-1)?.after ?? this.network.blank(), -1) === before) this.starts[before] = [...steps];
    }
    let violation: Violation | null = null;
    let done = 0;
    for (; done < this.visited.count && violation === null; done++) {
      if (done % PAUSE_EVERY === 0) {
        yield;
        if (onProgress?.(this.visited.count, done, this.network.nodes.draws !== null) === false) break;
      }
      if (this.visited.bytes + this.graph.bytes > maxBytes || this.visited.count > maxStates) break;
      violation = this.expand(done);
    }
    const complete = violation === null && done === this.visited.count;
    if (complete) violation = this.property.counts === "time" ? this.tooLate() : this.forever();
    return { states: this.visited.count, complete, cut: this.cut, violation };
  }

  /** What has happened eventually need not be followed further. */
  private expand(index: number): Violation | null {
    const vector = this.visited.vector(index);
    const lacks = this.property.when === "eventually" ? this.property.violated(this.view(vector)) : null;
    if (this.property.when === "eventually" && lacks === null) {
      this.graph.expanded();
      return null;
    }
    const steps = this.network.steps(vector);
    let choice = 0;
    for (const [i, { action, after, outcome }] of steps.entries()) {
      if (i > 0 && action !== steps[i - 1].action) choice++;
      if (outcome?.beyond === true) this.cut = true;
      const target = outcome?.beyond === true ? -1 : this.reach(after, index);
      this.graph.add(target, action.do === "tick" ? action.by : 0, choice);
    }
    this.graph.expanded();
    if (!steps.every(({ action }) => isFault(action))) return null;
    this.ends.push(index);
    return lacks === null ? null : this.found(`${lacks}, and nothing is left to happen`, this.pathTo(index));
  }

  private forever(): Violation | null {
    const all = {
      vector: (index: number) => this.visited.vector(index),
      number: (vector: Int32Array) => this.visited.add(vector),
    };
    const loop = endlessLoop(this.network, this.graph, all, this.property.fairness ?? "weak", this.wrong());
    if (loop === null) return null;
    const { from, steps, starves } = loop;
    const what = this.property.violated(this.view(all.vector(from)));
    const again = this.property.when === "eventually" ? ", and the run can go on like that for ever" : "";
    return {
      ...this.found(`${what}${again} (its last ${steps.length} steps)`, [...this.pathTo(from), ...steps]),
      loop: { steps: steps.length, starves },
    };
  }

  /** What a run without end breaks is wrong from some moment on for ever: where it is, a run must be able to stay. */
  private wrong(): ReadonlySet<number> | undefined {
    if (this.property.when !== "forever") return undefined;
    const found = new Set<number>();
    for (let index = 0; index < this.visited.count; index++) {
      if (this.property.violated(this.view(this.visited.vector(index))) !== null) found.add(index);
    }
    return found;
  }

  /** The longest time on any way to each configuration; around a loop that takes time there is none. */
  private tooLate(): Violation | null {
    const given = new Int32Array(this.visited.count);
    const most = new Int32Array(this.visited.count).fill(-1);
    for (const index of this.parents.keys()) if (this.parents[index] < 0) most[index] = 0;
    const loop = this.graph.dearLoop();
    if (loop === null) this.graph.weighMost(most);
    const ended = new Set(this.ends);
    for (let index = 0; index < this.visited.count; index++) {
      if (this.property.when === "end" && !ended.has(index)) continue;
      const time = loop === null ? most[index] : Infinity;
      const what = this.property.violated(atTime(this.view(this.visited.vector(index)), time));
      if (what === null || (loop !== null && index !== loop[0])) continue;
      if (loop === null) {
        const way = this.graph.dearest(most, given, Int32Array.from(this.parents), index);
        const before = this.pathTo(way[0]);
        return this.found(what, [...before, ...this.along(way, before)]);
      }
      return this.around(loop);
    }
    return null;
  }

  private around(loop: readonly number[]): Violation | null {
    const steps = this.pathTo(loop[0]);
    for (;;) {
      steps.push(...this.along(loop, steps));
      const time = steps.reduce((sum, { action }) => sum + (action.do === "tick" ? action.by : 0), 0);
      const what = this.property.violated(atTime(this.view(this.visited.vector(loop[0])), time));
      if (what !== null) return this.found(what, steps);
    }
  }

  private view(vector: Int32Array): View {
    return viewOf(this.network, vector, () => {
      throw new InputError(
        `"${this.property.name}" reads how many messages were sent, which depends on the way to a configuration: only promises of "always" and "end" can`,
      );
    });
  }

  private found(what: string, steps: readonly Step[]): Violation {
    const { problem } = this.network;
    return { property: this.property.name, what, problem, network: this.network, shortest: false, steps };
  }

  private reach(vector: Int32Array, parent: number): number {
    const before = this.visited.count;
    const index = this.visited.add(vector);
    if (index === before) this.parents[index] = parent;
    return index;
  }

  private pathTo(index: number): Step[] {
    const way = [index];
    while (this.parents[way[0]] >= 0) way.unshift(this.parents[way[0]]);
    const before = [...this.starts[way[0]]];
    return [...before, ...this.along(way, before)];
  }

  /** Steps through these configurations, from where the steps before them lead. */
  private along(way: readonly number[], before: readonly Step[]): Step[] {
    let vector = before.at(-1)?.after ?? this.network.blank();
    return way.slice(1).map((index) => {
      const goal = this.visited.vector(index);
      const ways = this.network.steps(vector).filter(({ after }) => isEqual(after, goal));
      const by = ({ action }: Step) => (action.do === "tick" ? action.by : 0);
      const step = ways.reduce((a, b) => (by(b) > by(a) ? b : a));
      vector = step.after;
      return step;
    });
  }
}
