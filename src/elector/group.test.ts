/** Groups in virtual time, as they ship. Milliseconds; the profile is `lan`. */
import { describe, expect, test } from "vitest";
import { runGroup } from "../../test/support/group-run.ts";
import { group } from "./group.ts";

describe("a group", () => {
  test.each([1, 2, 3, 5, 25])("of %i has a leader soon, and all follow it", (n) => {
    const group = runGroup({ n });
    expect(group.settle(5000)).toBeLessThan(2500);
    group.pass(5000);
    expect(group.agreed()).not.toBeNull();
    expect(group.told.filter(({ event }) => event === "conflict")).toEqual([]);
  });

  test("a leader that crashes is followed by another, in a higher term", () => {
    const group = runGroup({ n: 5 });
    group.settle(5000);
    const first = group.agreed()!;
    const { term } = group.office(first)!;
    group.run.inject({ crash: first });
    group.pass(1);
    group.settle(30_000);
    expect(group.agreed()).not.toBe(first);
    expect(group.office(group.agreed()!)!.term).toBeGreaterThan(term);
  });

  test("a leader that resigns is followed by another at once, and says so", () => {
    const group = runGroup({ n: 5 });
    group.settle(5000);
    const first = group.agreed()!;
    group.command(first, { kind: "resign", office: null });
    group.pass(1);
    expect(group.office(first)).toMatchObject({ leader: null, mine: false });
    expect(group.settle(1000)).toBeLessThan(200);
    expect(group.agreed()).not.toBe(first);
    expect(group.told.filter(({ event, node }) => event === "resigned" && node === first)).toHaveLength(1);
  });

  test("a leader that leaves is followed by another within 200 ms", () => {
    const group = runGroup({ n: 5 });
    group.settle(5000);
    group.pass(1000);
    const first = group.agreed()!;
    group.run.inject({ leave: first });
    group.pass(1);
    expect(group.settle(1000)).toBeLessThan(200);
  });

  test("a leader hands over to the member that it names", () => {
    for (const seed of [1, 2, 3]) {
      const group = runGroup({ n: 5, seed });
      group.settle(5000);
      const first = group.agreed()!;
      const heir = (first + 2) % 5;
      group.command(first, { kind: "transfer", office: "leader", to: `m${heir}` });
      group.pass(1);
      group.settle(1000);
      expect(group.agreed()).toBe(heir);
    }
  });
});

test("a group assumes neither order nor multicast", () => {
  expect(group().assumes).toMatchObject({ fifo: false, multicast: false });
});
