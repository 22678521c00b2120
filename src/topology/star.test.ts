import { expect, test } from "vitest";
import { CENTRE, star } from "./lattices.ts";

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
