/** What the reproduction of Ramanathan et al. computes or searches, against other ways to the same numbers. */
import { describe, expect, test } from "vitest";
import { expectedContenders } from "../theory/ramanathan.ts";
import { play } from "./play.ts";
import { design } from "./ramanathan-design.ts";
import { asPrinted } from "./ramanathan-printed.ts";
import { slowestDecision } from "./schedules.ts";

describe("the printed number of rounds", () => {
  test("there is none up to n = 2^30: all contend in the second phase", () => {
    expect(asPrinted(30).left).toBe(2 ** 30);
    expect(asPrinted(30).messages).toBeCloseTo(2 * Math.sqrt(2 ** 30 * 30 * Math.LN2), 6);
    expect(asPrinted(31).left).toBeLessThan(2 ** 30);
  });

  test("is followed by the recursion that chooses J, where that can compute it", () => {
    // n = 2^40: 40 - 6 log2 40 = 8.07 rounds. The common recursion loses digits in 1 - s/n, six are left.
    expect(asPrinted(40).left / expectedContenders(design(2 ** 40), 8)[8]).toBeCloseTo(1, 3);
  });

  test("Theorem 2 fails: log^6 n contenders are left, not half of it", () => {
    for (const k of [64, 128, 256]) expect(asPrinted(k).left / k ** 6).toBeCloseTo(1, 3);
  });

  test("failures cost more than the last round's factor, but no more than a constant", () => {
    const lost = asPrinted(128, 0.9).left / asPrinted(128).left;
    expect(lost).toBeLessThan(Math.exp(-0.9));
    expect(lost).toBeCloseTo(asPrinted(256, 0.9).left / asPrinted(256).left, 3);
  });
});

describe("Theorem 8, two contenders whose quorums meet", () => {
  const contest = { n: 3, ids: [1, 2, 3], initiators: [0, 1], timed: 1, choices: 1 };

  test("a contender alone needs a request, an answer and 2 tau", () => {
    const alone = slowestDecision("quorum", { ...contest, initiators: [0], params: { s: 2 } }, "first");
    expect(alone.slowest).toBe(4);
  });

  test("nobody needs more than 7 tau as printed, or 10 tau repaired", () => {
    expect(slowestDecision("quorum", { ...contest, params: { s: 2, reading: "tables" } }, "all").slowest).toBeLessThan(
      8,
    );
    expect(slowestDecision("quorum", { ...contest, params: { s: 2 } }, "all").slowest).toBeLessThan(11);
  });
});

test("section 5: without the crash the larger number leads, with it nobody does", () => {
  const request = {
    n: 4,
    ids: [1, 2, 3, 4],
    initiators: [0, 1],
    crashes: 1,
    choices: 1,
    params: { s: 3, timing: "sync" },
  };
  expect(play("quorum", request, ["start with 3 3", "run"]).verdicts[1]).toBe("elected");
  expect(play("quorum", request, ["start with 3 3", "crash 1", "run"]).verdicts).not.toContain("elected");
});
