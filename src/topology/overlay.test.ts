import { expect, test } from "vitest";
import { HostStream } from "../random/streams.ts";
import { factsOf } from "./facts.ts";
import { overlay } from "./overlay.ts";
import { buildNetwork } from "./spec.ts";

const build = (spec: string, n: number) => buildNetwork({ spec, n, seed: 2, largestComponent: true }).topology;
const drawsOf = (trial: number) => {
  const source = new HostStream(1, trial, "topology");
  return (n: number) => source.choose(n);
};

test.each(["star", "ba:2", "hypercube", "regular:3", "power-law:0.8"])(
  "walks on %s find every process equally often",
  (spec) => {
    // Chi-square of 6400 walks over 32 nodes from one start. The walks are four mixing times long, so that what is left of
    // the start is below 0.1%; 31 degrees of freedom pass 80 with probability 3e-6.
    const network = build(spec, 32);
    const facts = factsOf(network);
    const above = overlay(network, facts.uniformWalk(), 4 * facts.uniformMixing()!);
    const choose = drawsOf(0);
    const counts = new Float64Array(32);
    for (let i = 0; i < 6400; i++) {
      const [port] = above.sample!(5, 1, true, choose);
      counts[port === 31 ? 5 : above.neighbour(5, port)]++;
    }
    expect(counts.reduce((sum, count) => sum + (count - 200) ** 2 / 200, 0)).toBeLessThan(80);
  },
);

test("samples are distinct others, and hops are the links walked", () => {
  const network = build("torus", 36);
  const above = overlay(network, "lazy", 20);
  const ports = above.sample!(7, 10, false, drawsOf(1));
  expect(new Set(ports).size).toBe(10);
  for (const port of ports) expect(port).toBeLessThan(35);
  const there = ports.map((port) => above.hops!(7, above.neighbour(7, port)));
  const back = ports.map((port) => above.hops!(above.neighbour(7, port), 7));
  // The first message also pays for walks that ended at a process already chosen.
  expect(there.slice(1)).toEqual(back.slice(1));
  for (const hops of back) expect(hops).toBeLessThanOrEqual(20);
  expect(above.hops!(7, 7)).toBe(0);
});

test("who wants more than its walks find gives up after a thousand in vain, and pays for them", () => {
  const above = overlay(build("ring", 5), "simple", 1);
  const ports = above.sample!(0, 2, false, () => 0);
  expect(ports.length).toBe(1);
  expect(above.hops!(0, above.neighbour(0, ports[0]))).toBe(1000 + 1);
});

test("a node that no walk has found is reached by a shortest path", () => {
  const above = overlay(build("ring", 11), "simple", 5);
  expect([1, 4, 5, 6, 10].map((node) => above.hops!(0, node))).toEqual([1, 4, 5, 5, 1]);
});
