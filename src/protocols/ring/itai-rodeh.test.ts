import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { complaint, elect, exponential, fixed, outOfOrder, zScore } from "../../../test/support/rings.ts";
import { resolve } from "../../simulation/settings.ts";
import { runTrial } from "../../simulation/trial.ts";
import { itaiRodehMeans } from "../../theory/rings/itai-rodeh.ts";
import { itaiRodeh } from "./itai-rodeh.ts";

const protocol = "itai-rodeh";
const nodes = (n: number) => Array.from({ length: n }, (_, node) => node);

test("any size, range, initiators and delays, also out of order: exactly one leader, told to all", () => {
  const rings = fc.integer({ min: 1, max: 16 }).chain((n) =>
    fc.record({
      n: fc.constant(n),
      range: fc.constantFrom(2, n + 1, 1000),
      initiators: fc.subarray(nodes(n), { minLength: 1 }),
      seed: fc.nat(),
    }),
  );
  const property = fc.property(rings, ({ n, range, initiators, seed }) => {
    for (const schedule of ["lockstep", exponential(seed), outOfOrder(seed)] as const) {
      const result = elect({ protocol, ids: nodes(n), initiators, schedule, params: { range }, seed });
      expect(complaint(result, null)).toBeNull();
      if (initiators.length === 1) expect(result.messages).toBe(2 * n);
    }
  });
  fc.assert(property, { seed: 7, numRuns: 300 });
});

test("on channels that keep the order, messages and phases do not depend on the delays", () => {
  for (let seed = 0; seed < 100; seed++) {
    const runs = (["lockstep", fixed(seed), exponential(seed)] as const).map((schedule) => {
      const result = elect({ protocol, ids: nodes(12), schedule, params: { range: 3 }, seed });
      return `${result.messages} in ${result.measures.phases}`;
    });
    expect(new Set(runs).size, runs.join(", ")).toBe(1);
  }
});

describe("means", () => {
  // The mean of 1000 runs is normal to a good approximation: |z| > 4.5 has probability 7e-6, and the seeds are fixed.
  test.each([
    { n: 2, range: 2, initiators: 2 },
    { n: 5, range: 2, initiators: 5 },
    { n: 40, range: 40, initiators: 40 },
    { n: 40, range: 3, initiators: 10 },
  ])("n = $n, range=$range, $initiators initiators: the exact means", ({ n, range, initiators }) => {
    const settings = resolve({ protocol, n, initiators, params: { range }, host: "lockstep", seed: 21 });
    const trials = Array.from({ length: 1000 }, (_, trial) => runTrial(settings, trial));
    const means = itaiRodehMeans(n, range, initiators);
    expect(trials.every(({ outcome }) => outcome === "one")).toBe(true);
    const messages = trials.map((trial) => trial.messages);
    expect(Math.abs(zScore(messages, means.messages + n))).toBeLessThan(4.5);
    const phases = trials.map((trial) => trial.measures.phases);
    expect(Math.abs(zScore(phases, means.phases))).toBeLessThan(4.5);
  });
});

test("one id for all would never end and is refused, but not for a single node", () => {
  expect(() => resolve({ protocol, n: 2, params: { range: 1 } })).toThrow(/use range=2 or more/);
  expect(elect({ protocol, ids: [0], params: { range: 1 } }).messages).toBe(2);
});

test("range is n unless given, and no other parameter exists", () => {
  expect(resolve({ protocol, n: 9 }).params).toEqual({ range: 9 });
});

test("an announcement names nobody; a lot carries phase, id, hops and a bit", () => {
  expect(itaiRodeh.bits({ kind: "announce", id: null })).toBe(1);
  expect(itaiRodeh.bits({ kind: "lot", phase: 1, id: 6, hop: 4, unique: true })).toBe(2 + 1 + 3 + 3);
});
