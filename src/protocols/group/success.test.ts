import { expect, test } from "vitest";
import type { Census, Id } from "../../protocol.ts";
import { outcome, strong, weak } from "./filter-relay.ts";

const census = (leaders: Id[], beliefs: [Id | null, number][]): Census => {
  const alive = beliefs.reduce((sum, [, count]) => sum + count, 0);
  const undecided = beliefs.find(([leader]) => leader === null)?.[1] ?? 0;
  const elected = leaders.length;
  return { alive, elected, undecided, notElected: alive - elected - undecided, leaders, beliefs: new Map(beliefs) };
};

test.each<[string, Census, boolean, number, string]>([
  ["all know the one leader", census([3], [[3, 10]]), true, 1, "one"],
  ["the leader they agree on is dead", census([], [[3, 10]]), false, 1, "none"],
  [
    "one does not know",
    census(
      [3],
      [
        [3, 9],
        [null, 1],
      ],
    ),
    false,
    0.9,
    "none",
  ],
  [
    "one follows another, who knows nothing of it",
    census(
      [3],
      [
        [3, 9],
        [4, 1],
      ],
    ),
    false,
    0.9,
    "many",
  ],
  [
    "two leaders",
    census(
      [3, 4],
      [
        [3, 5],
        [4, 4],
        [null, 1],
      ],
    ),
    false,
    0.5,
    "many",
  ],
  [
    "most know nobody",
    census(
      [3],
      [
        [3, 1],
        [null, 9],
      ],
    ),
    false,
    0.1,
    "none",
  ],
  ["everybody failed", census([], []), false, 0, "none"],
])("%s", (_name, after, isStrong, share, expected) => {
  expect(strong(after)).toBe(isStrong);
  expect(weak(after)).toBeCloseTo(share, 12);
  expect(outcome(after)).toBe(expected);
});
