import { expect, test } from "vitest";
import { analyse } from "./analyse.ts";
import { diameterOf } from "./diameter.ts";
import { buildNetwork } from "./spec.ts";
import type { Topology } from "./topology.ts";

const build = (spec: string, n: number | null, seed = 1) => buildNetwork({ spec, n, seed, largestComponent: true });

/** The largest distance, searched from everywhere. */
function longestDistance(topology: Topology): number {
  let longest = 0;
  for (let root = 0; root < topology.size; root++) {
    const distance = new Map([[root, 0]]);
    for (const [v, d] of distance) {
      longest = Math.max(longest, d);
      for (let port = 0; port < topology.degree(v); port++) {
        const u = topology.neighbour(v, port);
        if (!distance.has(u)) distance.set(u, d + 1);
      }
    }
  }
  return longest;
}

test("the diameter is what searches from all nodes find", () => {
  const cases: [string, number | null][] = [
    ["ring", 11],
    ["complete", 6],
    ["hypercube", 32],
    ["star", 7],
    ["torus:4x9", null],
    ["regular:3", 120],
    ["ba:1", 150],
    ["er:0.03", 150],
    ["power-law:0.8", 300],
  ];
  for (const [spec, n] of cases) {
    for (const seed of [1, 2]) {
      const { topology } = build(spec, n, seed);
      const longest = longestDistance(topology);
      expect({ spec, seed, ...diameterOf(topology) }).toEqual({ spec, seed, least: longest, most: longest });
    }
  }
});

test("an analysis says size, degrees, components, bipartiteness, diameter and mixing times", () => {
  expect(analyse(build("star", 9))).toMatchObject({
    nodes: 9,
    edges: 8,
    degrees: { least: 1, median: 1, mean: 16 / 9, most: 8 },
    components: 1,
    bipartite: true,
    diameter: { least: 2, most: 2 },
    mixing: { steps: null },
  });
  const parts = analyse(build("er:0.02", 100));
  expect(parts.wholeSize).toBe(100);
  expect(parts.nodes).toBeLessThan(100);
  expect(parts.components).toBeGreaterThan(1);
});
