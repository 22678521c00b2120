/** Offices that are kept between L and U members, in groups as they ship; virtual milliseconds. */
import { describe, expect, test } from "vitest";
import { runGroup } from "../../test/support/group-run.ts";
import { rangesOf, readOffice } from "./params.ts";

const OFFICE = "audit";
type Run = ReturnType<typeof runGroup>;

/** Goes on until all live members name the same council of so many, and those in it know it. */
function council(group: Run, least: number, most: number, limit = 20_000): readonly string[] {
  const agreed = () => {
    const live = group.alive();
    const reports = live.map((node) => group.office(node, OFFICE));
    const names = [...(reports[0]?.council ?? [])].sort();
    const members = live.filter((_, i) => reports[i]?.seat).map((node) => `m${node}`);
    const isKnown = reports.every((report) => [...(report?.council ?? [])].sort().join() === names.join());
    const isFull = names.length >= least && names.length <= most && names.join() === members.sort().join();
    return isKnown && isFull ? names : null;
  };
  group.until(() => agreed() !== null, group.run.time + limit);
  return agreed() ?? [];
}

describe("an office that is kept between 3 and 5 members", () => {
  const start = (n: number, seed = 1) => {
    const group = runGroup({ n, seed, until: 120_000, params: { offices: [`${OFFICE}:3..5`] } });
    group.settle(8000, OFFICE);
    return { group, first: council(group, Math.min(n, 3), 5) };
  };

  test.each([1, 2, 3, 6, 20])("has them in a group of %i, the holder among them, and everybody knows them", (n) => {
    const { group, first } = start(n);
    expect(first.length).toBeGreaterThanOrEqual(Math.min(n, 3));
    expect(first).toContain(`m${group.agreed(OFFICE)}`);
    const seated = group.told.filter(({ event }) => event === "seated").map(({ node }) => `m${node}`);
    expect(seated).toEqual(expect.arrayContaining([...first]));
  });

  test("keeps them when its holder crashes, and finds others when members do", () => {
    const { group, first } = start(20);
    const holder = group.agreed(OFFICE)!;
    group.run.inject({ crash: holder });
    group.pass(1);
    group.settle(10_000, OFFICE);
    group.pass(15_000);
    const second = council(group, 3, 5);
    // The new holder may have been none of them: then one too many may have to go.
    const stayed = second.filter((name) => first.includes(name));
    expect(stayed.length).toBeGreaterThanOrEqual(first.length - 2);
    const unseated = group.told.filter(({ event, node }) => event === "unseated" && stayed.includes(`m${node}`));
    expect(unseated).toEqual([]);
    const victims = second.map((name) => Number(name.slice(1))).filter((node) => node !== group.agreed(OFFICE));
    for (const node of victims.slice(0, 2)) group.run.inject({ crash: node });
    group.pass(20_000);
    const third = council(group, 3, 5);
    expect(third.length).toBeGreaterThanOrEqual(3);
    for (const node of victims.slice(0, 2)) expect(third).not.toContain(`m${node}`);
  });

  test("loses those who do not want to stand, and who leave", () => {
    const { group, first } = start(20);
    const [one, two] = first.map((name) => Number(name.slice(1))).filter((node) => node !== group.agreed(OFFICE));
    group.command(one, { kind: "eligible", eligible: false });
    group.run.inject({ leave: two });
    group.pass(10_000);
    const now = council(group, 3, 5);
    expect(now.length).toBeGreaterThanOrEqual(3);
    expect(now).not.toContain(`m${one}`);
    expect(now).not.toContain(`m${two}`);
    const gone = group.told.filter(({ event, node }) => event === "unseated" && node === one);
    expect(gone).toHaveLength(1);
  });
});

test("ranges are read, and refused in words", () => {
  expect(readOffice("audit:3..5")).toEqual({ name: "audit", seats: 1, range: { L: 3, U: 5 } });
  expect(readOffice("shards:3")).toEqual({ name: "shards", seats: 3, range: null });
  expect([...rangesOf(["leader", "a:1..2", "b:7"]).keys()]).toEqual(["a"]);
  expect(() => readOffice("audit:5..3")).toThrow('"audit:5..3" should have 5 to 3 members');
  expect(() => readOffice("audit:3..")).toThrow("is no office");
});
