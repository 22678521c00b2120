/**
 * Simple undirected graphs in compressed arrays: the neighbours of a node, ascending, are a stretch of one array. Costs
 * eight bytes per directed link, so a graph of a million edges takes 16 megabytes.
 */
import type { Topology } from "./topology.ts";

/** A network given by its links, in compressed rows. */
export interface Graph extends Topology {
  /** The neighbours of node v are targets[offsets[v]] .. targets[offsets[v+1] - 1]. */
  readonly offsets: Uint32Array;
  readonly targets: Uint32Array;
  readonly links: number;
  /** Lines or pairs of the input that added nothing, because graphs here are simple. */
  readonly dropped: Dropped;
}

/** What was left out of a list of edges. */
export interface Dropped {
  readonly duplicates: number;
  readonly loops: number;
}

/** A growing list of edges between numbered nodes. */
export class EdgeList {
  count = 0;
  from = new Uint32Array(1024);
  to = new Uint32Array(1024);

  add(from: number, to: number): void {
    if (this.count === this.from.length) this.grow();
    this.from[this.count] = from;
    this.to[this.count++] = to;
  }

  private grow(): void {
    const { from, to } = this;
    this.from = new Uint32Array(2 * from.length);
    this.to = new Uint32Array(2 * to.length);
    this.from.set(from);
    this.to.set(to);
  }
}

/** The network of `size` nodes that these edges make; duplicates and loops are dropped and counted. */
export function graphOf(name: string, size: number, edges: EdgeList): Graph {
  const { from, to, count } = edges;
  let loops = 0;
  const starts = new Uint32Array(size + 1);
  for (let e = 0; e < count; e++) {
    if (from[e] === to[e]) loops++;
    else {
      starts[from[e] + 1]++;
      starts[to[e] + 1]++;
    }
  }
  for (let v = 0; v < size; v++) starts[v + 1] += starts[v];
  const unsorted = new Uint32Array(starts[size]);
  const next = starts.slice(0, size);
  for (let e = 0; e < count; e++) {
    if (from[e] === to[e]) continue;
    unsorted[next[from[e]]++] = to[e];
    unsorted[next[to[e]]++] = from[e];
  }
  // Handing every node's name to its neighbours, nodes ascending, leaves each list sorted and its duplicates adjacent.
  const sorted = new Uint32Array(unsorted.length);
  next.set(starts.subarray(0, size));
  for (let v = 0; v < size; v++) {
    for (let i = starts[v]; i < starts[v + 1]; i++) {
      const u = unsorted[i];
      if (next[u] === starts[u] || sorted[next[u] - 1] !== v) sorted[next[u]++] = v;
    }
  }
  const offsets = new Uint32Array(size + 1);
  let used = 0;
  for (let v = 0; v < size; v++) {
    sorted.copyWithin(used, starts[v], next[v]);
    used += next[v] - starts[v];
    offsets[v + 1] = used;
  }
  const duplicates = (unsorted.length - used) / 2;
  return compressed(name, offsets, sorted.slice(0, used), { duplicates, loops });
}

/** The graph of sorted, symmetric adjacency lists without duplicates or loops. */
export function compressed(name: string, offsets: Uint32Array, targets: Uint32Array, dropped: Dropped): Graph {
  const size = offsets.length - 1;
  const arrivals = new Uint32Array(targets.length);
  const seen = new Uint32Array(size);
  // Nodes ascend, so each node is met in its neighbours' lists in the order of their ports.
  for (let v = 0; v < size; v++) {
    for (let i = offsets[v]; i < offsets[v + 1]; i++) arrivals[i] = seen[targets[i]]++;
  }
  return {
    name,
    size,
    offsets,
    targets,
    dropped,
    links: targets.length,
    degree: (node) => offsets[node + 1] - offsets[node],
    neighbour: (node, port) => targets[offsets[node] + port],
    arrival: (node, port) => arrivals[offsets[node] + port],
    link: (node, port) => offsets[node] + port,
  };
}

/** Any topology of moderate size as compressed arrays, for code that walks over all links. */
export function compress(topology: Topology): Graph {
  if ("targets" in topology) return topology as Graph;
  const edges = new EdgeList();
  for (let v = 0; v < topology.size; v++) {
    const degree = topology.degree(v);
    for (let port = 0; port < degree; port++) {
      const u = topology.neighbour(v, port);
      if (v <= u) edges.add(v, u);
    }
  }
  return graphOf(topology.name, topology.size, edges);
}
