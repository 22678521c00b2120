/** The watch alone (see test/support/watched.ts): who is declared dead, when, and at what price. Times in milliseconds. */
import { describe, expect, test } from "vitest";
import { watched } from "../../../test/support/watched.ts";
import { watchersOf } from "./watch.ts";

describe("a holder that crashes", () => {
  test.each([3, 5, 6, 25, 200])("is declared dead within 700 ms by two watchers, in a group of %i", (n) => {
    const { verdicts } = watched({ n, until: 12_000, faults: { crashes: [{ node: 0, at: 10_000 }] } });
    expect(new Set(verdicts.map(({ name }) => name))).toEqual(new Set(["m0"]));
    expect(verdicts.length).toBeGreaterThanOrEqual(2);
    expect(verdicts[0].at - 10_000).toBeLessThan(700);
  });
});

test("a council of at most five is seated within a second of the win, whatever n is", () => {
  for (const n of [2, 3, 6, 25, 200]) {
    const { states } = watched({ n, until: 1500 });
    const seated = watchersOf(states[0]!.watch).length;
    expect(seated).toBeGreaterThanOrEqual(Math.min(3, n - 1));
    expect(seated).toBeLessThanOrEqual(5);
  }
});
