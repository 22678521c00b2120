import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { effort } from "../../../test/support/effort.ts";
import {
  anyRing,
  complaint,
  elect,
  exponential,
  largest,
  permutations,
  schedules,
  subsets,
} from "../../../test/support/rings.ts";
import { resolve } from "../../simulation/settings.ts";
import { petersonMessages, petersonPhasesBound } from "../../theory/rings/rings.ts";
import { peterson } from "./peterson.ts";

const protocol = "peterson";

/** A second derivation, on the circle of active nodes alone: [node, temporary id] in the direction of travel. */
function derived(ids: readonly number[], starters: readonly number[]): { phases: number; last: number } {
  let active = starters.map((node) => ({ node, id: ids[node] }));
  let phases = 1;
  for (; active.length > 1; phases++) {
    const circle = active;
    const at = (i: number) => circle[(i + 2 * circle.length) % circle.length];
    active = circle.flatMap(({ node, id }, i) => {
      const [before, beforeThat] = [at(i - 1).id, at(i - 2).id];
      return before > id && before > beforeThat ? [{ node, id: before }] : [];
    });
  }
  return { phases, last: ids[active[0].node] };
}

describe("every arrangement of the ids", () => {
  test.each([1, 2, 3, 4, 5, 6, 7].slice(0, effort(5, 7)))(
    "n = %d: the last active node wins, with the same count under every schedule",
    (n) => {
      for (const ids of permutations(n)) {
        const { phases, last } = derived(ids, [...ids.keys()]);
        expect(phases).toBeLessThanOrEqual(petersonPhasesBound(n));
        for (const schedule of schedules(n)) {
          const result = elect({ protocol, ids, schedule });
          expect(complaint(result, last)).toBeNull();
          expect(result.measures.phases).toBe(phases);
          expect(result.messages).toBe(petersonMessages(n, phases) + n);
        }
      }
    },
  );
});

describe("every set of initiators", () => {
  test.each(effort([1, 2, 3, 4], [1, 2, 3, 4, 5]))(
    "n = %d: winner=owner elects the largest initiator, passive=join the largest of all",
    (n) => {
      for (const ids of permutations(n)) {
        for (const initiators of subsets(n)) {
          for (const schedule of ["lockstep", exponential(4)] as const) {
            const active = elect({ protocol, ids, initiators, schedule });
            expect(complaint(active, derived(ids, initiators).last)).toBeNull();
            const owner = elect({ protocol, ids, initiators, schedule, params: { winner: "owner" } });
            expect(complaint(owner, largest(ids, initiators))).toBeNull();
            expect(owner.messages).toBe(active.messages);
            const joined = elect({ protocol, ids, initiators, schedule, params: { winner: "owner", passive: "join" } });
            expect(complaint(joined, n)).toBeNull();
          }
        }
      }
    },
  );
});

test("any ids, initiators, delays, spread: one leader that everybody knows", () => {
  const knobs = fc.record({
    passive: fc.constantFrom("relay", "join"),
    winner: fc.constantFrom("last-active", "owner"),
    spread: fc.constantFrom(0, 3, 40),
  });
  const property = fc.property(anyRing, knobs, ({ ids, initiators, seed }, params) => {
    for (const schedule of ["lockstep", exponential(seed)] as const) {
      const result = elect({ protocol, ids, initiators, schedule, params, seed });
      expect(complaint(result, result.census.leaders[0])).toBeNull();
      expect(result.messages).toBe(petersonMessages(ids.length, result.measures.phases) + ids.length);
      expect(result.measures.phases).toBeLessThanOrEqual(petersonPhasesBound(ids.length));
      if (params.winner === "owner" && params.passive === "join") {
        expect(result.census.leaders).toEqual([Math.max(...ids)]);
      }
    }
  });
  fc.assert(property, { seed: 4, numRuns: 150 });
});

test("channels that reorder messages are refused", () => {
  const delay = { kind: "exponential", mean: 1 } as const;
  expect(() => resolve({ protocol, n: 5, host: "events", delay, fifo: false })).toThrow(/set fifo to true/);
});

test("the size of a message is that of its kind, id and phase", () => {
  expect(peterson.bits({ kind: "first", id: 5, phase: 2 })).toBe(2 + 3 + 2);
  expect(peterson.bits({ kind: "announce", id: 5 })).toBe(2 + 3);
});
