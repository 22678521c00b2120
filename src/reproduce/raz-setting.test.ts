import { expect, test } from "vitest";
import { logSpaced, spaced } from "./raz-setting.ts";

test("points of axes", () => {
  expect(logSpaced(1, 100, 1)).toEqual([1, 10, 100]);
  expect(logSpaced(10, 20, 20)).toEqual([10, 11, 13, 14, 16, 18, 20]);
  expect(spaced(0.1, 0.5, 0.2)).toEqual([0.1, 0.3, 0.5]);
});
