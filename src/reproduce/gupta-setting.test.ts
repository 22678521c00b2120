import { expect, test } from "vitest";
import { FIG4, firstRounds } from "./gupta-setting.ts";

test("first rounds: all succeed without faults, and a dead leader goes unnoticed", async () => {
  const quiet = { ...FIG4, view: 1, loss: 0, multicastLoss: 0, crash: 0 };
  expect(await firstRounds(30, 10, quiet, 10)).toMatchObject({ success: { rate: 1 }, failures: 0 });
  const { success, noticed, failures } = await firstRounds(60, 40, { ...quiet, crash: 0.4 }, 60);
  // The leader lives with probability 0.6: 10 failures or fewer of 60 have a chance of 1e-4.
  expect(failures).toBeGreaterThan(10);
  expect(success.rate).toBeLessThan(0.9);
  expect(noticed.rate).toBe(0);
});
