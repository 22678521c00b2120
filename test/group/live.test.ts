/** The same promises through the live host: sealed datagrams, proofs of addresses, saved state; in virtual time. */
import { describe, expect, test } from "vitest";
import { effort } from "../support/effort.ts";
import { lateDeadline } from "./bugs/strict/late-deadline.ts";
import { simulateLive } from "./live.ts";
import type { MixName, StrictMixName } from "./mixes.ts";
import { STRICT_RULES } from "./rules/strict.ts";
import { scenarioOf, type Wanted } from "./scenario.ts";
import { PARTS } from "./strict/stack.ts";

function firstFailure(seeds: readonly number[], mix: MixName | StrictMixName, wanted: Wanted = {}): string | null {
  for (const seed of seeds) {
    const { breach } = simulateLive(scenarioOf(seed, mix, { members: 5, discord: false, ...wanted }));
    if (breach !== null) return `seed ${seed}, mix ${mix}: ${breach.property}: ${breach.what}`;
  }
  return null;
}

const upTo = (last: number) => Array.from({ length: last }, (_, i) => i + 1);

describe("groups on the live host, five members and a minute", () => {
  test("keep every promise under all kinds of faults", () => {
    expect(firstFailure(upTo(effort(2, 80)), "all")).toBeNull();
  });

  test.each<MixName>(["restarts", "pauses", "churn"])("%s", (mix) => {
    expect(firstFailure(upTo(effort(1, 30)), mix)).toBeNull();
  });

  // In 21 two members spent all they could send each other before their addresses were proven, and waited for ever.
  test("partitions one way and then the other do not part two members for ever", () => {
    expect(firstFailure([21, ...upTo(effort(1, 30))], "partitions")).toBeNull();
  });
});

describe("groups in strict mode on the live host, with an engine and a guarded resource", () => {
  test("keep every promise under all kinds of faults", () => {
    expect(firstFailure(upTo(effort(2, 80)), "all", { lease: {} })).toBeNull();
  });

  // Some of the pauses are of whole machines, whose monotonic clocks sleep with them.
  test.each<StrictMixName>(["pauses", "answers", "restored"])("%s", (mix) => {
    expect(firstFailure(upTo(effort(1, 30)), mix, { lease: {} })).toBeNull();
  });

  test("a deadline that counts from the answer is caught there, too", () => {
    const { wanted, mix, plant } = lateDeadline;
    const { group } = plant(PARTS, () => 0);
    const scenario = scenarioOf(1, mix, { ...wanted, healed: 30_000 });
    expect(simulateLive(scenario, STRICT_RULES, group).breach?.property).toBe("ends-in-time");
    expect(simulateLive(scenario).breach).toBeNull();
  });
});
