/**
 * Which configuration leads to which, kept while a search goes on: what a run costs at most and at least, and whether one
 * can go on for ever, are questions about the whole graph. Vertices come in the order in which they are expanded.
 */
import { enlarged } from "./visited.ts";

export class StepGraph {
  /** The number of configurations expanded. */
  size = 0;
  private edges = 0;
  private first = new Int32Array(1024);
  private targets = new Int32Array(1024);
  private weights = new Int32Array(1024);
  /** Edges of one vertex with the same choice differ only in what was drawn: chance, not the schedule, takes one of them. */
  private choices = new Int32Array(1024);

  get bytes(): number {
    return this.first.byteLength + 3 * this.targets.byteLength;
  }

  /** An edge out of the vertex that is being expanded; target -1 leads beyond the limits of the problem. */
  add(target: number, weight: number, choice: number): void {
    if (this.edges === this.targets.length) {
      this.targets = enlarged(this.targets);
      this.weights = enlarged(this.weights);
      this.choices = enlarged(this.choices);
    }
    this.targets[this.edges] = target;
    this.weights[this.edges] = weight;
    this.choices[this.edges++] = choice;
  }

  /** All edges out of the present vertex have been added. */
  expanded(): void {
    if (this.size + 1 === this.first.length) this.first = enlarged(this.first);
    this.first[++this.size] = this.edges;
  }

  /** Every vertex after all that lead to it; shorter than `size` where there are loops. */
  order(): Int32Array {
    const before = new Int32Array(this.size);
    for (let edge = 0; edge < this.edges; edge++) if (this.targets[edge] >= 0) before[this.targets[edge]]++;
    const order = new Int32Array(this.size);
    let found = 0;
    for (let vertex = 0; vertex < this.size; vertex++) if (before[vertex] === 0) order[found++] = vertex;
    for (let done = 0; done < found; done++) {
      const vertex = order[done];
      for (let edge = this.first[vertex]; edge < this.first[vertex + 1]; edge++) {
        const target = this.targets[edge];
        if (target >= 0 && --before[target] === 0) order[found++] = target;
      }
    }
    return order.subarray(0, found);
  }

  /** Improves `least` and `most`, the weights of ways to each vertex, from those at the beginnings; `order` must be whole. */
  weigh(order: Int32Array, least: Int32Array, most: Int32Array): void {
    for (const vertex of order) {
      for (let edge = this.first[vertex]; edge < this.first[vertex + 1]; edge++) {
        const target = this.targets[edge];
        if (target < 0) continue;
        least[target] = Math.min(least[target], least[vertex] + this.weights[edge]);
        most[target] = Math.max(most[target], most[vertex] + this.weights[edge]);
      }
    }
  }

  /** The way to a vertex that has the weight found for it, from a beginning (one without parent) with the weight given it. */
  dearest(most: Int32Array, given: Int32Array, parents: Int32Array, goal: number): number[] {
    const before = new Map<number, number[]>();
    for (let vertex = 0; vertex < this.size; vertex++) {
      for (let edge = this.first[vertex]; edge < this.first[vertex + 1]; edge++) {
        const target = this.targets[edge];
        if (target < 0 || most[vertex] + this.weights[edge] !== most[target]) continue;
        const others = before.get(target);
        if (others === undefined) before.set(target, [vertex]);
        else others.push(vertex);
      }
    }
    const after = new Map([[goal, -1]]);
    for (const vertex of after.keys()) {
      if (parents[vertex] < 0 && most[vertex] === given[vertex]) return wayFrom(vertex, after);
      for (const earlier of before.get(vertex) ?? []) if (!after.has(earlier)) after.set(earlier, vertex);
    }
    return [goal];
  }

  /** As `weigh` for the least weight alone, where there are loops. */
  weighLeast(least: Int32Array): void {
    this.relax(least, (weight, known) => weight < known);
  }

  /** As `weigh` for the most, where there are loops, none of which weighs anything. */
  weighMost(most: Int32Array): void {
    this.relax(most, (weight, known) => weight > known);
  }

  private relax(weights: Int32Array, better: (weight: number, known: number) => boolean): void {
    for (let changed = true; changed; ) {
      changed = false;
      for (let vertex = 0; vertex < this.size; vertex++) {
        for (let edge = this.first[vertex]; edge < this.first[vertex + 1]; edge++) {
          const weight = weights[vertex] + this.weights[edge];
          if (this.targets[edge] < 0 || !better(weight, weights[this.targets[edge]])) continue;
          weights[this.targets[edge]] = weight;
          changed = true;
        }
      }
    }
  }

  /** A way from a vertex back to itself that weighs something; null if there is none. */
  dearLoop(): number[] | null {
    const component = components(this.size, (vertex) => this.successors(vertex));
    for (let vertex = 0; vertex < this.size; vertex++) {
      for (let edge = this.first[vertex]; edge < this.first[vertex + 1]; edge++) {
        const target = this.targets[edge];
        if (target < 0 || this.weights[edge] === 0 || component[target] !== component[vertex]) continue;
        const before = new Map([[target, -1]]);
        for (const reached of before.keys()) {
          if (reached === vertex) break;
          for (const next of this.successors(reached)) if (!before.has(next)) before.set(next, reached);
        }
        return [vertex, ...wayFrom(vertex, before).reverse()];
      }
    }
    return null;
  }

  /**
   * The maximal end components: sets of vertices within which a schedule can keep the run, whatever is drawn. Each vertex
   * reaches each other one, by choices none of whose outcomes leads out. Choices that chance can end are taken away until
   * nothing changes. `within`: only vertices of this set.
   */
  endComponents(within?: ReadonlySet<number>): number[][] {
    const kept = new Uint8Array(this.edges).fill(1);
    if (within !== undefined) {
      for (let vertex = 0; vertex < this.size; vertex++) {
        if (!within.has(vertex)) kept.fill(0, this.first[vertex], this.first[vertex + 1]);
      }
    }
    for (;;) {
      const component = components(this.size, (vertex) => this.successors(vertex, kept));
      let changed = false;
      for (let vertex = 0; vertex < this.size; vertex++) {
        const leaving = new Set<number>();
        for (let edge = this.first[vertex]; edge < this.first[vertex + 1]; edge++) {
          const target = this.targets[edge];
          if (target < 0 || component[target] !== component[vertex]) leaving.add(this.choices[edge]);
        }
        for (let edge = this.first[vertex]; edge < this.first[vertex + 1]; edge++) {
          if (kept[edge] === 0 || !leaving.has(this.choices[edge])) continue;
          kept[edge] = 0;
          changed = true;
        }
      }
      if (!changed) return this.loops(component, kept);
    }
  }

  private loops(component: Int32Array, kept: Uint8Array): number[][] {
    const members = new Map<number, number[]>();
    for (let vertex = 0; vertex < this.size; vertex++) {
      if (this.successors(vertex, kept).length === 0) continue;
      const others = members.get(component[vertex]);
      if (others === undefined) members.set(component[vertex], [vertex]);
      else others.push(vertex);
    }
    return [...members.values()];
  }

  private successors(vertex: number, kept?: Uint8Array): number[] {
    const found: number[] = [];
    for (let edge = this.first[vertex]; edge < this.first[vertex + 1]; edge++) {
      if (this.targets[edge] >= 0 && kept?.[edge] !== 0) found.push(this.targets[edge]);
    }
    return found;
  }
}

/** From a vertex to the one that leads no further (-1). */
function wayFrom(vertex: number, next: ReadonlyMap<number, number>): number[] {
  const way: number[] = [];
  for (let at = vertex; at >= 0; at = next.get(at)!) way.push(at);
  return way;
}

export function components(size: number, successors: (vertex: number) => readonly number[]): Int32Array {
  const component = new Int32Array(size).fill(-1);
  const index = new Int32Array(size).fill(-1);
  const low = new Int32Array(size);
  const open: number[] = [];
  let indices = 0;
  let found = 0;

  const close = (root: number) => {
    for (let vertex = -1; vertex !== root; ) {
      vertex = open.pop()!;
      component[vertex] = found;
    }
    found++;
  };

  for (let start = 0; start < size; start++) {
    if (index[start] >= 0) continue;
    const path: { vertex: number; next: readonly number[]; done: number }[] = [];
    const enter = (vertex: number) => {
      index[vertex] = low[vertex] = indices++;
      open.push(vertex);
      path.push({ vertex, next: successors(vertex), done: 0 });
    };
    enter(start);
    while (path.length > 0) {
      const frame = path[path.length - 1];
      const { vertex, next } = frame;
      if (frame.done < next.length) {
        const target = next[frame.done++];
        if (index[target] < 0) enter(target);
        else if (component[target] < 0) low[vertex] = Math.min(low[vertex], index[target]);
        continue;
      }
      path.pop();
      if (path.length > 0) {
        const parent = path[path.length - 1].vertex;
        low[parent] = Math.min(low[parent], low[vertex]);
      }
      if (low[vertex] === index[vertex]) close(vertex);
    }
  }
  return component;
}
