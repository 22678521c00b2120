import { expect, test } from "vitest";
import { LOSSLESS } from "../prediction.ts";
import { predictWalks } from "./predict-walks.ts";

test("two walks of two steps among 100 others: the chance of a pair to miss each other, by hand", () => {
  const params = {
    candidates: 4,
    estimate: 1,
    walks: 2,
    tau: 2,
    lazy: "false",
    reading: "repaired",
    explicit: false,
    threshold: 1,
  };
  const { factors } = predictWalks({ ...LOSSLESS, n: 101, initiators: 101, params });
  // The better walks are at 2 - 0.01 places after a step; after two they were at 1 + 0.99 + 0.99² + 0.99³ places.
  const [first, both] = [1.99, 3.940399];
  // In step 1 and in step 2 both walks miss the home and these places; in step 2 the better ones miss the way back.
  const expected = ((1 - (1 + first) / 100) * (1 - (1 + both) / 100) * (1 - first / 100)) ** 2;
  expect(factors!.pairMiss).toBeCloseTo(expected, 12);
});
