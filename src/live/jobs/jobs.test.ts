/** Jobs that run once, in virtual time: a group whose processes are killed, paused and cut off at every moment around a job's end. */
import { describe, expect, test } from "vitest";
import { effort } from "../../../test/support/effort.ts";
import { TestGroup, type TestProcess } from "../testing/test-group.ts";
import type { JobLeadership } from "./job.ts";
import type { JobDone } from "./member-jobs.ts";
import { timetable } from "./when.ts";

interface Run {
  readonly by: string;
  readonly key: string;
  readonly at: number;
  readonly scheduledAt: number | null;
  end: number | null;
}

/** Work of this many milliseconds, which notes when it runs. `late`: it does not mind its signal. */
function notebook(group: () => TestGroup) {
  const runs: Run[] = [];
  const work =
    ({ name, clock }: TestProcess, ms: number) =>
    async ({ key, scheduledAt, signal }: JobLeadership) => {
      const run: Run = { by: name, key, at: group().now, scheduledAt: scheduledAt?.getTime() ?? null, end: null };
      runs.push(run);
      await clock.sleep(ms, signal);
      run.end = group().now;
    };
  return { runs, work };
}

describe("once", () => {
  test("three members, one run; the others are told who did it, and when", async () => {
    const told: JobDone[] = [];
    const note = notebook(() => group);
    const group = await TestGroup.start({
      program: async (process) => void told.push(await process.member.once("migrate", note.work(process, 500))),
    });
    await group.until(() => told.length === 3);
    expect(note.runs).toHaveLength(1);
    expect(told.map(({ ran }) => ran).sort()).toEqual([false, false, true]);
    expect(new Set(told.map(({ by, at, token }) => `${by} ${at} ${token}`)).size).toBe(1);
    expect(told[0]).toMatchObject({ key: "migrate", by: note.runs[0].by, scheduledAt: null, attempts: 1 });
    // Who asks later is told at once, and nothing runs.
    const again = group.process("a").member.once("migrate", () => expect.unreachable());
    void again.then((done) => told.push(done));
    await group.until(() => told.length === 4, 100);
    expect(told[3]).toEqual({ ...told[0], ran: false });
  });

  test("if any member is killed, paused or cut off at any moment: never two at a time, at least one that ended, and all members learn of it", async () => {
    const seeds = effort(5, 400);
    let repeated = 0;
    for (let seed = 1; seed <= seeds; seed++) {
      const told = new Map<string, JobDone>();
      const note = notebook(() => group);
      const group = await TestGroup.start({
        seed,
        program: async (process) =>
          void told.set(process.name, await process.member.once("k", note.work(process, 300))),
      });
      await group.until(() => note.runs.length === 1);
      const { by } = note.runs[0];
      // From the middle of the work to well after its record was answered.
      await group.run(280 + (seed % 40));
      const fault = ["kill", "pause", "isolate", "engine"][seed % 4];
      if (fault === "kill") group.kill(by);
      else if (fault === "pause") group.pause(by, 4000);
      else if (fault === "isolate") group.isolate(by);
      else group.stopEngine();
      await group.run(5000);
      if (fault === "kill") await group.restart(by);
      group.startEngine();
      group.heal();
      await group.until(() => told.size === 3, 120_000);
      expect(
        note.runs.some(({ end }) => end !== null),
        `seed ${seed}`,
      ).toBe(true);
      const unpaused = note.runs.filter((run) => fault !== "pause" || run.by !== by);
      for (const [i, run] of unpaused.entries()) {
        for (const other of unpaused.slice(i + 1)) {
          const isApart = run.end === null || run.end <= other.at || fault === "kill";
          expect(isApart, `seed ${seed}: ${JSON.stringify(note.runs)}`).toBe(true);
        }
      }
      repeated += note.runs.length - 1;
    }
    // Between the end of the work and its record a crash repeats it: completed at least once.
    expect(repeated).toBeGreaterThan(0);
  });

  test("who waits learns of it also where the next leader of the office has no job there", async () => {
    for (let seed = 1; seed <= 8; seed++) {
      const told = new Map<string, JobDone>();
      const note = notebook(() => group);
      const group = await TestGroup.start({ seed });
      const members = () => ["a", "b", "c"].map((name) => group.process(name).member);
      await group.until(() => members().some(({ leader }) => leader?.mine === true));
      const idle = members().find(({ leader }) => leader?.mine === true)!;
      const [runs, waits] = ["a", "b", "c"].filter((name) => name !== idle.name);
      for (const name of [runs, waits]) {
        const process = group.process(name);
        void process.member.once("k", note.work(process, 300)).then((done) => told.set(name, done));
      }
      await group.run(100);
      void idle.transfer(runs);
      await group.until(() => told.size === 2, 30_000);
      expect([...told.values()].map(({ ran }) => ran).sort()).toEqual([false, true]);
    }
  });

  test("a failure is tried again by another member, after a pause; after so many it is given up, and all are told", async () => {
    const told: unknown[] = [];
    const runs: { readonly by: string; readonly at: number; readonly attempt: number }[] = [];
    const group = await TestGroup.start({
      allowThrows: true,
      program: ({ name, member }) =>
        member
          .once(
            "bad",
            ({ attempt }) => {
              runs.push({ by: name, at: group.now, attempt });
              throw new Error("no disk");
            },
            { attempts: 3 },
          )
          .then(
            () => expect.unreachable(),
            (error: unknown) => told.push(error),
          ),
    });
    await group.until(() => told.length === 3, 120_000);
    expect(runs.map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
    expect(runs[1].by).not.toBe(runs[0].by);
    expect(runs[1].at - runs[0].at).toBeGreaterThanOrEqual(1000);
    expect(runs[2].at - runs[1].at).toBeGreaterThanOrEqual(2000);
    for (const error of told) expect(error).toMatchObject({ code: "JOB_FAILED" });
  });
});

describe("schedule", () => {
  test("each occurrence once, whichever member runs it, in seconds too; fail-overs lose none", async () => {
    const note = notebook(() => group);
    const group = await TestGroup.start({
      program: (process) => void process.member.schedule("*/2 * * * * *", note.work(process, 20), { key: "tick" }),
    });
    for (let i = 0; i < 4; i++) {
      await group.run(5000);
      const leader = group.leaders()[0];
      if (leader === undefined) continue;
      group.kill(leader);
      await group.run(3000);
      await group.restart(leader);
    }
    const ended = note.runs.filter(({ end }) => end !== null).map(({ scheduledAt }) => scheduledAt!);
    expect(new Set(ended).size).toBe(ended.length);
    expect(ended.length).toBeGreaterThan(8);
    expect(new Set(note.runs.map(({ by }) => by)).size).toBeGreaterThan(1);
  });

  test("an occurrence that nobody was there for is run late, and told which it is; or skipped", async () => {
    for (const missed of ["run", "skip"] as const) {
      const note = notebook(() => group);
      const group = await TestGroup.start({
        program: (process) =>
          void process.member.schedule({ every: "10s" }, note.work(process, 20), { key: "deploy", missed }),
      });
      const beginning = group.process("a").clock.now() - group.now;
      const past = (ms: number) => (beginning + group.now) % 10_000 === ms;
      await group.until(() => past(9000));
      expect(note.runs).toEqual([]);
      for (const name of ["a", "b", "c"]) group.kill(name);
      await group.run(10_000);
      await group.until(() => past(6000));
      for (const name of ["a", "b", "c"]) await group.restart(name);
      await group.until(() => past(9900));
      const due = beginning + group.now - 9900;
      expect(note.runs.map(({ scheduledAt }) => scheduledAt)).toEqual(missed === "run" ? [due] : []);
    }
  });

  test("a pause after the end of the last run, whichever member ran it", async () => {
    const note = notebook(() => group);
    const group = await TestGroup.start({
      program: (process) => void process.member.schedule({ after: "3s" }, note.work(process, 500), { key: "poll" }),
    });
    await group.until(() => note.runs.length === 2 && note.runs[1].end !== null);
    group.kill(note.runs[1].by);
    await group.until(() => note.runs.length === 4);
    for (let i = 1; i < 4; i++) expect(note.runs[i].at - note.runs[i - 1].end!).toBeGreaterThanOrEqual(2999);
    expect(note.runs[2].by).not.toBe(note.runs[1].by);
  });
});

test("times of a schedule: cron with seconds and time zones, multiples of a duration, and what is none is refused", () => {
  const at = (text: string) => Date.parse(text);
  const fixed = (when: Parameters<typeof timetable>[0]) => {
    const table = timetable(when);
    if (table.kind !== "fixed") throw new Error("not at fixed times");
    return table;
  };
  const nightly = fixed({ cron: "0 3 * * *", tz: "Europe/Berlin" });
  expect(nightly.last(at("2026-01-10T02:00:00Z"))).toBe(at("2026-01-10T02:00:00Z"));
  expect(nightly.last(at("2026-01-10T01:59:59.999Z"))).toBe(at("2026-01-09T02:00:00Z"));
  expect(nightly.next(at("2026-07-10T00:59:59Z"))).toBe(at("2026-07-10T01:00:00Z"));
  expect(fixed("*/5 * * * * *").last(at("2026-01-10T00:00:07.400Z"))).toBe(at("2026-01-10T00:00:05Z"));
  expect(fixed({ every: "15m" }).next(at("2026-01-10T00:14:59Z"))).toBe(at("2026-01-10T00:15:00Z"));
  for (const bad of [
    "at night",
    "61 * * * *",
    { cron: "0 3 * * *", tz: "Mars/Olympus" },
    { every: "soon" },
    { after: "-1s" },
  ]) {
    expect(() => timetable(bad)).toThrow();
  }
});

test("without leases, under an office of several seats, or twice, a job is refused in words", async () => {
  const alone = await TestGroup.start({ members: ["a"], lease: null });
  await expect(alone.process("a").member.once("k", () => {})).rejects.toMatchObject({ code: "BAD_LEASE" });
  const group = await TestGroup.start({ members: ["a"], offices: ["shards:2", "one"] });
  const { member } = group.process("a");
  await expect(member.once("k", () => {})).rejects.toMatchObject({ code: "BAD_OPTION" });
  expect(() => member.schedule("0 25 * * *", () => {}, { office: "one" })).toThrow("no cron expression");
  member.schedule({ every: "1h" }, () => {}, { office: "one" });
  expect(() => member.schedule({ every: "1h" }, () => {}, { office: "one" })).toThrow("already");
});
