import { expect, test } from "vitest";
import { busyCores } from "../bench/quiet.ts";

test("the bench counts the cores that others use, at any priority and in the kernel", () => {
  const core = (user: number, nice: number, sys: number, idle: number) => ({
    times: { user, nice, sys, idle, irq: 0 },
  });
  const before = [core(100, 0, 50, 1000), core(100, 0, 50, 1000)];
  const after = [core(400, 500, 150, 1100), core(100, 0, 50, 2000)];
  expect(busyCores(before, after)).toBeCloseTo(0.9, 10);
  expect(busyCores(before, [core(100, 0, 50, 2000), core(100, 0, 50, 2000)])).toBe(0);
});
