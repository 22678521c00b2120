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
