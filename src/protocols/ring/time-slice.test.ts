import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anyRing, complaint, elect, permutations, subsets } from "../../../test/support/rings.ts";
import { resolve } from "../../simulation/settings.ts";
import { runTrial } from "../../simulation/trial.ts";
import { timeSliceCost } from "../../theory/rings/rings.ts";
import { timeSlice } from "./time-slice.ts";

const protocol = "time-slice";

test.each([1, 2, 3, 4, 5])(
  "n = %d, every arrangement and set of initiators: the smallest initiator wins in time",
  (n) => {
    for (const ids of permutations(n)) {
      for (const initiators of subsets(n)) {
        const smallest = Math.min(...initiators.map((node) => ids[node]));
        const result = elect({ protocol, ids, initiators });
        expect(complaint(result, smallest)).toBeNull();
        expect({ messages: result.messages, rounds: result.time }).toEqual(timeSliceCost(n, smallest));
        expect(complaint(elect({ protocol, ids, initiators, params: { passive: "join" } }), 1)).toBeNull();
      }
    }
  },
);

test("id 0 speaks at once, and neighbouring slots never collide", () => {
  expect(elect({ protocol, ids: [1, 0, 2] })).toMatchObject({ messages: 3, time: 3 });
  expect(complaint(elect({ protocol, ids: [7, 6] }), 6)).toBeNull();
});

test("idle rounds are skipped: huge ids cost nothing", () => {
  const ids = [12_643_000_000, 12_643_000_001, 99_999_999_999];
  expect(elect({ protocol, ids })).toMatchObject({ messages: 3, time: 3 * 12_643_000_000 + 3 });
});

test("an id whose round cannot be told from its neighbours' is refused", () => {
  expect(() => elect({ protocol, ids: [Number.MAX_SAFE_INTEGER, 5] })).toThrow(/use smaller ids/);
});

test("any ids below 2^40 and any initiators", () => {
  const property = fc.property(anyRing, ({ ids, initiators }) => {
    const small = ids.map((id, node) => Math.floor(id / 2 ** 18) * 32 + node);
    const smallest = Math.min(...initiators.map((node) => small[node]));
    expect(complaint(elect({ protocol, ids: small, initiators }), smallest)).toBeNull();
  });
  fc.assert(property, { seed: 6, numRuns: 200 });
});

describe("starts spread over rounds", () => {
  test("a contender that wakes after its slot lets it pass: the smallest of those awake in time wins", () => {
    let late = 0;
    for (let seed = 0; seed < 200; seed++) {
      const result = elect({ protocol, ids: [1, 2, 3, 4], params: { spread: 8 }, seed });
      expect(complaint(result, result.census.leaders[0])).toBeNull();
      expect(result.time).toBe(timeSliceCost(4, result.census.leaders[0]!).rounds);
      if (result.census.leaders[0] !== 1) late++;
    }
    // Id 1 speaks in round 4 and wakes in one of 0..8: late with probability 4/9; 4.5 standard deviations are 32.
    expect(Math.abs(late - (200 * 4) / 9)).toBeLessThan(32);
  });

  test("when all wake too late nobody leads, and the run says so", () => {
    const settings = resolve({ protocol, n: 2, ids: [0, 1], params: { spread: 1e9 } });
    expect(runTrial(settings, 0)).toMatchObject({ outcome: "none", messages: 0, measures: { undecided: 2 } });
  });
});

test("a ring that is cut by a crash has no leader instead of several", () => {
  // Id 1 speaks in round 6; its message dies at node 3, and the nodes behind it have heard nothing when their slots come.
  const faults = { crashes: [{ node: 3, at: 1 }] };
  const trial = runTrial(resolve({ protocol, n: 6, ids: "increasing", faults }), 0);
  expect(trial).toMatchObject({ outcome: "none" });
  expect(trial.measures.undecided).toBeGreaterThan(0);
});

test("the events host cannot grant rounds and is refused", () => {
  expect(() => resolve({ protocol, n: 3, host: "events" })).toThrow(/set host to lockstep/);
});

test("a message carries an id and nothing else", () => {
  expect(timeSlice.bits({ kind: "announce", id: 5 })).toBe(3);
});
