import { expect, test } from "vitest";
import { InputError } from "../errors.ts";
import { resolve } from "../simulation/settings.ts";
import { WorkerPool } from "./pool.ts";
import { identityOf, type Planned, type Point, sweep } from "./sweep.ts";
import { parseSweep, pointKey, sweepText } from "./sweep-file.ts";

const PLAN: Planned[] = [10, 20].flatMap((n, i) =>
  ["chang-roberts", "peterson"].map((protocol, j) => ({
    labels: { protocol, n, note: 'a "word", and more' },
    settings: resolve({ protocol, n }),
    comparedWith: j === 0 ? null : 2 * i,
  })),
);
const OPTIONS = { trials: 60 };

const kept = (points: readonly Point[]) =>
  points.map((point, i) => ({
    ...point,
    key: pointKey(identityOf(PLAN, i, OPTIONS)),
    theory: { messages: 1.5 },
    kernel: null,
  }));

test("points in order, on any number of threads, compared where the plan says so", async () => {
  const here = await sweep(PLAN, OPTIONS);
  expect(here.partial).toBe(false);
  expect(here.points.map(({ labels }) => labels)).toEqual(PLAN.map(({ labels }) => labels));
  expect(here.points.map(({ differences }) => differences === null)).toEqual([true, false, true, false]);
  const [first, second] = here.points;
  const { messages } = second.differences!;
  expect(messages.mean).toBeCloseTo(second.values.messages.mean! - first.values.messages.mean!, 10);
  const pool = new WorkerPool(2);
  expect(await sweep(PLAN, { ...OPTIONS, pool })).toEqual(here);
  await pool.close();
  expect(await sweep(PLAN, { ...OPTIONS, threads: 2 })).toEqual(here);
});

test("goes on where it stopped, also in the middle of a comparison", async () => {
  const whole = await sweep(PLAN, OPTIONS);
  const controller = new AbortController();
  let text = "";
  const cut = await sweep(PLAN, {
    ...OPTIONS,
    signal: controller.signal,
    onPoint(points) {
      text = sweepText(kept(points));
      if (points.length === 3) controller.abort();
    },
  });
  expect(cut).toMatchObject({ partial: true, points: { length: 3 } });

  const known = parseSweep(text, "points.csv");
  expect([...known.values()]).toEqual(whole.points.slice(0, 3));
  const ran: unknown[] = [];
  const rest = await sweep(PLAN, {
    ...OPTIONS,
    known: (identity) => known.get(pointKey(identity)),
    onProgress: (_, { labels }) => ran.push(labels),
  });
  expect(rest).toEqual(whole);
  // The first of the pair has run again, for its trials; the first two points have not.
  expect(new Set(ran)).toEqual(new Set([PLAN[2].labels, PLAN[3].labels]));
});

test("points of other settings, trials or precision are other points", () => {
  const other = PLAN.map((point) => ({ ...point, settings: { ...point.settings, seed: 9 } }));
  const identities = [
    identityOf(PLAN, 0, OPTIONS),
    identityOf(PLAN, 1, OPTIONS),
    identityOf(PLAN, 1, { ...OPTIONS, measure: "measures.steps" }),
    identityOf(PLAN, 0, { trials: 61 }),
    identityOf(PLAN, 0, { ...OPTIONS, precision: 0.1 }),
    identityOf(other, 0, OPTIONS),
  ];
  expect(new Set(identities.map(pointKey)).size).toBe(identities.length);
});

test("a line cut short is a point that is not there; another file is refused", async () => {
  const { points } = await sweep(PLAN, OPTIONS);
  const text = sweepText(kept(points));
  expect(parseSweep(text.slice(0, -30), "points.csv").size).toBe(3);
  for (const strange of ["", "a,b,c\n1,2,3\n"]) expect(() => parseSweep(strange, "x.csv")).toThrow(InputError);
});

test("a mean that hangs on few trials, or that theory contradicts, is named at its point", async () => {
  const settings = resolve({ protocol: "council-basic", n: 10_000, params: { L: 1, U: 8 } });
  const { points } = await sweep([{ labels: { n: 10_000 }, settings, comparedWith: null }], { trials: 100 });
  expect(points[0].warnings?.join(" ")).toMatch(/hangs on few trials|exact theory expects/);
});
