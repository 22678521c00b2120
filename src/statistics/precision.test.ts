import { expect, test } from "vitest";
import { campaign, openPool } from "../campaign/campaign.ts";
import { simulate } from "../campaign/simulate.ts";
import { resolve } from "../simulation/settings.ts";
import type { Trial } from "../simulation/trial.ts";
import { isLook, nextLook } from "./precision.ts";
import type { Report } from "./report.ts";

const SETTINGS = resolve({ protocol: "chang-roberts", n: 12, delay: { kind: "exponential", mean: 1 } });

const bytesOf = ({ seconds: _, messagesPerSecond: __, ...rest }: Report): string => JSON.stringify(rest);

test("looks come at 100 trials and then after each quarter more", () => {
  const looks = [nextLook(0)];
  while (looks.length < 6) looks.push(nextLook(looks.at(-1)!));
  expect(looks).toEqual([100, 125, 157, 197, 247, 309]);
  expect([0, 99, 100, 101, 125, 310].filter(isLook)).toEqual([100, 125]);
});

test("stops at the first look at which both intervals are narrow, on any number of threads", async () => {
  const precision = 0.007;
  const rows: Trial[] = [];
  const here = await campaign(SETTINGS, { trials: 1e6, precision, onTrials: (some) => rows.push(...some) });
  expect(here.precision).toMatchObject({ target: precision, met: true });
  expect(isLook(here.trials)).toBe(true);
  expect(rows).toHaveLength(here.trials);
  const before = Math.floor(here.trials / 1.25);
  const earlier = await campaign(SETTINGS, { trials: before, precision });
  expect(earlier.precision!.met).toBe(false);
  expect(earlier).toMatchObject({ trials: before, partial: false });

  const pool = await openPool(2);
  try {
    for (const options of [{ threads: 1 }, { threads: 3 }, { pool }, { pool }]) {
      const there = await campaign(SETTINGS, { trials: 1e6, precision, ...options });
      expect(bytesOf(there)).toBe(bytesOf(here));
    }
  } finally {
    await pool.close();
  }
});

test("the half-widths are those of the report", async () => {
  const { precision, messages, success } = await simulate(
    { protocol: "chang-roberts", n: 12, faults: { loss: 0.02 } },
    { precision: 0.03 },
  );
  expect(precision!.messages).toBeCloseTo((messages.high! - messages.mean!) / messages.mean!, 12);
  expect(precision!.success).toBeCloseTo((success.high! - success.low!) / 2, 12);
  expect(Math.max(precision!.messages!, precision!.success!)).toBeLessThanOrEqual(0.03);
});

test("a mean without spread, even of 0, is as precise as can be", async () => {
  const { precision, trials } = await simulate({ protocol: "known-highest", n: 10 }, { precision: 0.02 });
  expect(precision).toMatchObject({ messages: 0, met: true });
  // Only the success rate, of 100%, needs more trials than the first look.
  expect(trials).toBeLessThan(200);
});

test("stopping early leaves the intervals nearly as good as they say", async () => {
  // n H_n + n messages on average. Each of 300 intervals covers it with probability 95%, a little less for the stopping;
  // fewer than 260 have a probability below 1e-6 at 94%.
  const n = 8;
  const mean = n * (1 + 1 / 2 + 1 / 3 + 1 / 4 + 1 / 5 + 1 / 6 + 1 / 7 + 1 / 8) + n;
  let covered = 0;
  for (let seed = 0; seed < 300; seed++) {
    const { messages } = await simulate({ protocol: "chang-roberts", n, seed }, { precision: 0.025 });
    if (messages.low! <= mean && mean <= messages.high!) covered++;
  }
  expect(covered).toBeGreaterThanOrEqual(260);
});

test.each([0, 1, -0.1, Number.NaN])("refuses a precision of %d", async (precision) => {
  await expect(campaign(SETTINGS, { trials: 10, precision })).rejects.toThrow(
    "precision must be between 0 and 1, such as 1%",
  );
});
