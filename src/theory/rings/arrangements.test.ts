/** What is worked out by hand, against closed forms. That protocols send as much is the reproduction's to say. */
import { expect, test } from "vitest";
import {
  arrangements,
  bitReversed,
  chanceOfSteps,
  changRobertsSteps,
  slideAverage,
  slideChance,
  winnersWithin,
} from "./arrangements.ts";
import { changRobertsMean, changRobertsWorst } from "./rings.ts";

const total = (steps: readonly number[]) => steps.reduce((sum, one) => sum + one, 0);

test("arrangements are all different, (n-1)! of them, and their mean cost is n H_n", () => {
  const all = arrangements(6);
  expect(new Set(all.map(String)).size).toBe(120);
  expect(total(all.map((ids) => total(changRobertsSteps(ids)))) / all.length).toBeCloseTo(changRobertsMean(6), 9);
  expect(total(changRobertsSteps([8, 7, 6, 5, 4, 3, 2, 1]))).toBe(changRobertsWorst(8));
});

test("the slide's P(i, k) is exact for ids 1 to n, and sums to n H_n", () => {
  for (let i = 1; i < 6; i++) {
    for (let k = 1; k < 6; k++) expect(slideChance(6, i, k)).toBeCloseTo(chanceOfSteps(6, i, k), 12);
  }
  expect(slideAverage(6)).toBeCloseTo(changRobertsMean(6), 9);
});

test("the winners of each phase of Hirschberg and Sinclair", () => {
  const ids = [3, 7, 1, 8, 5, 2, 6, 4];
  const winners = [1, 2, 4].map((reach) => winnersWithin(ids, reach).map((node) => ids[node]));
  expect(winners).toEqual([[7, 8, 6], [8, 6], [8]]);
  expect(bitReversed(3)).toEqual([0, 4, 2, 6, 1, 5, 3, 7]);
});
