import { expect, test } from "vitest";
import { trials } from "../../../test/support/groups.ts";
import { resolve } from "../../simulation/settings.ts";
import { better, byAttribute, choiceNamed, choiceNames, defineChoice, simulatedAttributes, ZONES } from "./choice.ts";

test("every choice is a total order: of two members exactly one is better", () => {
  for (const name of choiceNames()) {
    const choice = choiceNamed(name);
    for (let a = 1; a <= 40; a++) {
      expect(better(choice, a, a)).toBe(false);
      for (let b = 1; b < a; b++) expect(better(choice, a, b)).not.toBe(better(choice, b, a));
    }
  }
});

test("attributes lie in their ranges, and every zone occurs", () => {
  const members = Array.from({ length: 1000 }, (_, id) => simulatedAttributes(id));
  for (const { load, weight } of members)
    for (const value of [load, weight]) expect(value >= 0 && value < 1).toBe(true);
  expect(new Set(members.map(({ zone }) => zone)).size).toBe(ZONES);
});

const elected = (choice: string) => trials({ protocol: "filter-relay", n: 60, params: { choice } }, 1)[0].leader!;

test("with complete views and no faults the best of all members is elected", () => {
  for (const name of choiceNames()) {
    const choice = choiceNamed(name);
    const ranked = Array.from({ length: 60 }, (_, i) => i + 1).sort((a, b) => choice.rank(a) - choice.rank(b) || a - b);
    expect([name, elected(name)]).toEqual([name, ranked[0]]);
  }
});

test("a user can give a choice function, over any attributes", () => {
  const load = new Map([[42, 0.1]]);
  const attributes = (id: number) => ({ ...simulatedAttributes(id), load: load.get(id) ?? 0.9 });
  defineChoice(
    "measured-load",
    byAttribute("as measured", (member) => member.load, attributes),
  );
  defineChoice("nearest-to-20", { about: "near 20", rank: (id) => Math.abs(id - 20) });
  expect(elected("measured-load")).toBe(42);
  expect(elected("nearest-to-20")).toBe(20);
  expect(() => resolve({ protocol: "filter-relay", n: 9, params: { choice: "alphabet" } })).toThrow(/nearest-to-20/);
});
