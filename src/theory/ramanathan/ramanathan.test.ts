import { expect, test } from "vitest";
import { momentsOf, survivors } from "./elimination.ts";
import {
  expectedContenders,
  lnDisjoint,
  noSurvivor,
  quorumMiss,
  severalLeadersBound,
  survivorsInOrder,
  survivorsOfCollisions,
  tournamentMessages,
} from "./ramanathan.ts";

const design = { n: 8, gamma: 0, sigma: "design", alpha: 2, rounding: "ceil" } as const;

/** All subsets of k among n, as bit masks. */
function subsets(n: number, k: number): number[] {
  const bits = (mask: number): number => (mask === 0 ? 0 : 1 + bits(mask & (mask - 1)));
  return Array.from({ length: 1 << n }, (_, mask) => mask).filter((mask) => bits(mask) === k);
}

test.each([
  [5, 2, 2],
  [6, 3, 2],
  [6, 4, 3],
  [7, 1, 5],
])("the chance that sets of %3$i and %2$i among %1$i are disjoint, by enumeration", (n, a, b) => {
  const first = subsets(n, a);
  const second = subsets(n, b);
  const disjoint = first.flatMap((x) => second.filter((y) => (x & y) === 0)).length;
  expect(Math.exp(lnDisjoint(n, a, b))).toBeCloseTo(disjoint / (first.length * second.length), 12);
});

test("survivors of one round among three contenders, by enumeration of all their sets", () => {
  const sets = subsets(5, 2);
  let collisions = 0;
  let inOrder = 0;
  for (const a of sets) {
    for (const b of sets) {
      for (const c of sets) {
        collisions += Number((a & (b | c)) === 0) + Number((b & (a | c)) === 0) + Number((c & (a | b)) === 0);
        inOrder += 1 + Number((b & a) === 0) + Number((c & (a | b)) === 0);
      }
    }
  }
  // In order, a later contender is stopped by every earlier one, also by those that are stopped themselves.
  expect(survivorsOfCollisions(5, 2, 3)).toBeCloseTo(collisions / sets.length ** 3, 10);
  expect(survivorsInOrder(5, 2, 3)).toBeCloseTo(inOrder / sets.length ** 3, 10);
});

test.each(["together", "in-order"] as const)("how many of 1, 2 and 3 contenders go on %s, by enumeration", (order) => {
  const sets = subsets(5, 2);
  const round = { n: 5, sigma: 2, order, loss: 0, working: 1 };
  let drawn: number[][] = [[]];
  for (let x = 1; x <= 3; x++) {
    drawn = drawn.flatMap((before) => sets.map((set) => [...before, set]));
    const counts = new Array<number>(x + 1).fill(0);
    for (const all of drawn) {
      const stops = (i: number, j: number) => (order === "together" ? i !== j : j < i);
      counts[all.filter((set, i) => all.every((other, j) => !stops(i, j) || (set & other) === 0)).length]++;
    }
    const chances = counts.map((count) => count / drawn.length);
    const mean = chances.reduce((sum, p, m) => sum + m * p, 0);
    const variance = chances.reduce((sum, p, m) => sum + (m - mean) ** 2 * p, 0);
    for (const [m, p] of chances.entries()) expect(survivors(round)[x][m]).toBeCloseTo(p, 12);
    expect(momentsOf(round, x).mean).toBeCloseTo(mean, 12);
    expect(momentsOf(round, x).variance).toBeCloseTo(variance, 8);
  }
  // One contender goes on if both of its mediators work.
  const alone = momentsOf({ ...round, working: 0.9 }, 1);
  expect(alone.mean).toBeCloseTo(0.81, 12);
  expect(alone.variance).toBeCloseTo(0.81 * 0.19, 12);
});

test("Fig. 1: eight contenders with one and then two mediators", () => {
  const [first, second, third] = expectedContenders(design, 2);
  expect(first).toBe(8);
  expect(second).toBeCloseTo(8 * (7 / 8) ** 7, 12);
  expect(third).toBeCloseTo(second * 0.75 ** (2 * (second - 1)), 12);
  expect(tournamentMessages(design, 1, 5)).toBeCloseTo(2 * (8 + 5 * second), 12);
});

test("failed mediators take contenders and answers away", () => {
  const failing = { ...design, gamma: 0.1 };
  expect(expectedContenders(failing, 1)[1]).toBeCloseTo(8 * (7 / 8) ** 7 * 0.9, 12);
  expect(tournamentMessages(failing, 0, 4)).toBeCloseTo(1.9 * 8 * 8, 12);
});

test("quorums of ceil(sqrt(n ln n)) miss each other with probability below 1/n, and large ones never", () => {
  expect(quorumMiss(50_000, 736)).toBeLessThan(1 / 50_000);
  expect(quorumMiss(50_000, 736)).toBeGreaterThan(1 / 100_000);
  expect(quorumMiss(9, 5)).toBe(0);
  expect(severalLeadersBound(9, 5, 9)).toBe(0);
  expect(severalLeadersBound(1000, 84, 1)).toBe(0);
  expect(noSurvivor(0)).toBe(1);
});
