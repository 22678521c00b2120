/** How a network looks from each of its nodes: how many others are one link away, two, three, ... */
import type { Surroundings } from "../protocol.ts";
import { compress, type Graph } from "./csr.ts";
import type { Topology } from "./topology.ts";

/** Links that all searches together may look at: a few seconds. */
const BUDGET = 2e8;

/** Alike from every node. */
const SYMMETRIC = ["complete", "ring", "torus", "hypercube"];

/** Of every node, those that see the same from one search; null where that would take too long. */
export function surroundingsOf(topology: Topology): readonly Surroundings[] | null {
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
