import { describe, expect, test } from "vitest";
import { type EpidemicSetting, epidemicDelivery, exactDelivery, meanDelivery, obtainedLoss } from "./epidemic.ts";

const setting = (changes: Partial<EpidemicSetting>): EpidemicSetting => ({
  n: 3,
  multicastLoss: 1,
  loss: 0,
  fanout: 1,
  rounds: 1,
  ...changes,
});

describe("by hand", () => {
  test("three members, nothing disseminated, one offer a round", () => {
    // Round 1 reaches one of the two. In round 2 the two holders each offer to one of the other two: missed with 1/4.
    expect(exactDelivery(setting({ rounds: 1 })).delivery).toBeCloseTo(1 / 2, 12);
    expect(exactDelivery(setting({ rounds: 2 })).delivery).toBeCloseTo(1 - 1 / 8, 12);
    expect(exactDelivery(setting({ rounds: 2 })).everybody).toBeCloseTo(3 / 4, 12);
  });

  test("an exchange needs three messages", () => {
    expect(exactDelivery(setting({ n: 2, loss: 0.1 })).delivery).toBeCloseTo(0.9 ** 3, 12);
  });

  test("one member, no rounds, offers to everybody", () => {
    expect(epidemicDelivery(setting({ n: 1 }))).toEqual({ method: "exact", delivery: 1, everybody: 1 });
    expect(exactDelivery(setting({ n: 50, multicastLoss: 0.3, rounds: 0 })).delivery).toBeCloseTo(0.7, 12);
    expect(exactDelivery(setting({ n: 50, fanout: 49 })).everybody).toBeCloseTo(1, 12);
    expect(exactDelivery(setting({ n: 5, fanout: 99 })).everybody).toBeCloseTo(1, 12);
  });
});

test("the mean's recursion is exact for one round from a certain start, and near for many members", () => {
  const one = setting({ n: 30, fanout: 4, loss: 0.2 });
  expect(meanDelivery(one).delivery).toBeCloseTo(exactDelivery(one).delivery, 12);
  const many = setting({ n: 400, multicastLoss: 0.5, loss: 0.1, rounds: 4 });
  expect(Math.abs(meanDelivery(many).delivery - exactDelivery(many).delivery)).toBeLessThan(1e-3);
  expect(epidemicDelivery(setting({ n: 100_000, multicastLoss: 0.5, rounds: 9 })).method).toBe("approximation");
});

test("more gossip never hurts, and the loss obtained falls below that of the dissemination", () => {
  const losses = [0, 1, 2, 4, 8].map((rounds) =>
    obtainedLoss(setting({ n: 100, multicastLoss: 0.3, loss: 0.1, rounds })),
  );
  expect(losses[0]).toBeCloseTo(0.3, 12);
  for (let i = 1; i < losses.length; i++) expect(losses[i]).toBeLessThan(losses[i - 1]);
  expect(losses.at(-1)).toBeLessThan(2e-3);
});
