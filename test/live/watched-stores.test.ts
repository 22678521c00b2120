/** Members as they ship, in virtual time, on a store without a clock: how long a fail-over takes, and who is told of renewals. */
import { expect, test } from "vitest";
import { watchTime } from "../../src/live/engines/watched.ts";
import { isSessionOf } from "../../src/protocols/lease/parent.ts";
import { MemoryRows } from "../engines/memory-rows.ts";
import { effort } from "../support/effort.ts";
import { holderOf, StrictScene, TTL } from "../support/strict-members.ts";

const NAMES = ["a", "b", "c"];

/** Milliseconds from the crash of the holder until another member leads. `deaf`: nobody learns what the holder says of its session. */
async function failOver(seed: number, deaf: boolean): Promise<number> {
  const scene = new StrictScene(seed);
  const rows = new MemoryRows();
  const members = NAMES.map((name) => scene.start(name, { rows, deaf }));
  expect(await scene.until(() => holderOf(members) !== undefined, 10_000)).toBe(true);
  await scene.run(3000 + 97 * (seed % 7));
  const holder = holderOf(members)!;
  holder.machine.crash();
  const others = members.filter((member) => member !== holder);
  const since = scene.network.now;
  expect(await scene.until(() => holderOf(others) !== undefined, 10_000)).toBe(true);
  return scene.network.now - since;
}

test("watching begins before the election: a fail-over takes no longer than a lease lasts", async () => {
  for (let seed = 1; seed <= effort(4, 60); seed++) {
    // The words are on their way for some milliseconds, and a member that waits asks up to a fortieth of a TTL late.
    expect(await failOver(seed, false)).toBeLessThan(watchTime(TTL) + 100);
    expect(await failOver(seed, true)).toBeGreaterThan(watchTime(TTL) + 200);
  }
});

test("a member believes words about a session only from the life that opened it", () => {
  expect(isSessionOf("a1.1.b.c", "b.c", Number.parseInt("a1", 36))).toBe(true);
  expect(isSessionOf("a1.1.b", "b", Number.parseInt("a2", 36))).toBe(false);
  expect(isSessionOf("a1.1.b", "c", Number.parseInt("a1", 36))).toBe(false);
});
