/**
 * Groups in strict mode in virtual time: members as they ship, an engine, and a resource behind a guard that every holder
 * writes to, under faults drawn from a seed, held against every rule at every event.
 */
import { describe, expect, test } from "vitest";
import { effort } from "../support/effort.ts";
import { replayCommand } from "./command.ts";
import { STRICT_MIXES, type StrictMixName } from "./mixes.ts";
import { scenarioOf, type Wanted } from "./scenario.ts";
import { simulateStrict } from "./strict/simulate.ts";

/** The first of these seeds in which something goes wrong, and the command that runs it again. */
function firstFailure(seeds: number, mix: StrictMixName, given: Wanted = {}): string | null {
  const wanted = { members: 5, lease: {}, ...given };
  for (let seed = 1; seed <= seeds; seed++) {
    const { breach } = simulateStrict(scenarioOf(seed, mix, wanted));
    if (breach !== null) return `${breach.property}: ${breach.what} (${replayCommand(seed, mix, wanted)})`;
  }
  return null;
}

test("five members and an engine keep every promise under all kinds of faults", () => {
  expect(firstFailure(effort(60, 3000), "all")).toBeNull();
});

const mixes = Object.keys(STRICT_MIXES).filter((mix) => mix !== "all") as StrictMixName[];

test.each(mixes)("and under the mix %s", (mix) => {
  expect(firstFailure(effort(5, 300), mix)).toBeNull();
});

describe("groups of other sizes", () => {
  test.each([1, 2, 3, 9])("%i members keep every promise", (members) => {
    expect(firstFailure(effort(5, 300), "all", { members })).toBeNull();
  });

  test("8 offices under one session for each holder", () => {
    const offices = ["leader", ...Array.from({ length: 7 }, (_, i) => `shard-${i + 1}`)];
    expect(firstFailure(effort(5, 100), "all", { offices })).toBeNull();
  });
});
