/** What the reproduction of the lecture works out by hand, against simulations and closed forms. */
import { describe, expect, test } from "vitest";
import { changRobertsMean, changRobertsWorst, hirschbergSinclairPhases } from "../theory/rings.ts";
import {
  arrangements,
  chanceOfSteps,
  changRobertsSteps,
  messagesById,
  slideAverage,
  slideChance,
  winnersWithin,
} from "./lecture-by-hand.ts";

const total = (steps: readonly number[]) => steps.reduce((sum, one) => sum + one, 0);

describe("arrangements", () => {
  test("are all different, (n-1)! of them, and their mean cost is n H_n", () => {
    const all = arrangements(6);
    expect(new Set(all.map(String)).size).toBe(120);
    const mean = total(all.map((ids) => total(changRobertsSteps(ids)))) / all.length;
    expect(mean).toBeCloseTo(changRobertsMean(6), 9);
  });

  test("Chang-Roberts by hand sends what the protocol sends, id by id", () => {
    for (const ids of [
      [8, 7, 6, 5, 4, 3, 2, 1],
      [3, 7, 1, 8, 5, 2, 6, 4],
    ]) {
      const sent = messagesById("chang-roberts", ids);
      expect(ids.map((id) => sent.get(id))).toEqual(changRobertsSteps(ids));
    }
    expect(total(changRobertsSteps([8, 7, 6, 5, 4, 3, 2, 1]))).toBe(changRobertsWorst(8));
  });
});

describe("the slide's P(i, k)", () => {
  test("is exact for ids 1 to n, and sums to n H_n", () => {
    for (let i = 1; i < 6; i++) {
      for (let k = 1; k < 6; k++) expect(slideChance(6, i, k)).toBeCloseTo(chanceOfSteps(6, i, k), 12);
    }
    expect(slideAverage(6)).toBeCloseTo(changRobertsMean(6), 9);
  });
});

test("Hirschberg-Sinclair by hand: a winner of a phase sends two probes to its reach and hears two answers", () => {
  const ids = [3, 7, 1, 8, 5, 2, 6, 4];
  expect(winnersWithin(ids, 1).map((node) => ids[node])).toEqual([7, 8, 6]);
  expect(winnersWithin(ids, 2).map((node) => ids[node])).toEqual([8, 6]);
  expect(winnersWithin(ids, 4).map((node) => ids[node])).toEqual([8]);
  // Phases of reach 1, 2, 4, and the one whose probes go all the way around.
  expect(hirschbergSinclairPhases(8)).toBe(4);
  expect(messagesById("hirschberg-sinclair", ids).get(8)).toBe(4 * (1 + 2 + 4) + 2 * 8);
});
