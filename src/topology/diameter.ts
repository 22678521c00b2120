/**
 * The diameter by few searches (iFUB: Crescenzi, Grossi, Habib, Lanzi, Marino, "On computing the diameter of real-world
 * undirected graphs", 2013): from a central node, the nodes of the outermost levels decide; with all of level i looked
 * at, no distance can exceed max(found so far, 2(i-1)).
 */
import { compress, type Graph } from "./csr.ts";
import type { Topology } from "./topology.ts";

/** The largest distance between two nodes, or limits of it where the network is too large. */
export interface Diameter {
  readonly least: number;
  readonly most: number;
}

/** Links that all searches together may look at: a few seconds. */
const BUDGET = 4e8;

/** Of a connected network; `least` and `most` are equal where the diameter is known exactly. */
export function diameterOf(topology: Topology): Diameter {
  const known = closedForm(topology);
  if (known !== null) return { least: known, most: known };
  const search = new Search(compress(topology));
  let least = search.run(search.run(0).last).depth;
  search.run(search.halfway());
  const levels = Array.from({ length: search.depth + 1 }, () => [] as number[]);
  for (let v = 0; v < topology.size; v++) levels[search.distance[v]].push(v);
  for (let level = levels.length - 1; level > 0; level--) {
    if (least >= 2 * level) break;
    for (const node of levels[level]) {
      if (search.spent > BUDGET) return { least, most: Math.max(least, 2 * level) };
      least = Math.max(least, search.run(node).depth);
    }
  }
  return { least, most: least };
}

function closedForm({ name, size }: Topology): number | null {
  if (name === "complete") return size > 1 ? 1 : 0;
  if (name === "ring") return Math.floor(size / 2);
  if (name === "hypercube") return Math.log2(size);
  if (name === "star") return size > 2 ? 2 : 1;
  return null;
}

/** Breadth-first search that can be run again and again. */
class Search {
  readonly distance: Int32Array;
  last = 0;
  depth = 0;
  spent = 0;
  private readonly graph: Graph;
  private readonly queue: Uint32Array;

  constructor(graph: Graph) {
    this.graph = graph;
    this.distance = new Int32Array(graph.size);
    this.queue = new Uint32Array(graph.size);
  }

  run(root: number): this {
    const { distance, queue } = this;
    const { offsets, targets } = this.graph;
    distance.fill(-1);
    distance[root] = 0;
    queue[0] = root;
    let tail = 1;
    for (let head = 0; head < tail; head++) {
      const node = queue[head];
      for (let i = offsets[node]; i < offsets[node + 1]; i++) {
        const next = targets[i];
        if (distance[next] >= 0) continue;
        distance[next] = distance[node] + 1;
        queue[tail++] = next;
      }
    }
    this.last = queue[tail - 1];
    this.depth = distance[this.last];
    this.spent += targets.length + 2 * tail;
    return this;
  }

  /** The node in the middle of the path from the root of the latest run to its last node. */
  halfway(): number {
    const { offsets, targets } = this.graph;
    let node = this.last;
    while (this.distance[node] > this.depth / 2) {
      let i = offsets[node];
      while (this.distance[targets[i]] !== this.distance[node] - 1) i++;
      node = targets[i];
    }
    return node;
  }
}
