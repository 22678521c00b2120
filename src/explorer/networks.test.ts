import { describe, expect, test } from "vitest";
import { effort } from "../../test/support/effort.ts";
import { catalogue } from "../protocols/catalogue.ts";
import { explore } from "./explore.ts";
import { countCases } from "./search/cases.ts";

describe("stars", () => {
  const councils = catalogue.filter(({ assumes }) => assumes.topology === "star").map(({ name }) => name);
  const hosts = effort(3, 5);

  // A council of up to all hosts: every host that is asked is in.
  test.each(councils)("%s: as many as wanted, in every schedule and draw", (name) => {
    const found = explore(name, { n: hosts, choices: 2 });
    expect(found).toMatchObject({ verdict: "holds", violation: null });
    expect(found.properties).toEqual(["not-too-many", "not-too-few", "termination"]);
  });

  test("what a council may get wrong is found: masks stop at the first reply, however many there are", () => {
    const { violation } = explore("council-masks", { n: 3, choices: 2, params: { L: 1, U: 2 } });
    expect(violation?.what).toBe("too many are elected in the end: 3");
    expect(violation?.problem.topology.size).toBe(4);
  });
});

describe("any small graph", () => {
  test.each(["ring", "star", "torus:2x2", "complete"])("%s of 4", (topology) => {
    const { tried, casesInAll } = explore("random-walks", { n: 4, topology, choices: 1, maxStates: 2000 });
    expect(tried.map(({ what }) => what)).toContain(`the network ${topology}`);
    expect(casesInAll).toBe(1);
  });
});

test("cases are counted without being made", () => {
  const { casesInAll, cases } = explore("chang-roberts", { n: 13, maxStates: 100, initiators: "any" });
  expect(casesInAll).toBe(479001600 * (2 ** 13 - 1));
  expect(cases.length).toBeLessThan(9);
  const asked = { n: 6, ids: "all", initiators: "any" } as never;
  expect(countCases(catalogue[0], {}, asked, true)).toBe(120 * 63);
});

test("many small cases are large together: every arrangement of seven ids", () => {
  const all = explore("peterson", { n: effort(6, 8) });
  expect(all).toMatchObject({ complete: true, violation: null, reduced: process.env.LONG === "1" });
});
