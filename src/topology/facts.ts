/** Facts about a network, computed at most once per graph. */
import type { GraphFacts } from "../protocol.ts";
import { isBipartite } from "./bipartite.ts";
import type { Walk } from "./chain.ts";
import { diameterOf } from "./diameter.ts";
import { surroundingsOf } from "./distances.ts";
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
