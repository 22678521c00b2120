import { describe, expect, test } from "vitest";
import { missProbability } from "../theory/kutten/kutten.ts";
import { lnDisjoint } from "../theory/ramanathan/ramanathan.ts";
import { estimateMiss, type MissOptions, type MissQuestion } from "./rare.ts";

const quorums = (n: number, size: number, contenders = 2): MissQuestion => ({ n, size, contenders, othersOnly: false });
const referees = (n: number, size: number): MissQuestion => ({ n, size, contenders: 2, othersOnly: true });
const options = (samples: number, method: MissOptions["method"] = "tilted"): MissOptions => ({
  samples,
  seed: 3,
  method,
});

/** Estimates are close to normal around the truth: more than 5 standard errors away has probability 6e-7 each. */
function expectNear(question: MissQuestion, how: MissOptions, exact: number, within: number): void {
  const { probability, relativeError } = estimateMiss(question, how);
  expect(relativeError!).toBeLessThan(within);
  expect(Math.abs(probability / exact - 1)).toBeLessThan(5 * relativeError!);
}

describe("against the exact hypergeometric values", () => {
  test.each([
    [20, 5],
    [100, 35],
    [1000, 140],
    [5000, 310],
    [50_000, 1010],
    [1_000_000, 4551],
  ])("two quorums, n = %i, s = %i, to two percent", (n, s) => {
    expectNear(quorums(n, s), options(n === 1e6 ? 5000 : 10_000), Math.exp(lnDisjoint(n, s, s)), 0.02);
  });

  test.each([
    [20, 5],
    [100, 35],
    [5000, 310],
    [5000, 414],
  ])("two sets of referees, n = %i, %i each, to two percent", (n, size) => {
    expectNear(referees(n, size), options(10_000), missProbability({ n, referees: size, candidates: 2 }), 0.02);
  });

  test.each([
    [20, 5, false],
    [20, 5, true],
    [1000, 130, false],
    [5000, 310, false],
    [5000, 310, true],
  ])("splitting, n = %i, %i each, others only: %s, to seven percent", (n, size, othersOnly) => {
    const exact = othersOnly
      ? missProbability({ n, referees: size, candidates: 2 })
      : Math.exp(lnDisjoint(n, size, size));
    expectNear({ n, size, contenders: 2, othersOnly }, options(10_000, "splitting"), exact, 0.07);
  });

  test("far below the smallest number", () => {
    const { log10, lowLog10, highLog10, probability, relativeError } = estimateMiss(
      quorums(1_000_000, 30_000),
      options(200),
    );
    expect(probability).toBe(0);
    const exact = lnDisjoint(1_000_000, 30_000, 30_000) / Math.LN10;
    expect(exact).toBeLessThan(-390);
    // ln(1 + x) is at most 1.5 times x here.
    expect(Math.abs(log10 - exact)).toBeLessThan((1.5 * 5 * relativeError!) / Math.LN10);
    expect(lowLog10).toBeLessThan(exact);
    expect(highLog10!).toBeGreaterThan(exact);
    expect(highLog10! - lowLog10).toBeLessThan(1);
  });
});

describe("several contenders", () => {
  test("three quorums: inclusion and exclusion of the three pairs", () => {
    for (const [n, s] of [
      [12, 4],
      [60, 14],
    ]) {
      const p = Math.exp(lnDisjoint(n, s, s));
      const all = p * Math.exp(lnDisjoint(n, 2 * s, s));
      expectNear(quorums(n, s, 3), options(20_000), 3 * p - 3 * p * p + all, 0.02);
    }
  });

  test("four pairs of neighbours: all sets of two among five, by enumeration", () => {
    const sets = [3, 5, 9, 17, 6, 10, 18, 12, 20, 24];
    let missing = 0;
    for (const a of sets)
      for (const b of sets)
        for (const c of sets)
          for (const d of sets) if ([a & b, a & c, a & d, b & c, b & d, c & d].includes(0)) missing++;
    expectNear(quorums(5, 2, 4), options(20_000), missing / sets.length ** 4, 0.02);
  });

  test("ten quorums at 1e-9: between Bonferroni's bounds, which nearly meet there", () => {
    const p = Math.exp(lnDisjoint(1000, 130, 130));
    expectNear(quorums(1000, 130, 10), options(5000), 45 * p, 0.03);
  });
});

test("nearly all draws hit without the tilt; with none taken the value is the exact product, without variance", () => {
  const plain = estimateMiss(quorums(1000, 130), { ...options(2000), tilt: 1 });
  expect(plain).toMatchObject({
    probability: 0,
    low: 0,
    high: null,
    misses: 0,
    relativeError: null,
    log10: -Infinity,
    lowLog10: -Infinity,
    highLog10: null,
  });
  const forced = estimateMiss(quorums(1000, 130), { ...options(10), tilt: 0 });
  expect(forced.probability / Math.exp(lnDisjoint(1000, 130, 130))).toBeCloseTo(1, 10);
  expect(forced.relativeError).toBeLessThan(1e-7);
});

test("splitting goes below the smallest number too, and says where it ends", () => {
  const { probability, log10, misses } = estimateMiss(quorums(3000, 1250), options(4000, "splitting"));
  expect({ probability, some: misses > 0 }).toEqual({ probability: 0, some: true });
  // Few paths get there: within a factor of a thousand. That none does has a probability of about 1 in 100.
  expect(Math.abs(log10 - lnDisjoint(3000, 1250, 1250) / Math.LN10)).toBeLessThan(3);
  expect(() => estimateMiss(quorums(1_000_000, 200_000), options(10, "splitting"))).toThrow("use tilted");
});

test("splitting where one member halves the chance more than once", () => {
  expectNear(quorums(40, 20), options(10_000, "splitting"), Math.exp(lnDisjoint(40, 20, 20)), 0.15);
});

test("where nothing is left to draw, a sample is no miss, whatever the tilt", () => {
  // A candidate that the other does not ask has one node left for two referees.
  const exact = missProbability({ n: 4, referees: 2, candidates: 2 });
  expectNear(referees(4, 2), { ...options(5000), tilt: 0 }, exact, 0.05);
});

test("what nearly always happens is not certain; more than certain is nothing", () => {
  const { low, high, probability } = estimateMiss(quorums(1_000_000, 1), options(1000));
  expect({ high, probability }).toEqual({ high: 1, probability: 1 });
  expect(low).toBeLessThan(1 - 1e-6);
  // Of three that ask one of the two others, some two always ask different ones.
  const three = estimateMiss({ ...referees(3, 1), contenders: 3 }, { ...options(10_000), seed: 1 });
  expect(three).toMatchObject({ probability: 1, high: 1, log10: 0 });
});

test("sets that must meet never miss", () => {
  expect(estimateMiss(quorums(9, 5), options(100))).toMatchObject({ probability: 0, low: 0, high: 0 });
  expect(estimateMiss(quorums(9, 5), options(100, "splitting"))).toMatchObject({ probability: 0, high: 0 });
  // Among 4 others each, two sets of 2: they miss also where one candidate is the other's referee.
  expectNear(referees(4, 2), options(5000), missProbability({ n: 4, referees: 2, candidates: 2 }), 0.05);
});

test.each([
  ["tilted", 500],
  ["splitting", 300],
] as const)("intervals cover the truth about as often as they say: %s", (method, samples) => {
  // Of 200 intervals at 95%, fewer than 172 cover with probability below 1e-6 (at 95%).
  const exact = Math.exp(lnDisjoint(200, 50, 50));
  let covered = 0;
  for (let seed = 0; seed < 200; seed++) {
    const { low, high } = estimateMiss(quorums(200, 50), { ...options(samples, method), seed });
    if (low <= exact && exact <= high!) covered++;
  }
  expect(covered).toBeGreaterThanOrEqual(172);
});

test.each([
  [quorums(1, 1), {}, "n must be a whole number from 2"],
  [quorums(10, 11), {}, "the size of a set must be a whole number from 1 to 10, not 11"],
  [referees(10, 10), {}, "from 1 to 9, not 10"],
  [quorums(10, 3, 1), {}, "the number of contenders"],
  [quorums(10, 3, 3), { method: "splitting" as const }, "splitting measures two contenders"],
  [quorums(10, 3), { method: "splitting" as const, tilt: 0.5 }, "splitting has no tilt"],
  [quorums(10, 3), { tilt: 2 }, "tilt must be from 0 to 1, not 2"],
])("refuses %o %o", (question, more, message) => {
  expect(() => estimateMiss(question, { ...options(10), ...more })).toThrow(message);
});
