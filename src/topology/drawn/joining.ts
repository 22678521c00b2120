/**
 * Joins the components of a graph by exchanging partners, which leaves every degree as it is (as Viger and Latapy do,
 * "Efficient and simple generation of random simple connected graphs with prescribed degree sequence", 2005): a link
 * (a, b) of a small component and a link (c, d) on a cycle of the largest become (a, c) and (b, d).
 */
import type { Source } from "../../random/source.ts";
import { type Components, componentsOf } from "../components.ts";
import { EdgeList, type Graph, graphOf } from "../csr.ts";

export function joined(source: Source, graph: Graph): Graph {
  const components = componentsOf(graph);
  if (components.count === 1) return graph;
  const main = components.sizes.indexOf(components.sizes.reduce((a, b) => Math.max(a, b)));
  const { edges, spare, offered } = sortLinks(graph, components, main);
  for (let component = 0; component < components.count; component++) {
    if (component === main) continue;
    const own = offered.get(component);
    const other = own === undefined ? null : take(source, spare);
    if (own !== undefined && other !== null) {
      edges.add(own[0], other[0]);
      edges.add(own[1], other[1]);
    } else {
      // A node without any link has none to exchange, and a tree has none to spare: one more link is the only way.
      if (own !== undefined) edges.add(own[0], own[1]);
      edges.add(own?.[0] ?? components.of.indexOf(component), anyNodeOf(source, components, main));
    }
  }
  for (let e = 0; e < spare.count; e++) edges.add(spare.from[e], spare.to[e]);
  return graphOf(graph.name, graph.size, edges);
}

interface Links {
  /** Links that stay. */
  readonly edges: EdgeList;
  /** Links of the largest component outside a spanning tree: without all of them it is still connected. */
  readonly spare: EdgeList;
  /** One link of each other component. */
  readonly offered: ReadonlyMap<number, readonly [number, number]>;
}

function sortLinks(graph: Graph, components: Components, main: number): Links {
  const edges = new EdgeList();
  const spare = new EdgeList();
  const offered = new Map<number, readonly [number, number]>();
  const parents = spanningTree(graph, components.of.indexOf(main));
  for (let v = 0; v < graph.size; v++) {
    const component = components.of[v];
    for (let i = graph.offsets[v]; i < graph.offsets[v + 1]; i++) {
      const u = graph.targets[i];
      if (u < v) continue;
      if (component === main && parents[v] !== u && parents[u] !== v) spare.add(v, u);
      else if (component !== main && !offered.has(component)) offered.set(component, [v, u]);
      else edges.add(v, u);
    }
  }
  return { edges, spare, offered };
}

function spanningTree(graph: Graph, root: number): Int32Array {
  const parents = new Int32Array(graph.size).fill(-1);
  const queue = [root];
  parents[root] = root;
  for (const v of queue) {
    for (let i = graph.offsets[v]; i < graph.offsets[v + 1]; i++) {
      const u = graph.targets[i];
      if (parents[u] >= 0) continue;
      parents[u] = v;
      queue.push(u);
    }
  }
  return parents;
}

function take(source: Source, list: EdgeList): [number, number] | null {
  if (list.count === 0) return null;
  const index = source.choose(list.count);
  const taken: [number, number] = [list.from[index], list.to[index]];
  list.count--;
  list.from[index] = list.from[list.count];
  list.to[index] = list.to[list.count];
  return taken;
}

function anyNodeOf(source: Source, { of }: Components, component: number): number {
  for (;;) {
    const node = source.choose(of.length);
    if (of[node] === component) return node;
  }
}
