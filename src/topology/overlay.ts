/**
 * A complete graph laid over a connected network, for protocols that want uniformly random processes (Ramanathan et al.,
 * section 6): a random process is where a walk of the network's mixing time ends (Metropolis-Hastings where degrees
 * differ), a request travels along that walk, the answer back along it. Messages are counted end to end, `hops` counts
 * the links of the network below. Anybody else is reached by a shortest path.
 */
import type { Walk } from "./chain.ts";
import { complete } from "./complete.ts";
import type { Topology } from "./topology.ts";

/** Walks that may end at a process already chosen before the network counts as too small for the sample. */
const PATIENCE = 1000;

export function overlay(network: Topology, walk: Walk, steps: number): Topology {
  const { size } = network;
  const above = complete(size);
  /** Links that the latest walk between two nodes passed over. */
  const routes = new Map<number, number>();
  const distances = new Map<number, Int32Array>();
  /** Links of walks that ended at a process already chosen: charged to the next message. */
  let wasted = 0;

  const distance = (from: number, to: number): number => {
    if (from === to) return 0;
    const walked = routes.get(from * size + to) ?? routes.get(to * size + from);
    if (walked !== undefined) return walked;
    const known = distances.get(from) ?? distancesFrom(network, from);
    distances.set(from, known);
    return known[to];
  };

  const hops = (from: number, to: number): number => {
    const total = wasted + distance(from, to);
    wasted = 0;
    return total;
  };

  const sample = (node: number, k: number, includingSelf: boolean, choose: (n: number) => number): number[] => {
    const chosen = new Set<number>();
    for (let failures = 0; chosen.size < k && failures < PATIENCE; ) {
      const { end, moves } = wander(network, walk, steps, node, choose);
      if (chosen.has(end) || (end === node && !includingSelf)) {
        failures++;
        wasted += moves;
      } else {
        failures = 0;
        chosen.add(end);
        routes.set(node * size + end, moves);
      }
    }
    return [...chosen].map((end) => (end === node ? size - 1 : (end - node - 1 + size) % size));
  };

  const save = () => {
    const [known, charged] = [new Map(routes), wasted];
    return () => {
      routes.clear();
      for (const [pair, moves] of known) routes.set(pair, moves);
      wasted = charged;
    };
  };

  return { ...above, name: "overlay", sample, hops, save };
}

/** Where a walk ends, and over how many links it went; staying where one is costs nothing. */
function wander(
  network: Topology,
  walk: Walk,
  steps: number,
  start: number,
  choose: (n: number) => number,
): { end: number; moves: number } {
  let node = start;
  let moves = 0;
  for (let step = 0; step < steps; step++) {
    if (walk === "lazy" && choose(2) === 0) continue;
    const degree = network.degree(node);
    const next = network.neighbour(node, choose(degree));
    const other = walk === "metropolis" ? network.degree(next) : degree;
    // Accepted with probability min(1, degree/other), in whole numbers.
    if (other > degree && choose(other) >= degree) continue;
    node = next;
    moves++;
  }
  return { end: node, moves };
}

function distancesFrom(network: Topology, root: number): Int32Array {
  const distances = new Int32Array(network.size).fill(-1);
  const queue = [root];
  distances[root] = 0;
  for (const node of queue) {
    for (let port = 0; port < network.degree(node); port++) {
      const next = network.neighbour(node, port);
      if (distances[next] >= 0) continue;
      distances[next] = distances[node] + 1;
      queue.push(next);
    }
  }
  return distances;
}
