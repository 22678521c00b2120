/** What can be said of a network before anybody elects on it. */
import { isBipartite } from "./components.ts";
import { type Diameter, diameterOf } from "./diameter.ts";
import { type MixingTime, mixingTime } from "./mixing.ts";
import type { Network } from "./spec.ts";
import type { Topology } from "./topology.ts";

/** How many neighbours the nodes of a network have. */
export interface Degrees {
  readonly least: number;
  readonly median: number;
  readonly mean: number;
  readonly most: number;
}

/** What can be said of a network before anybody elects on it. */
export interface Analysis {
  readonly nodes: number;
  readonly edges: number;
  readonly degrees: Degrees;
  /** Components of the network as it was given, and its nodes then. */
  readonly components: number;
  readonly wholeSize: number;
  readonly duplicatesDropped: number;
  readonly loopsDropped: number;
  readonly bipartite: boolean;
  readonly diameter: Diameter;
  /** Of the walk that never rests, and of the lazy one. */
  readonly mixing: MixingTime;
  readonly lazyMixing: MixingTime;
}

/** Size, degrees, components, diameter and mixing times of a network. */
export function analyse(network: Network): Analysis {
  const { topology, components, wholeSize, dropped } = network;
  const degrees = degreesOf(topology);
  return {
    nodes: topology.size,
    edges: Math.round((degrees.mean * topology.size) / 2),
    degrees,
    components,
    wholeSize,
    duplicatesDropped: dropped.duplicates,
    loopsDropped: dropped.loops,
    bipartite: isBipartite(topology),
    diameter: diameterOf(topology),
    mixing: mixingTime(topology, "simple"),
    lazyMixing: mixingTime(topology, "lazy"),
  };
}

function degreesOf(topology: Topology): Degrees {
  const degrees = Uint32Array.from({ length: topology.size }, (_, node) => topology.degree(node)).sort();
  const half = degrees.length >> 1;
  return {
    least: degrees[0],
    median: degrees.length % 2 === 1 ? degrees[half] : (degrees[half - 1] + degrees[half]) / 2,
    mean: degrees.reduce((a, b) => a + b, 0) / degrees.length,
    most: degrees[degrees.length - 1],
  };
}
