/**
 * Whole groups in virtual time: membership, watch and elector as they ship, under faults drawn from a seed, held against every
 * rule at every event. `npm run soak` does the same for as long as one likes (docs/testing-groups.md).
 */
import { describe, expect, test } from "vitest";
import { effort } from "../support/effort.ts";
import { replayCommand } from "./command.ts";
import { MIXES, type MixName } from "./mixes.ts";
import { scenarioOf, type Wanted } from "./scenario.ts";
import { simulate } from "./simulate.ts";

/** The first of so many seeds in which something goes wrong, and the command that runs it again. */
function firstFailure(seeds: number, mix: MixName, given: Wanted = {}, first = 1): string | null {
  const wanted = { members: 5, ...given };
  for (let seed = first; seed < first + seeds; seed++) {
    const { breach } = simulate(scenarioOf(seed, mix, wanted));
    if (breach !== null) return `${breach.property}: ${breach.what} (${replayCommand(seed, mix, wanted)})`;
  }
  return null;
}

describe("five members, a minute, all kinds of faults for half of it", () => {
  const SEEDS = effort(8, 250);
  test.each([0, 1, 2, 3].map((part) => 1 + part * SEEDS))("keep every promise, seeds from %i on", (first) => {
    expect(firstFailure(SEEDS, "all", {}, first)).toBeNull();
  });
});

const mixes = Object.keys(MIXES).filter((mix) => mix !== "all") as MixName[];

describe("five members under each mix of faults", () => {
  test.each(mixes)("%s", (mix) => {
    expect(firstFailure(effort(4, 100), mix)).toBeNull();
  });
});

describe("groups of other sizes", () => {
  test.each([1, 2, 3, 9])("%i members keep every promise", (members) => {
    expect(firstFailure(effort(5, 100), "all", { members })).toBeNull();
  });

  test.each(["available", "majority"] as const)("12 offices, policy %s", (policy) => {
    const offices = ["leader", ...Array.from({ length: 11 }, (_, i) => `shard-${i + 1}`)];
    expect(firstFailure(effort(2, 100), "all", { offices, policy })).toBeNull();
  });

  test("a minority that is cut off for long gives its leaders up", () => {
    expect(firstFailure(effort(3, 100), "partitions", { policy: "majority", until: 200_000 })).toBeNull();
  });
});
