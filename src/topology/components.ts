/** Connected components, and the subgraph of the largest one. */
import { compressed, type Graph } from "./csr.ts";
import type { Topology } from "./topology.ts";

export interface Components {
  readonly count: number;
  /** The component of each node, numbered in the order of their first nodes. */
  readonly of: Uint32Array;
  readonly sizes: readonly number[];
}

export function componentsOf(topology: Topology): Components {
  const { size } = topology;
  const of = new Uint32Array(size).fill(0xffffffff);
  const queue = new Uint32Array(size);
  const sizes: number[] = [];
  for (let root = 0; root < size; root++) {
    if (of[root] !== 0xffffffff) continue;
    const component = sizes.length;
    let tail = 0;
    queue[tail++] = root;
    of[root] = component;
    for (let head = 0; head < tail; head++) {
      const node = queue[head];
      const degree = topology.degree(node);
      for (let port = 0; port < degree; port++) {
        const next = topology.neighbour(node, port);
        if (of[next] !== 0xffffffff) continue;
        of[next] = component;
        queue[tail++] = next;
      }
    }
    sizes.push(tail);
  }
  return { count: sizes.length, of, sizes };
}

/** The first of the largest components as a graph of its own; nodes keep their order. */
export function largestComponent(graph: Graph, components: Components = componentsOf(graph)): Graph {
  if (components.count <= 1) return graph;
  const largest = components.sizes.indexOf(components.sizes.reduce((a, b) => Math.max(a, b)));
  const renamed = new Uint32Array(graph.size);
  const offsets = new Uint32Array(components.sizes[largest] + 1);
  const kept: number[] = [];
  for (let v = 0; v < graph.size; v++) {
    if (components.of[v] !== largest) continue;
    renamed[v] = kept.length;
    kept.push(v);
    offsets[kept.length] = offsets[kept.length - 1] + graph.degree(v);
  }
  const targets = new Uint32Array(offsets[kept.length]);
  for (const [i, v] of kept.entries()) {
    for (let port = 0; port < graph.degree(v); port++) targets[offsets[i] + port] = renamed[graph.neighbour(v, port)];
  }
  return compressed(graph.name, offsets, targets, graph.dropped);
}

/** Whether the nodes of a network (any number of components) can be coloured with two colours. */
export function isBipartite(topology: Topology): boolean {
  const { name, size } = topology;
  if (name === "complete") return size <= 2;
  if (name === "hypercube" || name === "star") return true;
  const colour = new Uint8Array(size);
  const queue = new Uint32Array(size);
  for (let root = 0; root < size; root++) {
    if (colour[root] !== 0) continue;
    let tail = 0;
    queue[tail++] = root;
    colour[root] = 1;
    for (let head = 0; head < tail; head++) {
      const node = queue[head];
      const degree = topology.degree(node);
      for (let port = 0; port < degree; port++) {
        const next = topology.neighbour(node, port);
        if (colour[next] === colour[node]) return false;
        if (colour[next] !== 0) continue;
        colour[next] = 3 - colour[node];
        queue[tail++] = next;
      }
    }
  }
  return true;
}
