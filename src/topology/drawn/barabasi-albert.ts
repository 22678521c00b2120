/** Barabási and Albert, "Emergence of scaling in random networks", Science 286, 1999: growth by preferential attachment. */
import { InputError } from "../../errors.ts";
import type { Source } from "../../random/source.ts";
import { EdgeList, type Graph, graphOf } from "../csr.ts";

/** Starts from a complete graph of m+1 nodes; every new node links to m distinct older ones, by their degrees. */
export function barabasiAlbert(source: Source, n: number, m: number): Graph {
  if (!Number.isInteger(m) || m < 1 || m >= n) {
    throw new InputError(`ba:M needs a whole number of links per new node, from 1 to n-1, not ${m}`);
  }
  const edges = new EdgeList();
  for (let v = 0; v <= m; v++) for (let u = 0; u < v; u++) edges.add(v, u);
  for (let v = m + 1; v < n; v++) {
    const ends = 2 * edges.count;
    const chosen = new Set<number>();
    // Every link has two ends, so a random end is a node drawn by its degree.
    while (chosen.size < m) {
      const end = source.choose(ends);
      chosen.add(end % 2 === 0 ? edges.from[end / 2] : edges.to[(end - 1) / 2]);
    }
    for (const u of chosen) edges.add(v, u);
  }
  return graphOf("ba", n, edges);
}
