/**
 * Whatever is killed or stopped: run, guardian and command in every combination, real processes. A command that beats (`beats`) must not
 * do so under an old token once a newer one has begun, unless the docs say that it can; what can, only a guard keeps out.
 */
import { describe, expect, test } from "vitest";
import { effort } from "../support/effort.ts";
import { BEATS, inScene, isAlive, NotBegun, type Scene, scene, sleep, strike, TIMES, TTL, until } from "./harness.ts";

type Victim = "run" | "guardian" | "command";

/** Somebody leads, another one waits; then the fault. */
async function led(it: Scene, script = BEATS) {
  const a = it.sh(script, { name: "a" });
  const { guardian, command } = await a.started();
  await until("a beat", () => it.read("beats") !== "" || script !== BEATS);
  const b = it.sh(BEATS, { name: "b" });
  await b.says("waits to lead");
  if (a.starts.length !== 1 || b.starts.length !== 0 || !isAlive(command)) throw new NotBegun("a has lost its office");
  return { a, b, pids: { run: a.pid, guardian, command } };
}

const tokensOf = (it: Scene): number[] => it.read("beats").trim().split("\n").map(Number);

/** In the order in which they were written: once a newer leader has begun, the older one is silent. */
function inOrder(it: Scene): void {
  const tokens = tokensOf(it);
  expect(tokens).toEqual([...tokens].sort((x, y) => x - y));
}

describe.concurrent("killed:", () => {
  const cases: readonly (readonly Victim[])[] = [
    ["run"],
    ["guardian"],
    ["run", "guardian"],
    ...effort<readonly (readonly Victim[])[]>([], [["command"], ["run", "command"]]),
  ];
  test.each(cases)("%s %s", (...victims) =>
    inScene(async (it) => {
      const { a, b, pids } = await led(it);
      for (const victim of victims) if (victim !== undefined) strike(pids[victim], "SIGKILL");
      await until("the end of the command", () => !isAlive(pids.command));
      const isLost = victims.includes("run");
      // Who has ended by itself, as a command that somebody has killed has, has given the lease back.
      if (!isLost && victims[0] === "command") await a.endsWith(137);
      // A run that has lost no more than its guardian may well be elected again.
      if (isLost) await b.started();
      await until("a beat of the next", () => new Set(tokensOf(it)).size >= 2);
      inOrder(it);
      if (victims[0] === "guardian" && victims.length === 1) {
        await a.says("the guardian has ended: the command is ended from here");
        a.kill("SIGTERM");
        await a.ended;
      }
      b.kill("SIGTERM");
      await b.ended;
      await until("nothing left", () => it.everything().length === 0);
    }),
  );
});

describe.concurrent("stopped:", () => {
  test("the run: its guardian ends the command before the lease runs out; woken, it waits for its turn", () =>
    inScene(async (it) => {
      const { a, b, pids } = await led(it);
      await it.stop(a.pid);
      await b.started();
      expect(isAlive(pids.command)).toBe(false);
      a.kill("SIGCONT");
      await a.says("the command was ended before its lease ran out");
      await sleep(300);
      inOrder(it);
      expect(a.starts).toHaveLength(1);
      // It leads again when the other one has gone.
      b.kill("SIGTERM");
      await b.ended;
      await a.started(2);
      a.kill("SIGTERM");
      await a.endsWith(143);
      inOrder(it);
    }));

  test("the guardian: the run notices within a renewal interval, and ends the command itself", () =>
    inScene(async (it) => {
      const { a, b, pids } = await led(it, `trap "" TERM; ${BEATS}`);
      strike(pids.guardian, "SIGSTOP");
      await a.says("the guardian does not answer");
      await until("the end of the command", () => !isAlive(pids.command));
      await until("the end of the guardian", () => !isAlive(pids.guardian));
      await Promise.any([b.started(), a.started(2)]);
      await until("two", () => new Set(tokensOf(it)).size >= 2);
      inOrder(it);
      a.kill("SIGTERM");
      b.kill("SIGTERM");
      await Promise.all([a.ended, b.ended]);
    }));

  test("the command: nothing happens, since it leads; it is ended all the same when it must", () =>
    inScene(async (it) => {
      const { a, b, pids } = await led(it);
      process.kill(pids.command, "SIGSTOP");
      await sleep(TTL * 1.2);
      if (!isAlive(pids.command) && a.isStarved) throw new NotBegun("the office was lost to a busy machine");
      expect([isAlive(pids.command), a.starts.length, b.starts.length]).toEqual([true, 1, 0]);
      process.kill(pids.command, "SIGCONT");
      const before = it.read("beats").length;
      await until("it goes on", () => it.read("beats").length > before);
      process.kill(pids.command, "SIGSTOP");
      a.kill("SIGTERM");
      await a.endsWith(143);
      await b.started();
      b.kill("SIGTERM");
      await b.ended;
    }));
});

describe.concurrent("descendants", () => {
  /** `who` writes its pid to the file of that name. */
  const AWAY = `setsid sh -c 'echo $$ > marked; trap "" TERM; ${BEATS}' &`;
  const CLEAN = `env -i SCENE="$SCENE" PATH="$PATH" setsid sh -c 'echo $$ > clean; cd "$SCENE"; exec sleep 60' &`;

  test("that left the group are ended with it, with a clean environment too while their parents live", () =>
    inScene(async (it) => {
      const { a, b } = await led(it, `${AWAY} ${CLEAN} while :; do sleep 0.1; done`);
      const pids = await Promise.all(
        ["marked", "clean"].map((name) => until(name, () => Number(it.read(name)) || null)),
      );
      expect(pids.every(isAlive)).toBe(true);
      a.kill("SIGKILL");
      await b.started();
      expect(pids.filter(isAlive)).toEqual([]);
      b.kill("SIGTERM");
      await b.ended;
    }));
});

test("the engine is gone: the command is told in time, and killed before the lease has run out", async () => {
  const it = scene();
  const a = it.sh(`trap "echo told >> beats" TERM; ${BEATS}`, { name: "a" });
  const { command } = await a.started();
  await until("a beat", () => it.read("beats") !== "");
  // Nobody can write to it while this one does.
  const { DatabaseSync } = await import("node:sqlite");
  const locked = new DatabaseSync(it.file("leases.db"));
  locked.exec("BEGIN EXCLUSIVE");
  const began = performance.now();
  await until("the end of the command", () => !isAlive(command));
  // It would go on for ever otherwise.
  expect(performance.now() - began).toBeLessThan(TTL + 2000);
  expect(it.read("beats")).toContain("told");
  locked.exec("ROLLBACK");
  locked.close();
  await a.started(2);
  a.kill("SIGTERM");
  expect(await a.ended).toBeGreaterThan(0);
  expect(TIMES.grace).toBeLessThan(TTL);
});

test("-k 3: on three members of four, one each; a fourth takes over", () =>
  inScene(async (it) => {
    const script = 'echo "$SORTITION_SEAT" >> seats; while :; do sleep 0.1; done';
    const runs = ["a", "b", "c", "d"].map((name) => it.sh(script, { name, args: ["-k", "3", "--office", "shards"] }));
    await until("three", () => runs.filter(({ starts }) => starts.length > 0).length === 3);
    await until("their seats", () => it.read("seats").trim().split("\n").length >= 3);
    const seats = it.read("seats").trim().split("\n").sort();
    const starts = runs.map((run) => run.starts.length).sort();
    if (starts.join() !== "0,1,1,1" && runs.some(({ isStarved }) => isStarved))
      throw new NotBegun("an office was lost to a busy machine");
    expect([seats, starts]).toEqual([
      ["shards#1", "shards#2", "shards#3"],
      [0, 1, 1, 1],
    ]);
    const [working] = runs.filter(({ starts }) => starts.length === 1);
    working.kill("SIGTERM");
    await working.ended;
    await until("a fourth", () => runs.every(({ starts }) => starts.length > 0));
    for (const run of runs) if (run !== working) run.kill("SIGTERM");
    await Promise.all(runs.map(({ ended }) => ended));
    await until("nothing left", () => it.everything().length === 0);
  }));
