/** Facts about a network, computed at most once per graph. */
import type { GraphFacts, Surroundings } from "../protocol.ts";
import type { Walk } from "./chain.ts";
import { isBipartite } from "./components.ts";
import { compress, type Graph } from "./csr.ts";
import { diameterOf } from "./diameter.ts";
import { mixingTime } from "./mixing.ts";
import type { Topology } from "./topology.ts";

const known = new WeakMap<Topology, GraphFacts>();

export function factsOf(topology: Topology): GraphFacts {
  const found = known.get(topology);
  if (found !== undefined) return found;
  const facts = {
    size: topology.size,
    bipartite: once(() => isBipartite(topology)),
    mixingTime: (lazy: boolean) => (lazy ? lazyTime() : simpleTime()),
    uniformWalk: once(() => uniformWalk(topology)),
    links: once(() => linksOf(topology)),
    diameter: once(() => diameter(topology)),
    surroundings: once(() => surroundingsOf(topology)),
    uniformMixing: once(() => mixingTime(topology, uniformWalk(topology)).steps),
  };
  const lazyTime = once(() => mixingTime(topology, "lazy").steps);
  const simpleTime = once(() => mixingTime(topology, "simple").steps);
  known.set(topology, facts);
  return facts;
}

/** Where all degrees are equal the plain walk is uniform already, and lazy where it would never mix otherwise. */
function uniformWalk(topology: Topology): Walk {
  if (!isRegular(topology)) return "metropolis";
  return factsOf(topology).bipartite() ? "lazy" : "simple";
}

function linksOf(topology: Topology): number {
  if (topology.name === "complete") return (topology.size * (topology.size - 1)) / 2;
  let ends = 0;
  for (let v = 0; v < topology.size; v++) ends += topology.degree(v);
  return ends / 2;
}

function diameter(topology: Topology): number | null {
  if (topology.size === 1) return 0;
  const { least, most } = diameterOf(topology);
  return least === most ? least : null;
}

function isRegular(topology: Topology): boolean {
  if (topology.name === "complete") return true;
  const degree = topology.degree(0);
  for (let v = 1; v < topology.size; v++) if (topology.degree(v) !== degree) return false;
  return true;
}

function once<X>(compute: () => X): () => X {
  let value: { readonly of: X } | null = null;
  return () => {
    value ??= { of: compute() };
    return value.of;
  };
}

// How a network looks from each of its nodes: how many others are one link away, two, three, ...

/** Links that all searches together may look at: a few seconds. */
const BUDGET = 2e8;

/** Alike from every node. */
const SYMMETRIC = ["complete", "ring", "torus", "hypercube"];

/** Of every node, those that see the same from one search; null where that would take too long. */
function surroundingsOf(topology: Topology): readonly Surroundings[] | null {
  const { name, size } = topology;
  if (name === "complete") {
    const spheres = size > 1 ? [1, size - 1] : [1];
    return [{ nodes: size, degree: size - 1, spheres, outermostMeet: size > 2, deadEnds: size <= 2 }];
  }
  const graph = compress(topology);
  if (SYMMETRIC.includes(name)) return [{ ...lookFrom(graph, 0), nodes: size }];
  if (size * (graph.links + size) > BUDGET) return null;
  return Array.from({ length: size }, (_, root) => lookFrom(graph, root));
}

function lookFrom({ size, offsets, targets }: Graph, root: number): Surroundings {
  const distance = new Int32Array(size).fill(-1);
  distance[root] = 0;
  const queue = [root];
  const spheres: number[] = [];
  for (const node of queue) {
    spheres[distance[node]] = (spheres[distance[node]] ?? 0) + 1;
    for (let i = offsets[node]; i < offsets[node + 1]; i++) {
      if (distance[targets[i]] >= 0) continue;
      distance[targets[i]] = distance[node] + 1;
      queue.push(targets[i]);
    }
  }
  const last = spheres.length - 1;
  const outermost = last === 0 ? [] : queue.slice(queue.length - spheres[last]);
  const degree = (node: number) => offsets[node + 1] - offsets[node];
  return {
    nodes: 1,
    degree: degree(root),
    spheres,
    outermostMeet: outermost.some((node) =>
      targets.subarray(offsets[node], offsets[node + 1]).some((other) => distance[other] === last),
    ),
    deadEnds: outermost.every((node) => degree(node) === 1),
  };
}
