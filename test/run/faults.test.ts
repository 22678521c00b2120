/**
 * Whatever is killed or stopped: run, guardian and command in every combination, real processes. A command that beats (`beats`) must not
 * do so under an old token once a newer one has begun, unless the docs say that it can; what can, only a guard keeps out.
 */
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { effort } from "../support/effort.ts";
import { RUN } from "../support/setup.ts";
import {
  BEATS,
  clearScenesAtTheEnd,
  inScene,
  isAlive,
  NotBegun,
  type RunProcess,
  type Scene,
  sleep,
  strike,
  until,
} from "./harness.ts";

clearScenesAtTheEnd();

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
const isInOrder = (it: Scene): boolean => tokensOf(it).every((token, i, all) => i === 0 || all[i - 1] <= token);

/** `untouched`: runs that no fault of this test has struck. A guardian without CPU is a case of its own, which the docs name. */
function inOrder(it: Scene, ...untouched: readonly RunProcess[]): void {
  if (!isInOrder(it) && untouched.some(({ isStarved }) => isStarved)) throw new NotBegun("the machine was too busy");
  expect(isInOrder(it), it.read("beats")).toBe(true);
}

// Few at the same time: each of them starts processes, and beside other files the machine has no time for many.
describe("killed:", () => {
  const cases: readonly (readonly Victim[])[] = [
    ["guardian"],
    ["run", "guardian"],
    // A run alone is killed below, with descendants.
    ...effort<readonly (readonly Victim[])[]>([], [["run"], ["command"], ["run", "command"]]),
  ];
  test.concurrent.each(cases)("%s %s", (...victims) =>
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
      inOrder(it, b);
      if (victims[0] === "guardian" && victims.length === 1) {
        const { msg } = await a.says("the command is ended from here");
        if (!msg.includes("the guardian has ended")) throw new NotBegun("the guardian was given up before");
        a.kill("SIGTERM");
        await a.ended;
      }
      b.kill("SIGTERM");
      await b.ended;
      await it.nothingLeft();
    }),
  );
});

describe("stopped:", () => {
  test.concurrent("the run: its guardian ends the command before the lease runs out; woken, it waits for its turn", () =>
    inScene(async (it) => {
      const { a, b, pids } = await led(it);
      await it.stop(a.pid);
      await b.started();
      expect(isAlive(pids.command)).toBe(false);
      a.kill("SIGCONT");
      await a.says("the command was ended before its lease ran out");
      const before = tokensOf(it).length;
      await until("more beats of the next", () => tokensOf(it).length > before + 3);
      inOrder(it, b);
      if (a.starts.length > 1 && b.isStarved) throw new NotBegun("b has lost its office to a busy machine");
      expect(a.starts).toHaveLength(1);
      // It leads again when the other one has gone.
      b.kill("SIGTERM");
      await b.ended;
      await a.started(2);
      a.kill("SIGTERM");
      await a.endsWith(143);
      inOrder(it, b);
    }));

  test.concurrent("the guardian: the run notices within a renewal interval, and ends the command itself", () =>
    inScene(async (it) => {
      const { a, b, pids } = await led(it, `trap "" TERM; ${BEATS}`);
      strike(pids.guardian, "SIGSTOP");
      await a.says("the guardian does not answer");
      await until("the end of the command", () => !isAlive(pids.command));
      await until("the end of the guardian", () => !isAlive(pids.guardian));
      await until("a beat of the next", () => new Set(tokensOf(it)).size >= 2);
      // A guardian and a run that are both paused are a case of their own, which the docs name.
      if (!isInOrder(it) && a.wasPaused) throw new NotBegun("the machine had no time for the run");
      inOrder(it, b);
      a.kill("SIGTERM");
      b.kill("SIGTERM");
      await Promise.all([a.ended, b.ended]);
    }));

  test.concurrent("the command: nothing happens, since it leads; it is ended all the same when it must", () =>
    inScene(async (it) => {
      const { a, b, pids } = await led(it);
      process.kill(pids.command, "SIGSTOP");
      await sleep(it.ttl * 1.2);
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

describe("descendants", () => {
  /** `who` writes its pid to the file of that name. */
  const AWAY = `setsid sh -c 'echo $$ > marked; trap "" TERM; ${BEATS}' &`;
  const CLEAN = `env -i SCENE="$SCENE" ${RUN}="$${RUN}" PATH="$PATH" setsid sh -c 'echo $$ > clean; cd "$SCENE"; exec sleep 60' &`;

  test("that left the group are ended with it, with a clean environment too while their parents live", () =>
    inScene(async (it) => {
      const { a, b, pids: own } = await led(it, `${AWAY} ${CLEAN} while :; do sleep 0.1; done`);
      const pids = await Promise.all(
        ["marked", "clean"].map((name) => until(name, () => Number(it.read(name)) || null)),
      );
      if (!pids.every(isAlive)) throw new NotBegun("a has lost its office");
      strike(a.pid, "SIGKILL");
      await b.started();
      expect([own.command, ...pids].filter(isAlive)).toEqual([]);
      await until("a beat of the next", () => new Set(tokensOf(it)).size >= 2);
      inOrder(it, b);
      b.kill("SIGTERM");
      await b.ended;
      await it.nothingLeft();
    }));
});

test("the engine is gone: the command is told in time, and killed before the lease has run out", () =>
  inScene(async (it) => {
    const a = it.sh(`trap "echo told >> beats" TERM; ${BEATS}`, { name: "a" });
    const { command } = await a.started();
    await until("a beat", () => it.read("beats") !== "");
    // Nobody can write to it while this one does.
    const locked = new DatabaseSync(it.file("leases.db"), { timeout: 10_000 });
    locked.exec("BEGIN EXCLUSIVE");
    if (!isAlive(command)) throw new NotBegun("a has lost its office");
    // It would go on for ever otherwise.
    await until("the end of the command", () => !isAlive(command));
    locked.exec("ROLLBACK");
    locked.close();
    // It ignores this signal, and was killed then.
    if (!it.read("beats").includes("told")) throw new NotBegun("the command had no time to say that it was told");
    await a.started(2);
    a.kill("SIGTERM");
    expect(await a.ended).toBeGreaterThan(0);
  }));

test("-k 2: on two members of three, one each; the third takes over", () =>
  inScene(async (it) => {
    const script = 'echo "$SORTITION_SEAT" >> seats; while :; do sleep 0.1; done';
    const runs = ["a", "b", "c"].map((name) => it.sh(script, { name, args: ["-k", "2", "--offices", "shards"] }));
    await until("two", () => runs.filter(({ starts }) => starts.length > 0).length === 2);
    await until("their seats", () => it.read("seats").trim().split("\n").length >= 2);
    const seats = it.read("seats").trim().split("\n").sort();
    const starts = runs.map((run) => run.starts.length).sort();
    if (starts.join() !== "0,1,1" && runs.some(({ isStarved }) => isStarved))
      throw new NotBegun("an office was lost to a busy machine");
    expect([seats, starts]).toEqual([
      ["shards#1", "shards#2"],
      [0, 1, 1],
    ]);
    const [working] = runs.filter(({ starts }) => starts.length === 1);
    working.kill("SIGTERM");
    await working.ended;
    await until("the third", () => runs.every(({ starts }) => starts.length > 0));
    for (const run of runs) if (run !== working) run.kill("SIGTERM");
    await Promise.all(runs.map(({ ended }) => ended));
    await it.nothingLeft();
  }));
