import { expect, test } from "vitest";
import { effort, isLong } from "../../test/support/effort.ts";
import { campaign, openPool, simulate } from "../campaign/campaign.ts";
import { resolve } from "../simulation/settings.ts";
import type { Trial } from "../simulation/trial.ts";
import { rateOf } from "./intervals.ts";
import { Looks } from "./precision.ts";
import type { Report } from "./report.ts";

const SETTINGS = resolve({ protocol: "chang-roberts", n: 12, delay: { kind: "exponential", mean: 1 } });

const bytesOf = ({ seconds: _, messagesPerSecond: __, ...rest }: Report): string => JSON.stringify(rest);

test("looks are fixed beforehand: half as many again each time, the most trials last, none where none could be enough", () => {
  const looksOf = (looks: Looks) => {
    const numbers = [looks.after(0)];
    while (looks.after(numbers.at(-1)!) > numbers.at(-1)!) numbers.push(looks.after(numbers.at(-1)!));
    return numbers;
  };
  expect(looksOf(new Looks(0.05, 1000))).toEqual([100, 150, 225, 338, 507, 761, 1000]);
  expect(looksOf(new Looks(0.01, 500))).toEqual([184, 276, 414, 500]);
  const looks = new Looks(0.05, 1000);
  expect([0, 99, 100, 101, 150, 1000].filter((trials) => looks.isLook(trials))).toEqual([100, 150, 1000]);
  expect(looks.confidence).toBeCloseTo(1 - 0.05 / 7, 12);
});

test("stops at the first look at which both intervals are narrow, on any number of threads", async () => {
  const precision = 0.01;
  const rows: Trial[] = [];
  const here = await campaign(SETTINGS, { trials: 1e6, precision, onTrials: (some) => rows.push(...some) });
  expect(here.precision).toMatchObject({ target: precision, met: true });
  expect(new Looks(precision, 1e6).isLook(here.trials)).toBe(true);
  expect(rows).toHaveLength(here.trials);
  const before = Math.floor(here.trials / 1.5);
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

/** What a campaign with this rate of success ends with, over all counts and looks: exact chances, no simulation. */
function endings(looks: Looks, p: number): { successes: number; trials: number; chance: number }[] {
  const ends = [];
  let running = new Map([[0, 1]]);
  let trials = 0;
  for (let look = looks.after(0); look > trials; look = looks.after(trials)) {
    const more = binomial(look - trials, p);
    const next = new Map<number, number>();
    for (const [before, chance] of running) {
      for (const [k, share] of more) next.set(before + k, (next.get(before + k) ?? 0) + chance * share);
    }
    trials = look;
    running = new Map();
    for (const [successes, chance] of next) {
      const { low, high } = rateOf(successes, trials, looks.confidence);
      const over = (high! - low!) / 2 <= looks.target || looks.after(trials) === trials;
      if (over) ends.push({ successes, trials, chance });
      else running.set(successes, chance);
    }
  }
  return ends;
}

function binomial(n: number, p: number): [number, number][] {
  let log = n * Math.log1p(-p);
  const all: [number, number][] = [];
  for (let k = 0; k <= n; k++) {
    if (log > -40) all.push([k, Math.exp(log)]);
    log += Math.log((n - k) / (k + 1)) + Math.log(p) - Math.log1p(-p);
  }
  return all;
}

const RATES = effort(
  [0.5, 0.9, 0.98, 0.995, 0.9995],
  [0.05, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.97, 0.98, 0.99, 0.995, 0.998, 0.9995],
);

test.each(RATES)("the interval of a success rate of %d at which a campaign stops holds 95%", (p) => {
  for (const looks of [new Looks(0.05, 1000), new Looks(0.02, 1000)]) {
    const ends = endings(looks, p);
    expect(ends.reduce((sum, { chance }) => sum + chance, 0)).toBeCloseTo(1, 9);
    const holds = ends.filter(({ successes, trials }) => {
      const { low, high } = rateOf(successes, trials, looks.confidence);
      return low! <= p && p <= high!;
    });
    expect(holds.reduce((sum, { chance }) => sum + chance, 0)).toBeGreaterThanOrEqual(0.95);
  }
});

test("an interval of a campaign with a precision is that of its looks", async () => {
  const { success, precision, outcomes, trials } = await simulate(
    { protocol: "chang-roberts", n: 12, faults: { loss: 0.02 }, trials: 2000 },
    { precision: 0.05 },
  );
  expect(success).toEqual(rateOf(outcomes.one, trials, 1 - 0.05 / precision!.looks));
});

const COSTLY = { protocol: "council-basic", n: 10_000, params: { L: 1, U: 8 } };

// One trial in 62 costs 10,000 messages, the others 4: a hundred trials see none of these in a fifth of all seeds.
test("a mean that hangs on few trials, or on none of those that count, is warned of", async () => {
  let warned = 0;
  for (let seed = 0; seed < effort(40, 1000); seed++) {
    const { warnings = [], theory } = await simulate({ ...COSTLY, seed, trials: 100 });
    expect(theory!.messages).toBeCloseTo(170.59, 2);
    if (warnings.some((text) => text.includes("messages"))) warned++;
  }
  expect(warned / effort(40, 1000)).toBeGreaterThanOrEqual(0.95);
});

test("and a precision is not met by it", async () => {
  const { messages, trials, warnings } = await simulate({ ...COSTLY, seed: 100 }, { precision: 0.1 });
  expect(trials).toBeGreaterThan(1000);
  expect(messages.low!).toBeLessThan(170.59);
  expect(messages.high!).toBeGreaterThan(170.59);
  expect(warnings).toBeUndefined();
});

test.each(["chang-roberts", "peterson", "itai-rodeh", "referees", "quorum", "referees-async", "known-highest"])(
  "%s, where trials are alike, is not warned of",
  async (protocol) => {
    for (let seed = 0; seed < effort(3, 10); seed++) {
      expect((await simulate({ protocol, n: 50, seed, trials: 100 })).warnings).toBeUndefined();
    }
  },
);

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
  expect(trials).toBeLessThan(300);
});

test.runIf(isLong)("stopping early leaves the intervals nearly as good as they say", async () => {
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
