import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { effort } from "../../../test/support/effort.ts";
import {
  anyRing,
  complaint,
  elect,
  exponential,
  largest,
  outOfOrder,
  permutations,
  schedules,
  subsets,
  zScore,
} from "../../../test/support/rings.ts";
import { resolve } from "../../simulation/settings.ts";
import { runTrial } from "../../simulation/trial.ts";
import {
  hirschbergSinclairMean,
  hirschbergSinclairPhases,
  hirschbergSinclairSharpBound,
} from "../../theory/rings/rings.ts";
import { NEXT } from "../../topology/ring.ts";
import { type HirschbergSinclairMessage, hirschbergSinclair } from "./hirschberg-sinclair.ts";

const protocol = "hirschberg-sinclair";
const STOPS = ["home", "known-n"] as const;

/**
 * A second derivation, without messages or hosts: per phase, who is the largest within the reach of the last one, and
 * how far its probes get before a larger id.
 */
function counted(ids: readonly number[], stop: "home" | "known-n"): number {
  const n = ids.length;
  let messages = 0;
  let senders = [...ids.keys()];
  for (let phase = 0; phase < hirschbergSinclairPhases(n, stop); phase++) {
    const reach = 2 ** phase;
    senders = senders.filter((node) => {
      const replies = [1, n - 1].map((step) => {
        for (let hop = 1; hop <= reach; hop++) {
          messages++;
          const met = ids[(node + hop * step) % n];
          if (met >= ids[node]) return false;
        }
        messages += reach;
        return true;
      });
      return replies[0] && replies[1];
    });
  }
  return messages;
}

describe.each(STOPS)("stop=%s, every arrangement of the ids", (stop) => {
  test.each([1, 2, 3, 4, 5, 6, 7].slice(0, effort(5, 7)))(
    "n = %d: the largest id wins, with the same count under every schedule",
    (n) => {
      const counts: number[] = [];
      for (const ids of permutations(n)) {
        const expected = counted(ids, stop);
        for (const schedule of schedules(n)) {
          const result = elect({ protocol, ids, schedule, params: { stop } });
          expect(complaint(result, n)).toBeNull();
          expect(result.messages).toBe(expected + n);
          expect(result.measures.phases).toBe(hirschbergSinclairPhases(n, stop));
        }
        counts.push(expected);
      }
      expect(counts.reduce((a, b) => a + b) / counts.length).toBeCloseTo(hirschbergSinclairMean(n, stop), 10);
      expect(Math.max(...counts)).toBeLessThanOrEqual(hirschbergSinclairSharpBound(n));
    },
  );
});

test("one node sends two probes to itself, two nodes need a second phase to come home", () => {
  expect(elect({ protocol, ids: [4] })).toMatchObject({ messages: 2 + 1, time: 2 });
  expect(elect({ protocol, ids: [4, 9] }).messages).toBe(4 + 2 + 4 + 2);
  expect(elect({ protocol, ids: [4, 9], params: { stop: "known-n" } }).messages).toBe(4 + 2 + 2);
});

test("a probe whose reach is exactly n comes home instead of being answered", () => {
  // Four nodes: the probes of reach 4 arrive at their own node with no hop left.
  expect(elect({ protocol, ids: [1, 2, 3, 4] }).measures.phases).toBe(3);
});

describe.each(STOPS)("stop=%s, every set of initiators", (stop) => {
  test.each([1, 2, 3, 4, 5].slice(0, effort(4, 5)))(
    "n = %d: the largest initiator wins; with passive=join, the largest of all",
    (n) => {
      for (const ids of permutations(n)) {
        for (const initiators of subsets(n)) {
          for (const schedule of ["lockstep", exponential(5)] as const) {
            const relayed = elect({ protocol, ids, initiators, schedule, params: { stop } });
            expect(complaint(relayed, largest(ids, initiators))).toBeNull();
            const joined = elect({ protocol, ids, initiators, schedule, params: { stop, passive: "join" } });
            expect(complaint(joined, n)).toBeNull();
          }
        }
      }
    },
  );
});

test("any ids, initiators, delays, spread, channels out of order: one leader that everybody knows", () => {
  const knobs = fc.record({
    passive: fc.constantFrom("relay", "join"),
    stop: fc.constantFrom(...STOPS),
    spread: fc.constantFrom(0, 3, 40),
  });
  const property = fc.property(anyRing, knobs, ({ ids, initiators, seed }, params) => {
    for (const schedule of ["lockstep", outOfOrder(seed)] as const) {
      const result = elect({ protocol, ids, initiators, schedule, params, seed });
      const leader = result.census.leaders[0];
      expect(complaint(result, leader)).toBeNull();
      if (params.passive === "join") expect(leader).toBe(Math.max(...ids));
      else if (params.spread === 0) expect(leader).toBe(largest(ids, initiators));
      else expect(initiators.map((node) => ids[node])).toContain(leader);
    }
  });
  fc.assert(property, { seed: 3, numRuns: 150 });
});

// The mean of 100 runs is normal to a good approximation: |z| > 4.5 has probability 7e-6, and the seed is fixed.
test.each(STOPS)("n = 1000, stop=%s: the mean is the exact sum", (stop) => {
  const settings = resolve({ protocol, n: 1000, host: "lockstep", seed: 5, params: { stop } });
  const counts = Array.from({ length: 100 }, (_, trial) => runTrial(settings, trial).messages);
  expect(Math.abs(zScore(counts, hirschbergSinclairMean(1000, stop) + 1000))).toBeLessThan(4.5);
});

test("the size of a message is that of its kind, id and hops", () => {
  expect(hirschbergSinclair.bits({ kind: "probe", id: 5, hops: 8 })).toBe(2 + 3 + 4);
  expect(hirschbergSinclair.bits({ kind: "reply", id: 5 })).toBe(2 + 3);
});

test("replies that come again and again make many phases, and no probe whose length is no number", () => {
  const sent: HirschbergSinclairMessage[] = [];
  const ctx = { send: (_port: number, message: HirschbergSinclairMessage) => sent.push(message), measure: () => {} };
  const self = { id: 7, n: 5, initiator: true } as never;
  const state = hirschbergSinclair.init({ passive: "relay", spread: 0, stop: "home" }, self, null, ctx as never);
  for (let i = 0; i < 3000; i++) hirschbergSinclair.receive(state, NEXT, { kind: "reply", id: 7 }, ctx as never);
  expect(sent).toHaveLength(2 + 3000);
  expect(Math.max(...sent.map((message) => hirschbergSinclair.bits!(message)))).toBeLessThan(64);
  // Home again: the leader goes through no more.
  hirschbergSinclair.receive(state, NEXT, { kind: "probe", id: 7, hops: 1 }, ctx as never);
  hirschbergSinclair.receive(state, NEXT, { kind: "reply", id: 7 }, ctx as never);
  hirschbergSinclair.receive(state, NEXT, { kind: "reply", id: 7 }, ctx as never);
  expect(sent).toHaveLength(2 + 3000 + 1);
});
