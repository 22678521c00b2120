/** Planted bugs of strict mode: the simulation must catch every one of them, each within the runs that it names. */
import { describe, expect, test } from "vitest";
import { STRICT_BUGS } from "./bugs/strict/all.ts";
import type { StrictBug } from "./bugs/strict/bug.ts";
import { tokensRepeat } from "./bugs/strict/guards.ts";
import { STRICT_RULES } from "./rules/strict.ts";
import { scenarioOf } from "./scenario.ts";
import { simulateStrict } from "./strict/simulate.ts";

/** What the first run that goes wrong breaks; null where none does. */
function brokenBy({ mix, wanted = {}, runs, rules = STRICT_RULES, plant }: StrictBug): string | null {
  for (let seed = 1; seed <= runs; seed++) {
    const { breach } = simulateStrict(scenarioOf(seed, mix, { lease: {}, ...wanted }), plant, rules);
    if (breach !== null) return breach.property;
  }
  return null;
}

describe("a bug planted into strict mode is caught", () => {
  test.each(STRICT_BUGS)("$name: $mistake (at most $runs runs)", (bug) => {
    expect(bug.breaks).toContain(brokenBy(bug));
  });
});

test("a guard lets no rival in where an engine gives a token twice", () => {
  expect(brokenBy(tokensRepeat)).toBeNull();
});
