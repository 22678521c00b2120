import fc from "fast-check";
import { expect, test } from "vitest";
import { complete } from "./complete.ts";
import { componentsOf, largestComponent } from "./components.ts";
import { compress, EdgeList, graphOf } from "./csr.ts";
import { hypercube, starGraph, torus } from "./lattices.ts";
import { ring } from "./ring.ts";
import type { Topology } from "./topology.ts";

function listOf(pairs: readonly (readonly [number, number])[]): EdgeList {
  const edges = new EdgeList();
  for (const [from, to] of pairs) edges.add(from, to);
  return edges;
}

const pairs = fc.array(fc.tuple(fc.nat(11), fc.nat(11)), { maxLength: 60 });

/** Every port leads somewhere, and the port behind it leads back; links have distinct numbers. */
function expectSoundPorts(topology: Topology): void {
  const links = new Set<number>();
  for (let v = 0; v < topology.size; v++) {
    for (let port = 0; port < topology.degree(v); port++) {
      const u = topology.neighbour(v, port);
      const back = topology.arrival(v, port);
      expect(topology.neighbour(u, back)).toBe(v);
      expect(topology.arrival(u, back)).toBe(port);
      links.add(topology.link(v, port));
    }
  }
  if (topology.links !== null) {
    expect(links.size).toBe(topology.links);
    expect(Math.max(...links)).toBeLessThan(topology.links);
  }
}

test("a graph holds each distinct pair once, both ways, and counts what it dropped", () => {
  fc.assert(
    fc.property(pairs, (list) => {
      const graph = graphOf("test", 12, listOf(list));
      const expected = new Set(list.filter(([a, b]) => a !== b).map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`));
      const found = new Set<string>();
      for (let v = 0; v < 12; v++) {
        const neighbours = [...graph.targets.subarray(graph.offsets[v], graph.offsets[v + 1])];
        expect(neighbours).toEqual([...new Set(neighbours)].sort((a, b) => a - b));
        for (const u of neighbours) found.add(`${Math.min(u, v)}-${Math.max(u, v)}`);
      }
      expect(found).toEqual(expected);
      expect(graph.links).toBe(2 * expected.size);
      expect(graph.dropped.loops).toBe(list.filter(([a, b]) => a === b).length);
      expect(graph.dropped.duplicates).toBe(list.length - graph.dropped.loops - expected.size);
      expectSoundPorts(graph);
    }),
    { seed: 1 },
  );
});

test("components partition the nodes, and the largest is a connected graph of its own", () => {
  fc.assert(
    fc.property(pairs, (list) => {
      const graph = graphOf("test", 12, listOf(list));
      const { count, of, sizes } = componentsOf(graph);
      expect(sizes.reduce((a, b) => a + b)).toBe(12);
      expect(new Set(of).size).toBe(count);
      for (const [a, b] of list) expect(of[a]).toBe(of[b]);
      const largest = largestComponent(graph);
      expect(largest.size).toBe(Math.max(...sizes));
      expect(componentsOf(largest).count).toBe(1);
      expectSoundPorts(largest);
    }),
    { seed: 2 },
  );
});

test("implicit topologies have sound ports too, and compress to the same graph", () => {
  for (const topology of [complete(7), ring(9), hypercube(16), starGraph(6), torus(3, 5), torus(2, 4), torus(2, 2)]) {
    expectSoundPorts(topology);
    const graph = compress(topology);
    expectSoundPorts(graph);
    for (let v = 0; v < topology.size; v++) {
      const ports = Array.from({ length: topology.degree(v) }, (_, port) => topology.neighbour(v, port));
      expect([...graph.targets.subarray(graph.offsets[v], graph.offsets[v + 1])]).toEqual(ports.sort((a, b) => a - b));
    }
  }
});
