/** Breadth-first search through every configuration that can be reached, so that a counterexample is a shortest one. */
import type { Property, View } from "../properties/properties.ts";
import { Network, type Step } from "./network.ts";
import type { Problem } from "./problem.ts";
import { enlarged, Visited } from "./visited.ts";

export interface SearchOptions {
  readonly properties: readonly Property[];
  /** Stop with `complete: false` when the tables take more than this. */
  readonly maxBytes?: number;
  readonly maxStates?: number;
  /** Treat configurations of a ring that differ by a rotation as one; sound only where nodes have no ids. */
  readonly symmetry?: boolean;
  /** Called every few thousand states; false stops the search. */
  readonly onProgress?: (found: number, done: number) => boolean;
}

export interface Violation {
  readonly property: string;
  readonly what: string;
  readonly network: Network;
  /** From the blank network to the violation. */
  readonly steps: readonly Step[];
}

export interface SearchResult {
  readonly states: number;
  /** Configurations in which nothing is left to happen. */
  readonly ends: number;
  /** Configurations with a step that the limits forbid. */
  readonly cut: number;
  /** The longest shortest way to a configuration, in steps. */
  readonly depth: number;
  /** Whether everything reachable was visited. */
  readonly complete: boolean;
  /** Messages of a whole run, over all schedules; null where nothing ended, or where no largest number exists. */
  readonly messages: { readonly min: number | null; readonly max: number | null };
  readonly violation: Violation | null;
}

const PROGRESS_EVERY = 4096;

export function search(problem: Problem, options: SearchOptions): SearchResult {
  return new Search(problem, options).run();
}

class Search {
  readonly network: Network;
  private readonly problem: Problem;
  private readonly options: SearchOptions;
  private readonly visited: Visited;
  private readonly rotations: readonly Int32Array[];
  /** By configuration: where it was first reached from, by which of that one's steps, and messages sent until then. */
  private parents = new Int32Array(1024);
  private ordinals = new Int32Array(1024);
  private depths = new Int32Array(1024);
  private fewest = new Int32Array(1024);
  private most = new Int32Array(1024);
  private readonly ends: number[] = [];
  private cut = 0;
  private endMessages = { min: Infinity, max: -Infinity };
  private relaxations = 0;
  private unbounded = false;

  constructor(problem: Problem, options: SearchOptions) {
    this.problem = problem;
    this.options = options;
    this.network = new Network(problem);
    this.visited = new Visited(this.network.length);
    this.rotations = options.symmetry === true ? this.network.rotations() : [];
  }

  run(): SearchResult {
    const { properties, maxBytes = Infinity, maxStates = Infinity, onProgress } = this.options;
    this.seed();
    let violation: Violation | null = null;
    let done = 0;
    for (; done < this.visited.count; done++) {
      if (done % PROGRESS_EVERY === 0 && onProgress?.(this.visited.count, done) === false) break;
      if (this.visited.bytes + 20 * this.visited.count > maxBytes || this.visited.count > maxStates) break;
      const steps = this.expand(done);
      violation = this.check(done, properties, steps.length === 0);
      if (violation !== null) break;
      if (steps.length === 0) this.ends.push(done);
      else if (steps.some(({ outcome }) => outcome?.beyond === true)) this.cut++;
    }
    const complete = done === this.visited.count;
    if (complete) this.summariseMessages();
    return {
      states: this.visited.count,
      ends: this.ends.length,
      cut: this.cut,
      depth: this.depths[this.visited.count - 1],
      complete,
      messages: {
        min: Number.isFinite(this.endMessages.min) ? this.endMessages.min : null,
        max: Number.isFinite(this.endMessages.max) && !this.unbounded ? this.endMessages.max : null,
      },
      violation,
    };
  }

  /** The configurations after all who start on their own have started; draws at the start make several. */
  private seed(): void {
    for (const { vector, messages } of this.beginnings().values()) this.reach(vector, -1, 0, 0, messages, messages);
  }

  private beginnings(): Map<string, { vector: Int32Array; messages: number; steps: Step[] }> {
    let begun = [{ vector: this.network.blank(), messages: 0, steps: [] as Step[] }];
    for (const node of this.network.starters()) {
      begun = begun.flatMap(({ vector, messages, steps }) =>
        this.network.start(vector, node).map((step) => ({
          vector: step.after,
          messages: messages + step.outcome!.messages,
          steps: [...steps, step],
        })),
      );
    }
    return new Map(begun.map((beginning) => [this.canonical(beginning.vector).join(), beginning]));
  }

  private expand(index: number): readonly Step[] {
    const steps = this.network.steps(this.visited.vector(index));
    for (const [ordinal, { after, outcome }] of steps.entries()) {
      if (outcome?.beyond === true) continue;
      const sent = outcome?.messages ?? 0;
      this.reach(after, index, ordinal, this.depths[index] + 1, this.fewest[index] + sent, this.most[index] + sent);
    }
    return steps;
  }

  private reach(vector: Int32Array, parent: number, ordinal: number, depth: number, few: number, many: number): void {
    const before = this.visited.count;
    const index = this.visited.add(this.canonical(vector));
    if (index === before) {
      if (index === this.parents.length) this.enlarge();
      this.parents[index] = parent;
      this.ordinals[index] = ordinal;
      this.depths[index] = depth;
      this.fewest[index] = few;
      this.most[index] = many;
    } else if (few < this.fewest[index] || many > this.most[index]) {
      this.fewest[index] = Math.min(few, this.fewest[index]);
      this.most[index] = Math.max(many, this.most[index]);
      if (index <= parent) this.relaxations++;
    }
  }

  /** Longest and shortest ways change after a configuration was expanded only if it can be reached at several depths. */
  private summariseMessages(): void {
    for (let pass = 0; this.relaxations > 0; pass++) {
      if (pass > this.visited.count) {
        this.unbounded = true;
        break;
      }
      this.relaxations = 0;
      for (let index = 0; index < this.visited.count; index++) this.expand(index);
    }
    for (const index of this.ends) {
      this.endMessages.min = Math.min(this.endMessages.min, this.fewest[index]);
      this.endMessages.max = Math.max(this.endMessages.max, this.most[index]);
    }
  }

  private check(index: number, properties: readonly Property[], ended: boolean): Violation | null {
    const vector = this.visited.vector(index);
    const view: View = {
      size: this.problem.topology.size,
      alive: (node) => !this.network.crashed(vector, node),
      verdict: (node) => this.network.nodes.verdict(this.network.state(vector, node)),
      messages: this.most[index],
    };
    for (const property of properties) {
      if (property.when === "end" && !ended) continue;
      const what = property.violated(view);
      if (what !== null) {
        return { property: property.name, what, network: this.network, steps: this.pathTo(index) };
      }
    }
    return null;
  }

  private pathTo(index: number): Step[] {
    const ordinals: number[] = [];
    let at = index;
    for (; this.parents[at] >= 0; at = this.parents[at]) ordinals.unshift(this.ordinals[at]);
    const beginning = this.beginnings().get(this.visited.vector(at).join())!;
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
      const turned = new Int32Array(vector.length);
      for (let i = 0; i < vector.length; i++) turned[rotation[i]] = vector[i];
      if (isLess(turned, least)) least = turned;
    }
    return least;
  }

  private enlarge(): void {
    this.parents = enlarged(this.parents);
    this.ordinals = enlarged(this.ordinals);
    this.depths = enlarged(this.depths);
    this.fewest = enlarged(this.fewest);
    this.most = enlarged(this.most);
  }
}

const isEqual = (a: Int32Array, b: Int32Array) => !isLess(a, b) && !isLess(b, a);

function isLess(a: Int32Array, b: Int32Array): boolean {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return a[i] < b[i];
  return false;
}
