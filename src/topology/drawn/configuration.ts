/**
 * Random graphs with given degrees, by pairing half-links ("configuration-like"): half-links are shuffled and paired;
 * pairs that would make a loop or a double link are put back and paired again (as in Steger and Wormald, "Generating
 * random regular graphs quickly", 1999). That is uniform only for large n, so pairs of links then exchange partners at
 * random, a Markov chain whose limit is uniform.
 */
import type { Source } from "../../random/source.ts";
import { type Components, componentsOf } from "../components.ts";
import { EdgeList, type Graph, graphOf } from "../csr.ts";

interface Pairing {
  readonly edges: EdgeList;
  /** The pairs that are linked, as from·n + to with from < to. */
  readonly linked: Set<number>;
  /** Half-links for which no partner was left; none where the degrees came out exactly. */
  readonly unpaired: number;
}

/** Rounds of pairing without progress after which the rest is given up. */
const PATIENCE = 20;
/** Exchanges per link; in all no more than the second, for on large graphs the pairing is as good as uniform. */
const EXCHANGES_PER_LINK = 10;
const MOST_EXCHANGES = 500_000;

export function pairHalfLinks(source: Source, degrees: ArrayLike<number>): Pairing {
  let total = 0;
  for (let v = 0; v < degrees.length; v++) total += degrees[v];
  let open = new Uint32Array(total);
  let at = 0;
  for (let v = 0; v < degrees.length; v++) for (let i = 0; i < degrees[v]; i++) open[at++] = v;
  const edges = new EdgeList();
  const linked = new Set<number>();
  const { length: size } = degrees;
  for (let idle = 0; open.length > 1 && idle < PATIENCE; ) {
    shuffle(source, open);
    let left = open.length & 1;
    for (let i = open.length & 1; i < open.length; i += 2) {
      const u = Math.min(open[i], open[i + 1]);
      const v = Math.max(open[i], open[i + 1]);
      const key = u * size + v;
      if (u === v || linked.has(key)) {
        open[left++] = u;
        open[left++] = v;
      } else {
        linked.add(key);
        edges.add(u, v);
      }
    }
    idle = left < open.length ? 0 : idle + 1;
    open = open.slice(0, left);
  }
  return { edges, linked, unpaired: open.length };
}

/** (a, b) and (c, d) become (a, d) and (c, b), unless that makes a loop or a double link. */
export function exchangePartners(source: Source, { edges, linked }: Pairing, size: number): void {
  const { from, to, count } = edges;
  const key = (u: number, v: number) => Math.min(u, v) * size + Math.max(u, v);
  if (count < 2) return;
  for (let left = Math.min(EXCHANGES_PER_LINK * count, MOST_EXCHANGES); left > 0; left--) {
    const first = source.choose(count);
    const second = source.choose(count);
    const [a, b] = [from[first], to[first]];
    // Either end of the second link may come first; otherwise some graphs could not be reached.
    const turned = source.choose(2) === 1;
    const [c, d] = turned ? [to[second], from[second]] : [from[second], to[second]];
    if (a === d || c === b || first === second || linked.has(key(a, d)) || linked.has(key(c, b))) continue;
    linked.delete(key(a, b));
    linked.delete(key(c, d));
    linked.add(key(a, d));
    linked.add(key(c, b));
    to[first] = d;
    from[second] = c;
    to[second] = b;
  }
}

function shuffle(source: Source, values: Uint32Array): void {
  for (let i = values.length - 1; i > 0; i--) {
    const j = source.choose(i + 1);
    const value = values[i];
    values[i] = values[j];
    values[j] = value;
  }
}

// Joins the components of a graph by exchanging partners, which leaves every degree as it is (as Viger and Latapy do,
// "Efficient and simple generation of random simple connected graphs with prescribed degree sequence", 2005): a link
// (a, b) of a small component and a link (c, d) on a cycle of the largest become (a, c) and (b, d).

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
