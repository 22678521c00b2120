/** Elections by every protocol of the catalogue that elects among equals: a first term, a crash of its holder, and a second. */
import { describe, expect, test } from "vitest";
import { runGroup } from "../../../test/support/group-run.ts";
import { catalogue } from "../../protocols/catalogue.ts";
import "../../registry/all.ts";

/** Rumours are no election. */
const elects = catalogue.filter(
  ({ name, assumes }) => ["complete", "ring", "connected"].includes(assumes.topology) && !name.includes("multicast"),
);

describe("a group of five elects by", () => {
  test.each(elects.map(({ name }) => name))("%s", (protocol) => {
    const group = runGroup({ n: 5, params: { protocol } });
    group.settle(10_000);
    const first = group.agreed()!;
    group.pass(2000);
    group.run.inject({ crash: first });
    group.pass(1);
    group.settle(30_000);
    expect(group.agreed()).not.toBe(first);
    expect(group.told.filter(({ event }) => event === "conflict")).toEqual([]);
  });
});
