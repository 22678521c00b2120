/** Priority, zone and weight in whole groups, whatever protocol they elect with. */
import { describe, expect, test } from "vitest";
import { runGroup } from "../../test/support/group-run.ts";
import "../registry/all.ts";
import type { GroupParams } from "./params.ts";

/** Who leads of five once all is calm, where member 3 has these attributes and the others none. */
function leaderWith(attributes: object, params: Partial<GroupParams>): number | null {
  const usual = { priority: 0, weight: 1, zone: "" };
  const group = runGroup({ n: 5, params: { attributesOf: { 3: { ...usual, ...attributes } }, ...params } });
  group.settle(20_000);
  return group.agreed();
}

describe.each(["auto", "filter-relay", "known-highest", "chang-roberts", "tournament-async"])("%s", (protocol) => {
  test("the highest priority leads, or the preferred zone", () => {
    expect(leaderWith({ priority: 1 }, { protocol })).toBe(3);
    expect(leaderWith({ zone: "here" }, { protocol, preferredZone: "here" })).toBe(3);
  });

  test("who has weight 0 does not, as long as others are there", () => {
    expect(leaderWith({ weight: 0, priority: 5 }, { protocol })).not.toBe(3);
  });
});

test.each(["auto", "filter-relay", "known-highest"])("%s: offices spread over the members", (protocol) => {
  const offices = Array.from({ length: 20 }, (_, i) => `shard-${i}`);
  const group = runGroup({ n: 5, params: { protocol, offices } });
  for (const office of offices) group.settle(20_000, office);
  expect(new Set(offices.map((office) => group.agreed(office))).size).toBeGreaterThanOrEqual(4);
});
