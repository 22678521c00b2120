import { describe, expect, test } from "vitest";
import { lowerRanks } from "./contest.ts";

const contest = { urn: 20, size: 5, withoutSelf: false, threshold: 1, refuses: true };
/** How many of a contender's mediators there are, all of them alive. */
const PRESENT = 4;

describe.each([0, 0.2])(
  "how many mediators of a contender hear a better one, if %d of the messages are lost",
  (loss) => {
    test.each([false, true])("is some number with probability 1 (withoutSelf: %s)", (withoutSelf) => {
      const certain = lowerRanks({ ...contest, loss, withoutSelf }, 5, PRESENT, new Array(PRESENT + 1).fill(1));
      expect(certain).toHaveLength(4);
      for (const sum of certain) expect(sum).toBeCloseTo(1, 12);
    });

    test("has the mean that follows if each better contender reaches its share of the rest", () => {
      const hits = Array.from({ length: PRESENT + 1 }, (_, hit) => hit);
      const share = (contest.size / contest.urn) * (1 - loss);
      const means = lowerRanks({ ...contest, loss }, 5, PRESENT, hits);
      for (const [i, mean] of means.entries()) expect(mean).toBeCloseTo(PRESENT * (1 - (1 - share) ** (i + 1)), 12);
    });
  },
);
