/** The rule about healthy members that are declared failed: a declaration counts once, when it is made. */
import { expect, test } from "vitest";
import type { Glimpse, Peer } from "../glimpse.ts";
import { scenarioOf } from "../scenario.ts";
import { Truth } from "../truth.ts";
import { theHealthyLive } from "./views.ts";

test("that a healthy member is declared failed is wrong; what was declared while it was not well is no new declaration", () => {
  const truth = new Truth(scenarioOf(1, "calm", { members: 2 }));
  const rule = theHealthyLive(truth);
  for (const node of [0, 1]) truth.starts(node, node + 1);
  const declares = (failed: readonly Peer[], before: Glimpse | null): [Glimpse, string | null] => {
    const now = { version: 0, life: 2, joined: true, refused: null, view: [], offices: {}, failed };
    return [now, rule.changed!(1, before, now)];
  };
  const early = { name: "m0", life: 1 };
  const [known, first] = declares([early], null);
  expect(first).toBeNull();
  truth.now = 10_000;
  truth.basis = 10_000;
  expect(declares([early], known)[1]).toBeNull();
  expect(declares([early, { ...early }], known)[1]).toContain("m1 declares m0 failed");
});

test("who stood still may tell of a verdict that it reached before; who has run since then may not", () => {
  const calm = scenarioOf(1, "calm", { members: 3 });
  const pauses = [
    { node: 2, from: 2000, to: 9000 },
    { node: 2, from: 1000, to: 4000 },
  ];
  const truth = new Truth({ ...calm, plan: { ...calm.plan, faults: { ...calm.plan.faults, pauses } } });
  const rule = theHealthyLive(truth);
  for (const node of [0, 1, 2]) truth.starts(node, node + 1);
  const m0 = { name: "m0", life: 1 };
  const thinks = (node: number, view: readonly Peer[], failed: readonly Peer[] = []): Glimpse => ({
    version: 0,
    life: node + 1,
    joined: true,
    refused: null,
    view,
    offices: {},
    failed,
  });
  const declares = (at: number): string | null => {
    truth.now = at;
    truth.basis = at;
    return rule.changed!(1, null, thinks(1, [], [m0]));
  };
  expect(truth.ranSince(2, 0)).toBe(0);
  truth.now = 10_000;
  expect(truth.ranSince(2, 0)).toBe(2000);
  truth.seen[2] = thinks(2, [m0]);
  expect(declares(10_000)).toContain("m1 declares m0 failed");
  truth.seen[2] = thinks(2, []);
  expect(declares(10_000)).toBeNull();
  expect(declares(20_000)).toContain("m1 declares m0 failed");
});
