import { expect, test } from "vitest";
import { HostStream } from "../random/streams.ts";
import { complete } from "../topology/complete.ts";
import { ring } from "../topology/ring.ts";
import { CongestCheck, congestLimit } from "./congest.ts";
import { drawWakes } from "./population.ts";

test("CONGEST: a second message on a link in one round, or a long one, is an error", () => {
  for (const topology of [ring(5), complete(5)]) {
    const check = new CongestCheck(topology);
    check.sent(0, 0, 0, 10);
    check.sent(0, 1, 0, 10);
    check.sent(1, 0, 0, 10);
    expect(() => check.sent(0, 1, 0, 10)).toThrow("node 0 sends twice through port 1 in round 0");
    check.sent(0, 1, 1, 10);
    check.sent(0, -1, 1, 10);
    check.sent(0, -1, 1, 10);
    expect(() => check.sent(2, 0, 1, congestLimit(5) + 1)).toThrow("bits");
  }
});

test("the adversary's schedules", () => {
  const source = () => new HostStream(1, 0, "wakes");
  const uniform = drawWakes({ kind: "uniform", rounds: 3 }, Array(300).keys(), 300, source());
  const rounds = Array.from({ length: 300 }, (_, node) => uniform(node));
  expect(new Set(rounds)).toEqual(new Set([1, 2, 3]));
  const one = drawWakes({ kind: "one-then-rest", rounds: 9 }, null, 300, source());
  expect(Array.from({ length: 300 }, (_, node) => one(node)).filter((round) => round === 1).length).toBe(1);
});
