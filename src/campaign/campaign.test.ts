import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { effort } from "../../test/support/effort.ts";
import { InputError } from "../errors.ts";
import { changRoberts } from "../protocols/ring/chang-roberts.ts";
import { resolve } from "../simulation/settings.ts";
import { runTrial, type Trial } from "../simulation/trial.ts";
import type { Report } from "../statistics/report.ts";
import { campaign, openPool, simulate } from "./campaign.ts";
import { WorkerPool } from "./pool.ts";

const SETTINGS = resolve({
  protocol: "chang-roberts",
  n: 12,
  initiators: 5,
  delay: { kind: "exponential", mean: 1 },
  faults: { loss: 0.01, crash: 0.05 },
});

/** Everything but what the clock decides. */
const bytesOf = ({ seconds: _, messagesPerSecond: __, ...rest }: Report): string => JSON.stringify(rest);

/** Threads that run even what is not worth them. */
const startedPool = (threads: number) => {
  const pool = new WorkerPool(threads);
  return Object.assign(pool, { [Symbol.asyncDispose]: () => pool.close() });
};

describe("threads", () => {
  let started = 0;
  const count = () => void started++;
  beforeAll(() => void process.on("worker", count));
  afterAll(() => void process.off("worker", count));

  test("do not start for a campaign of milliseconds, nor for a few of them", async () => {
    started = 0;
    // The clock is fixed: on a busy machine, milliseconds of work take seconds.
    vi.useFakeTimers({ toFake: ["performance"] });
    onTestFinished(() => void vi.useRealTimers());
    expect(await campaign(SETTINGS, { trials: 30, threads: 2 })).toMatchObject({ trials: 30, partial: false });
    const pool = openPool(2);
    for (let i = 0; i < 3; i++) await campaign(SETTINGS, { trials: 10, pool });
    await pool.close();
    expect(started).toBe(0);
  });

  test("start for a long one, which goes on with the same trials", async () => {
    started = 0;
    const controller = new AbortController();
    const rows: Trial[] = [];
    const report = await campaign(SETTINGS, {
      trials: 1e9,
      threads: 2,
      signal: controller.signal,
      onTrials(some) {
        rows.push(...some);
        if (started > 0) controller.abort();
      },
    });
    expect(started).toBe(2);
    expect(report.trials).toBe(rows.length);
    expect(rows.map(({ trial }) => trial)).toEqual(rows.map((_, trial) => trial));
  });

  test("start for many short ones after the other", async () => {
    started = 0;
    const pool = openPool(2);
    for (let i = 0; i < 1000 && started === 0; i++) await campaign(SETTINGS, { trials: 100, pool });
    await pool.close();
    expect(started).toBe(2);
  });

  test("start at once for a trial that may be long, or never end", async () => {
    started = 0;
    const settings = resolve({ protocol: "chang-roberts", n: 20_000, ids: "decreasing", kernel: "off" });
    await campaign(settings, { trials: 1, threads: 1, signal: AbortSignal.timeout(100) });
    expect(started).toBe(1);
  });
});

test("a campaign that begins later has the trials of those numbers, on threads too", async () => {
  for (const threads of [0, 2]) {
    const rows: Trial[] = [];
    await using pool = threads === 0 ? undefined : startedPool(threads);
    const { trials } = await campaign(SETTINGS, {
      trials: 20,
      first: 1230,
      pool,
      onTrials: (some) => rows.push(...some),
    });
    expect(trials).toBe(20);
    expect(rows.map(({ trial }) => trial)).toEqual(Array.from({ length: 20 }, (_, i) => 1230 + i));
    expect(rows[4]).toEqual(runTrial(SETTINGS, 1234));
  }
});

test("any number of threads and the calling thread give the same bytes, and rows in order", async () => {
  const trials = 1500;
  const rows: Trial[] = [];
  const here = await campaign(SETTINGS, { trials, onTrials: (some) => rows.push(...some) });
  expect(here.trials).toBe(trials);
  expect(here.partial).toBe(false);
  expect(rows.map(({ trial }) => trial)).toEqual(Array.from({ length: trials }, (_, trial) => trial));
  expect(rows[1234]).toEqual(runTrial(SETTINGS, 1234));
  for (const threads of effort([3], [1, 2, 3])) {
    const others: Trial[] = [];
    const progress: number[] = [];
    await using pool = startedPool(threads);
    const report = await campaign(SETTINGS, {
      trials,
      pool,
      onTrials: (some) => others.push(...some),
      onProgress: (done, of) => progress.push(done / of),
    });
    expect(bytesOf(report)).toBe(bytesOf(here));
    expect(others).toEqual(rows);
    expect(progress).toEqual(progress.toSorted((a, b) => a - b));
    expect(progress.at(-1)).toBe(1);
  }
});

test("the report agrees with the rows it was made from", async () => {
  const rows: Trial[] = [];
  const report = await campaign(SETTINGS, { trials: 500, onTrials: (some) => rows.push(...some) });
  const mean = rows.reduce((sum, { messages }) => sum + messages, 0) / rows.length;
  expect(report.messages.mean).toBe(mean);
  expect(report.outcomes.one).toBe(rows.filter(({ outcome }) => outcome === "one").length);
  expect(report.rounds.max).toBe(Math.max(...rows.map(({ rounds }) => rounds)));
  expect(report.seconds).toBeGreaterThan(0);
});

test.each([0, 2])(
  "aborted with %i threads, it reports the first trials and says that they are not all",
  async (threads) => {
    const controller = new AbortController();
    const rows: Trial[] = [];
    await using pool = threads === 0 ? undefined : startedPool(threads);
    const report = await campaign(SETTINGS, {
      trials: 1e9,
      pool,
      signal: controller.signal,
      onTrials(some) {
        rows.push(...some);
        if (rows.length > 20) controller.abort();
      },
    });
    expect(report.partial).toBe(true);
    expect(report.trials).toBeGreaterThan(20);
    expect(report.trials).toBe(rows.length);
    const again = await campaign(SETTINGS, { trials: report.trials });
    expect(bytesOf({ ...again, partial: true })).toBe(bytesOf(report));
  },
);

test("an abort does not wait for the end of a trial", async () => {
  // Half of 200,000² messages: more than half an hour for one trial.
  const settings = resolve({ protocol: "chang-roberts", n: 200_000, ids: "decreasing", kernel: "off" });
  const report = await campaign(settings, { trials: 1, threads: 1, signal: AbortSignal.timeout(500) });
  expect(report).toMatchObject({ trials: 0, partial: true, messages: { mean: null }, success: { rate: null } });
});

test("aborted before it began, it runs nothing", async () => {
  const onProgress = () => expect.unreachable();
  const report = await campaign(SETTINGS, { trials: 10, threads: 1, signal: AbortSignal.abort(), onProgress });
  expect(report).toMatchObject({ trials: 0, partial: true, seconds: 0 });
});

test.each([0, 1])("with %i threads, a fault stays a fault", async (threads) => {
  const broken = { ...SETTINGS, faults: null as never };
  await expect(campaign(broken, { trials: 3, threads })).rejects.toSatisfy(
    (error) => error instanceof TypeError && !(error instanceof InputError),
  );
});

test("a failure of the receiver of rows ends the campaign", async () => {
  const onTrials = () => {
    throw new InputError("the disk is full");
  };
  await using pool = startedPool(2);
  for (const crew of [undefined, pool]) {
    await expect(campaign(SETTINGS, { trials: 1e9, pool: crew, onTrials })).rejects.toThrow("the disk is full");
  }
});

test.each([
  [{ trials: 0 }, "trials must be a whole number from 1 to 4294967296, not 0"],
  [{ trials: 1.5 }, "not 1.5"],
  [{ trials: 1, threads: -1 }, "threads must be a whole number from 0 to 1024, not -1"],
])("refuses %o", async (options, message) => {
  await expect(campaign(SETTINGS, options)).rejects.toThrow(message);
});

test("simulate resolves a request; one trial gives values without spread", async () => {
  const report = await simulate({ protocol: "chang-roberts", n: 6, ids: "increasing", trials: 1 });
  expect(report.messages).toMatchObject({ mean: 2 * 6 - 1 + 6, sd: null, low: null, high: null });
  await expect(simulate({ protocol: "chang-roberts", n: 0 })).rejects.toThrow(InputError);
});

test("neighbouring seeds are uncorrelated", async () => {
  // Under independence r·sqrt(trials) of two seeds is close to standard normal; |.| > 5 has probability 6e-7, so one of
  // the 22 comparisons gives a false alarm with probability 1.3e-5. Equal streams would give r = 1.
  const trials = 2000;
  const vectors = Array.from({ length: 12 }, (_, seed) => {
    const settings = resolve({ protocol: "chang-roberts", n: 8, seed });
    return Float64Array.from({ length: trials }, (_, trial) => runTrial(settings, trial).messages);
  });
  for (let seed = 1; seed < vectors.length; seed++) {
    expect(deviation(vectors[seed - 1], vectors[seed])).toBeLessThan(5);
    // Nor is a seed's stream its neighbour's, one trial later.
    expect(deviation(vectors[seed - 1].subarray(1), vectors[seed].subarray(0, -1))).toBeLessThan(5);
  }
});

/** |r|·sqrt(length), where r is Pearson's correlation. */
function deviation(x: Float64Array, y: Float64Array): number {
  const centred = (values: Float64Array) => {
    const mean = values.reduce((a, b) => a + b) / values.length;
    return values.map((value) => value - mean);
  };
  const [a, b] = [centred(x), centred(y)];
  const product = (u: Float64Array, v: Float64Array) => u.reduce((sum, value, index) => sum + value * v[index], 0);
  return Math.abs(product(a, b)) * Math.sqrt(x.length / (product(a, a) * product(b, b)));
}

describe("a protocol of the user's own", () => {
  const mine = { ...changRoberts, name: "chang-roberts" };

  test("runs its own code, whatever it is called", async () => {
    const silent = {
      ...mine,
      verdict: () => ({ status: "undecided", leader: null, term: 0 }) as const,
    };
    const report = await simulate({ protocol: silent, n: 5, trials: 3 });
    expect(report).toMatchObject({ protocol: "chang-roberts", outcomes: { none: 3 } });
    expect(JSON.parse(JSON.stringify(report.setting)).protocol).toBe("chang-roberts");
  });

  test("runs on threads from its module, with the numbers of the catalogue's", async () => {
    const module = new URL("../protocols/ring/chang-roberts.ts", import.meta.url).href;
    const request = { n: 9, trials: 20 };
    const own = await simulate({ ...request, protocol: { module } }, { threads: 1 });
    expect(own.setting.protocol).toEqual({ module, export: "changRoberts" });
    const ours = await simulate({ ...request, protocol: "chang-roberts" });
    expect(own).toMatchObject({ messages: ours.messages, rounds: ours.rounds, bits: ours.bits });
  });

  test("needs its module for threads", async () => {
    const refused = simulate({ protocol: mine, n: 5, trials: 3 }, { threads: 1 });
    await expect(refused).rejects.toThrow(/threads cannot run chang-roberts from an object: give its module/);
  });
});
