import { describe, expect, test } from "vitest";
import { HostStream } from "../random/streams.ts";
import { componentsOf } from "./components.ts";
import { compress } from "./csr.ts";
import { erdosRenyi, rankDegrees } from "./drawn/drawn.ts";
import { CENTRE, star } from "./lattices.ts";
import { buildNetwork, networkOf } from "./spec.ts";
import type { Topology } from "./topology.ts";

const build = (spec: string, n: number | null, seed = 1, largestComponent = false) =>
  buildNetwork({ spec, n, seed, largestComponent });
const degrees = (topology: Topology) => Array.from({ length: topology.size }, (_, v) => topology.degree(v));

describe("every kind of network", () => {
  const cases: [string, number][] = [
    ["complete", 20],
    ["ring", 20],
    ["star", 20],
    ["hypercube", 32],
    ["torus", 30],
    ["regular:3", 50],
    ["er:0.3", 50],
    ["ba:2", 50],
    ["power-law:0.8", 200],
  ];
  test.each(cases)("%s of %i nodes is connected, and one seed gives one graph", (spec, n) => {
    const { topology, components } = build(spec, n);
    expect(topology.size).toBe(n);
    expect(components).toBe(1);
    expect(componentsOf(topology).count).toBe(1);
    expect(compress(build(spec, n).topology).targets).toEqual(compress(topology).targets);
  });

  test.each(["regular:3", "er:0.3", "ba:2", "power-law:0.8"])("%s differs between seeds", (spec) => {
    expect(compress(build(spec, 60, 2).topology).targets).not.toEqual(compress(build(spec, 60, 1).topology).targets);
  });

  test("the trials of a campaign share one graph", () => {
    const request = { spec: "regular:4", n: 40, seed: 9, largestComponent: false };
    expect(networkOf({ ...request })).toBe(networkOf(request));
    expect(networkOf({ ...request, seed: 10 })).not.toBe(networkOf(request));
  });
});

describe("regular graphs", () => {
  test.each([
    [3, 10],
    [8, 9],
    [7, 12],
    [2, 31],
    [8, 1000],
    [40, 81],
    [3, 4],
    [1, 2],
  ])("degree %i on %i nodes", (degree, n) => {
    expect(new Set(degrees(build(`regular:${degree}`, n).topology))).toEqual(new Set([degree]));
  });

  test("every labelled cubic graph on 6 nodes comes up equally often", () => {
    // 70 connected labelled cubic graphs: 60 prisms and 10 copies of K(3,3), told apart by triangles. 2000 draws give
    // 285.7 K(3,3) on average, standard deviation 15.6; five of them either way leave a false alarm of 6e-7, and the
    // pairing's own bias at so small an n is within them.
    let bipartite = 0;
    for (let seed = 0; seed < 2000; seed++) {
      const graph = compress(build("regular:3", 6, seed).topology);
      const [a, b, c] = graph.targets.subarray(0, 3);
      const linked = (u: number, v: number) =>
        graph.targets.subarray(graph.offsets[u], graph.offsets[u + 1]).includes(v);
      if (!linked(a, b) && !linked(b, c) && !linked(a, c)) bipartite++;
    }
    expect(Math.abs(bipartite - 2000 / 7)).toBeLessThan(5 * 15.6);
  });
});

test("er: links are independent coins", () => {
  // 400 graphs of 190 pairs at p = 0.3: 22800 links expected, standard deviation 126; five of them: 6e-7.
  let links = 0;
  for (let seed = 0; seed < 400; seed++) links += erdosRenyi(new HostStream(seed, 0, "topology"), 20, 0.3).links / 2;
  expect(Math.abs(links - 22800)).toBeLessThan(5 * 126);
  expect(erdosRenyi(new HostStream(1, 0, "topology"), 20, 1).links).toBe(380);
  expect(erdosRenyi(new HostStream(1, 0, "topology"), 20, 0).links).toBe(0);
});

test("ba: every new node brings its links, and degrees grow by preference", () => {
  const { topology } = build("ba:3", 2000);
  expect(topology.links! / 2).toBe(6 + 3 * 1996);
  expect(Math.min(...degrees(topology))).toBe(3);
  // A uniform attachment would give a largest degree of about 3 + 3 ln 2000 = 26; preference gives about 3 sqrt(2000).
  expect(Math.max(...degrees(topology))).toBeGreaterThan(60);
});

describe("power law", () => {
  test("degrees fall with the rank, with the given exponent and cutoff", () => {
    const exact = rankDegrees(50000, 0.8, 49999);
    for (const rank of [1, 10, 100, 1000, 10000]) {
      expect(exact[rank - 1]).toBe(Math.round((50000 / rank) ** 0.8));
    }
    expect(exact[49998]).toBe(1);
    expect(Math.max(...rankDegrees(50000, 0.8, 100))).toBe(100);
    expect(exact.reduce((a, b) => a + b) % 2).toBe(0);
  });

  test("joining components changes no degree: with a small cutoff all are as drawn", () => {
    const wanted = rankDegrees(2000, 0.8, 30);
    const found = degrees(build("power-law:0.8:30", 2000).topology);
    const off = found.filter((degree, v) => degree !== wanted[v]).length;
    // Half-links without a partner at the end of the pairing are all that may differ.
    expect(off).toBeLessThan(10);
  });
});

describe("what cannot be built is refused in one line", () => {
  test.each([
    ["hypercube", 12, "power of two"],
    ["torus", 7, "factors"],
    ["torus:3y4", null, "two sides"],
    ["torus:4x4", 17, "leave n out"],
    ["regular:3", 7, "n·degree even"],
    ["regular:9", 9, "degree from 2 to n-1"],
    ["regular:1", 4, "degree from 2 to n-1"],
    ["regular:3", 2, "degree from 2 to n-1"],
    ["regular", 10, "needs its number"],
    ["er:1.5", 10, "probability"],
    ["er:x", 10, "needs its number"],
    ["er:0", 10, "not connected: 10 components"],
    ["ba:0", 10, "whole number"],
    ["power-law:-1", 10, "at least 0"],
    ["ring:5", 10, "takes no"],
    ["hypercub", 8, 'did you mean "hypercube"'],
    ["moebius", 8, "unknown topology"],
    ["complete", null, "how many nodes"],
    ["complete", 1, "at least 2"],
    ["file:", null, "needs the path"],
  ])("%s of %s nodes: %s", (spec, n, problem) => {
    expect(() => build(spec, n)).toThrow(problem);
    expect(() => build(spec, n)).toThrow(expect.objectContaining({ name: "InputError" }));
  });

  test("unless the largest component is asked for", () => {
    const { topology, components, wholeSize } = build("er:0.01", 100, 1, true);
    expect(wholeSize).toBe(100);
    expect(components).toBeGreaterThan(1);
    expect(componentsOf(topology).count).toBe(1);
    expect(() => build("er:0", 10, 1, true)).toThrow("no links");
  });
});

test("the probability of er may be a percentage", () => {
  const [share, percentage] = ["er:0.2", "er:20%"].map((spec) =>
    buildNetwork({ spec, n: 40, seed: 3, largestComponent: true }),
  );
  expect(percentage.topology.links).toBe(share.topology.links);
});

test("a star of 3 hosts has 4 nodes, and every port leads back to where it came from", () => {
  const topology = star(3);
  expect(topology.size).toBe(4);
  const links = new Set<number>();
  for (let node = 0; node < topology.size; node++) {
    expect(topology.degree(node)).toBe(node === CENTRE ? 3 : 1);
    for (let port = 0; port < topology.degree(node); port++) {
      const there = topology.neighbour(node, port);
      const back = topology.arrival(node, port);
      expect([topology.neighbour(there, back), topology.arrival(there, back)]).toEqual([node, port]);
      links.add(topology.link(node, port));
    }
  }
  expect(links).toEqual(new Set([0, 1, 2, 3, 4, 5]));
});
