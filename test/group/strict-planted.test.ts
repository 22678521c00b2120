/** Planted bugs of strict mode: the simulation must catch every one of them, each within the runs that it names. */
import { describe, expect, test } from "vitest";
import { effort } from "../support/effort.ts";
import { STRICT_BUGS } from "./bugs/strict/all.ts";
import type { StrictBug } from "./bugs/strict/bug.ts";
import { tokensRepeat } from "./bugs/strict/guards.ts";
import { rightTakeOver } from "./bugs/strict/read-only-take-over.ts";
import { STRICT_RULES } from "./rules/strict.ts";
import { scenarioOf } from "./scenario.ts";
import { simulateStrict } from "./strict/simulate.ts";

/** The faults that bugs name are over by then. */
const HEALED = 30_000;

/** What the first run that goes wrong breaks; null where none does. */
function brokenBy({ mix, wanted = {}, runs, rules = STRICT_RULES, plant }: StrictBug): string | null {
  for (let seed = 1; seed <= runs; seed++) {
    const scenario = scenarioOf(seed, mix, { lease: {}, healed: HEALED, ...wanted });
    const { breach } = simulateStrict(scenario, plant, rules);
    if (breach !== null) return breach.property;
  }
  return null;
}

describe("a bug planted into strict mode is caught", () => {
  test.each(STRICT_BUGS)("$name: $mistake (at most $runs runs)", (bug) => {
    expect(bug.breaks).toContain(brokenBy(bug));
  });
});

describe("without it all is well under the same faults", () => {
  test.each(STRICT_BUGS)("$name", ({ rules: _, ...bug }) => {
    expect(brokenBy({ ...bug, runs: effort(1, 50), plant: (parts) => parts })).toBeNull();
  });

  test.each([tokensRepeat, rightTakeOver])("$name: $mistake", (right) => {
    expect(brokenBy(right)).toBeNull();
  });
});
