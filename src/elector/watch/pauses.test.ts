/** Processes that pause and continue: a paused process has not waited, and a holder that was paused for long learns of it. */
import { describe, expect, test } from "vitest";
import { effort } from "../../../test/support/effort.ts";
import { watched } from "../../../test/support/watched.ts";
import { letHandlersWrite } from "../../../test/support/writing-handlers.ts";
import { watchersOf } from "./watch.ts";

letHandlersWrite();

const watchers = [1, 2, 3, 4, 5];
const pausesOf = (nodes: readonly number[], from: number, to: number) => nodes.map((node) => ({ node, from, to }));

describe("watchers that are paused report nobody", () => {
  test.each([150, 300, 600, 1000, 5000, 30_000])("all of them at once, for %i ms", (length) => {
    for (let seed = 1; seed <= effort(5, 100); seed++) {
      const from = 10_000 + 11 * seed;
      const faults = { pauses: pausesOf(watchers, from, from + length) };
      expect(watched({ n: 6, seed, until: from + length + 3000, faults }).verdicts).toEqual([]);
    }
  });

  test("one after the other, again and again, with loss", () => {
    const pauses = Array.from({ length: 200 }, (_, i) => {
      const from = 5000 + 310 * i;
      return { node: 1 + (i % 5), from, to: from + 200 + 7 * (i % 90) };
    });
    expect(watched({ n: 6, until: 70_000, faults: { pauses, loss: 0.03 } }).verdicts).toEqual([]);
  });

  // On a machine overdue timers can run before sockets are read, and what waited there may be lost.
  test("also where nothing of what waited is heard for some time after they go on", () => {
    for (let seed = 1; seed <= effort(10, 100); seed++) {
      const from = 10_000 + 31 * seed;
      const faults = {
        pauses: pausesOf(watchers, from, from + 2000),
        partitions: [{ groups: [[0]], from, to: from + 2200 }],
      };
      expect(watched({ n: 6, seed, until: from + 5000, faults }).verdicts).toEqual([]);
    }
  });

  test("a pause begins the window anew, also where the holder has died meanwhile", () => {
    const faults = { pauses: pausesOf(watchers, 10_000, 12_000), crashes: [{ node: 0, at: 10_100 }] };
    const [first] = watched({ n: 6, until: 14_000, faults }).verdicts;
    expect(first.at).toBeGreaterThan(12_600);
    expect(first.at).toBeLessThan(12_800);
  });

  test("a paused watcher does not keep the others from their verdict", () => {
    for (const paused of [[1], [1, 2], [1, 2, 3]]) {
      const faults = { pauses: pausesOf(paused, 9000, 15_000), crashes: [{ node: 0, at: 10_000 }] };
      const { verdicts } = watched({ n: 6, until: 14_000, faults });
      expect(verdicts[0].at - 10_000).toBeLessThan(700);
      expect(verdicts.every(({ by }) => !paused.includes(Number(by.slice(1))))).toBe(true);
    }
  });
});

describe("a holder that is paused", () => {
  test("for less than its grace is not declared dead", () => {
    for (let seed = 1; seed <= effort(20, 200); seed++) {
      const from = 10_000 + 17 * seed;
      const faults = { pauses: pausesOf([0], from, from + 300) };
      expect(watched({ n: 6, seed, until: from + 3000, faults }).verdicts).toEqual([]);
    }
  });

  test("for longer is; when it goes on, those who had declared it dead notice, and it has watchers again", () => {
    const { verdicts, states } = watched({ n: 6, until: 16_000, faults: { pauses: pausesOf([0], 10_000, 13_000) } });
    const declared = verdicts.filter(({ what }) => what === "declared");
    const returned = verdicts.filter(({ what }) => what === "returned");
    expect(declared.length).toBeGreaterThanOrEqual(2);
    for (const { at } of declared) expect(at).toBeLessThan(11_000);
    expect(returned.map(({ name }) => name)).toContain("m0");
    for (const { at } of returned) expect(at - 13_000).toBeLessThan(400);
    expect(watchersOf(states[0]!.watch).length).toBeGreaterThanOrEqual(3);
  });

  test("with all its watchers: nobody has waited", () => {
    const faults = { pauses: pausesOf([0, ...watchers], 10_000, 20_000) };
    expect(watched({ n: 6, until: 25_000, faults }).verdicts).toEqual([]);
  });
});
