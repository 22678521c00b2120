import { expect, test } from "vitest";
import type { PlanSetting } from "../registry/planning.ts";
import { adviceOn } from "./advice.ts";

test.each([
  [0, 0, true],
  [0.01, 0, false],
  [0, 0.01, false],
  [0.01, 0.01, false],
])("with loss %d and crash %d, the advice says that nothing goes wrong: %s", (loss, crash, told) => {
  const { sentences } = adviceOn({ loss, crash } as PlanSetting, []);
  expect(sentences.some((sentence) => sentence.includes("nothing is lost and nobody crashes"))).toBe(told);
});
