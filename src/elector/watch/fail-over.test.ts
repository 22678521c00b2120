/**
 * From the crash of a leader until every survivor knows the next one: the group's machine as it ships, in virtual time, profile
 * lan. The targets are 1 s for half of all crashes and 2 s for 19 of 20.
 */
import { expect, test } from "vitest";
import { effort } from "../../../test/support/effort.ts";
import { runGroup } from "../../../test/support/group-run.ts";
import type { GroupState } from "../state.ts";
import { watchersOf } from "./watch.ts";

const cases: readonly (readonly [n: number, runs: number])[] = [
  [5, effort(6, 100)],
  [25, effort(2, 40)],
  ...(effort(0, 1) === 1 ? ([[200, 5]] as const) : []),
];

test.each(cases)("in a group of %i it takes 400 to 700 ms, and nobody else is harmed", (n, runs) => {
  for (let seed = 1; seed <= runs; seed++) {
    const group = runGroup({ n, seed });
    group.settle(8000);
    group.pass(2000 + 37 * seed);
    const leader = group.agreed()!;
    const { watch } = group.run.state(leader) as GroupState;
    expect(watchersOf(watch).length).toBeGreaterThanOrEqual(Math.min(n - 1, 3));
    const before = group.told.length;
    group.run.inject({ crash: leader });
    group.pass(1);
    const took = group.settle(5000);
    expect(took).toBeGreaterThan(340);
    expect(took).toBeLessThan(700);
    const failed = group.told.slice(before).filter(({ event }) => event === "failed" || event === "conflict");
    expect(new Set(failed.map(({ member }) => member))).toEqual(new Set([`m${leader}`]));
  }
});
