import { describe, expect, test } from "vitest";
import { effort } from "../../test/support/effort.ts";
import { chainOf, step, type Walk } from "./chain.ts";
import { isBipartite } from "./components.ts";
import { mixingBySquaring, mixingTime } from "./mixing.ts";
import { buildNetwork } from "./spec.ts";
import type { Topology } from "./topology.ts";

const net = (spec: string, n: number, seed = 1) => buildNetwork({ spec, n, seed, largestComponent: true }).topology;

/** Definition (1) taken literally: every start's distribution, step by step, until all are near enough. */
function literally(topology: Topology, walk: Walk): number {
  const { size } = topology;
  const degree = (v: number) => topology.degree(v);
  const links = Array.from({ length: size }, (_, v) => degree(v)).reduce((a, b) => a + b);
  let rows: number[][] = Array.from({ length: size }, (_, v) =>
    Array.from({ length: size }, (_, u) => (u === v ? 1 : 0)),
  );
  for (let k = 0; ; k++) {
    const mixed = rows.every((row) =>
      row.every(
        (p, v) => Math.abs(p - (walk === "metropolis" ? 1 / size : degree(v) / links)) <= 1 / (2 * size) + 1e-12,
      ),
    );
    if (mixed) return k;
    rows = rows.map((row) => {
      const next = row.map((p) => (walk === "lazy" ? p / 2 : 0));
      for (let v = 0; v < size; v++) {
        for (let port = 0; port < degree(v); port++) {
          const u = topology.neighbour(v, port);
          if (walk === "simple") next[u] += row[v] / degree(v);
          else if (walk === "lazy") next[u] += row[v] / (2 * degree(v));
          else {
            const accept = Math.min(1, degree(v) / degree(u)) / degree(v);
            next[u] += row[v] * accept;
            next[v] += row[v] * (1 / degree(v) - accept);
          }
        }
      }
      return next;
    });
  }
}

describe("mixing time", () => {
  test("of a complete graph is 2, not 1 as the paper says: after one step nobody is where it started", () => {
    for (const n of [3, 4, 10, 1000, 1e9]) expect(mixingTime(net("complete", n), "simple").steps).toBe(2);
    expect(mixingTime(net("complete", 2), "simple").steps).toBe(null);
  });

  test.each([
    ["complete", 8, "lazy"],
    ["ring", 9, "simple"],
    ["ring", 10, "lazy"],
    ["star", 12, "lazy"],
    ["star", 12, "metropolis"],
    ["torus", 15, "simple"],
    ["hypercube", 16, "lazy"],
    ["regular:3", 20, "simple"],
    ["ba:2", 30, "simple"],
    ["ba:1", 15, "lazy"],
    ["er:0.2", 25, "lazy"],
    ["er:0.2", 25, "metropolis"],
    ["power-law:0.8", 40, "simple"],
  ] as const)("of %s, %i nodes, %s walk: as definition (1) says, literally", (spec, n, walk) => {
    const { steps, exact } = mixingTime(net(spec, n), walk);
    expect(exact).toBe(true);
    expect(steps).toBe(literally(net(spec, n), walk));
  });

  test.each([
    ["ba:2", 310, "simple"],
    ["er:0.02", 320, "metropolis"],
    ["ring", 301, "simple"],
    ["torus:18x18", null, "lazy"],
  ] as const)("of %s by iteration is what powers of the matrix give", (spec, n, walk) => {
    const topology = buildNetwork({ spec, n, seed: 3, largestComponent: true }).topology;
    expect(mixingTime(topology, walk).steps).toBe(mixingBySquaring(chainOf(topology, walk)));
  });

  test("of a large graph is estimated, from below, and says so", () => {
    const { steps, exact, how } = mixingTime(net("regular:4", effort(2500, 6000)), "simple");
    expect(exact).toBe(false);
    expect(how).toContain("estimated from below");
    // About ln(2n) / ln(d / (2 sqrt(d-1))), the second eigenvalue of random regular graphs: 65, and never below half of it.
    expect(steps).toBeGreaterThan(33);
    expect(steps).toBeLessThan(80);
  });

  test("is none for a walk that never rests on a bipartite graph", () => {
    for (const [spec, n] of [
      ["ring", 8],
      ["hypercube", 8],
      ["star", 5],
      ["torus", 16],
    ] as const) {
      expect(isBipartite(net(spec, n))).toBe(true);
      expect(mixingTime(net(spec, n), "simple")).toMatchObject({
        steps: null,
        how: expect.stringContaining("bipartite"),
      });
      expect(mixingTime(net(spec, n), "lazy").steps).toBeGreaterThan(0);
    }
    for (const [spec, n] of [
      ["ring", 7],
      ["complete", 5],
      ["torus", 15],
    ] as const) {
      expect(isBipartite(net(spec, n))).toBe(false);
    }
  });
});

test("one step of a chain keeps what is constant, and the stationary distribution keeps its mean", () => {
  for (const walk of ["simple", "lazy", "metropolis"] as const) {
    const chain = chainOf(net("ba:2", 60), walk);
    const out = new Float64Array(60);
    step(chain, new Float64Array(60).fill(1), out);
    for (const value of out) expect(value).toBeCloseTo(1, 12);
    const f = Float64Array.from({ length: 60 }, (_, v) => (v * v) % 17);
    step(chain, f, out);
    const mean = (values: Float64Array) => values.reduce((sum, value, v) => sum + value * chain.stationary[v], 0);
    expect(mean(out)).toBeCloseTo(mean(f), 12);
  }
});
