/**
 * What docs/run.md lists as able to run past its lease, as far as it can be made here: in each case the former leader still writes when the
 * next one leads, and the guard refuses it. The counter never goes back, and takes nothing under an old token.
 */
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { FenceRefused } from "../../src/live/guards/fence.ts";
import { effort, isLong } from "../support/effort.ts";
import { RUN } from "../support/setup.ts";
import { addOne, openCounter } from "./counter.ts";
import {
  clearScenesAtTheEnd,
  inScene,
  isAlive,
  NotBegun,
  type RunProcess,
  type Scene,
  scene,
  sleep,
  strike,
  until,
} from "./harness.ts";

clearScenesAtTheEnd();

const LIMIT = { timeout: effort(60_000, 900_000) };
const COUNTER = fileURLToPath(new URL("counter.ts", import.meta.url));
const NODE = `'${process.execPath}' --no-warnings '${COUNTER}'`;

const lines = (it: Scene, name: string): string[][] =>
  it
    .read(name)
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => line.split(" "));

/** In the order of the writes. */
function written(it: Scene): readonly { value: number; token: bigint }[] {
  const database = openCounter(it.file("counter.db"));
  const rows = database.prepare("SELECT value, token FROM counter ORDER BY value").all() as {
    value: number;
    token: string;
  }[];
  database.close();
  return rows.map(({ value, token }) => ({ value, token: BigInt(token) }));
}

/** The counter never goes back, and takes nothing under an old token. */
function check(it: Scene): void {
  const rows = written(it);
  expect(rows.map(({ value }) => value)).toEqual(rows.map((_, i) => i + 1));
  const tokens = rows.map(({ token }) => token);
  expect(tokens).toEqual([...tokens].sort((a, b) => (a < b ? -1 : 1)));
}

const writers = (it: Scene): number => new Set(written(it).map(({ token }) => token)).size;

/** a leads and counts; b waits. */
async function counting(it: Scene, command: string) {
  const a = it.sh(command, { name: "a" });
  const { guardian, command: pid } = await a.started();
  await until("it counts", () => lines(it, "up").length > 0 && writers(it) === 1);
  const [[token, worker]] = lines(it, "up");
  const b = it.sh(`exec ${NODE}`, { name: "b" });
  await b.says("waits to lead");
  if (a.starts.length !== 1 || b.starts.length !== 0 || !isAlive(Number(worker)))
    throw new NotBegun("a has lost its office");
  return { a, b, pids: { guardian, command: pid, worker: Number(worker) }, token };
}

/** The next leader has written, and the former one was refused since. */
async function refused(it: Scene, b: RunProcess, token: string): Promise<void> {
  await b.started();
  await until("the next leader writes", () => writers(it) >= 2);
  await until("the former one is refused", () =>
    lines(it, "refused").some(([of, code]) => of === token && code === "old"),
  );
  check(it);
}

// Few at the same time: each of them starts processes, and beside other files the machine has no time for many.
describe("what can run past its lease is refused by a guard:", () => {
  // In `npm test` a part of the one below, where the command wakes up while both are stopped.
  test.runIf(isLong)("run and guardian both stopped (as starved ones would be)", () =>
    inScene(async (it) => {
      const { a, b, pids, token } = await counting(it, `exec ${NODE}`);
      await it.stop(a.pid);
      strike(pids.guardian, "SIGSTOP");
      if (!isAlive(pids.worker)) throw new NotBegun("its guardian was faster");
      await refused(it, b, token);
      expect(isAlive(pids.worker)).toBe(true);
      // Whichever wakes up ends it.
      process.kill(pids.guardian, "SIGCONT");
      await until("the end of the command", () => !isAlive(pids.worker));
    }),
  );

  test.runIf(isLong)("the run killed, while its guardian is stopped", () =>
    inScene(async (it) => {
      const { a, b, pids, token } = await counting(it, `exec ${NODE}`);
      strike(pids.guardian, "SIGSTOP");
      a.kill("SIGKILL");
      if (!isAlive(pids.worker)) throw new NotBegun("its guardian was faster");
      await refused(it, b, token);
      expect(isAlive(pids.worker)).toBe(true);
      process.kill(pids.guardian, "SIGCONT");
      await until("the end of the command", () => !isAlive(pids.worker));
    }),
  );

  test.runIf(isLong)("a descendant, when the guardian was killed while the run is stopped", () =>
    inScene(async (it) => {
      const { a, b, pids, token } = await counting(it, `${NODE} & wait`);
      await it.stop(a.pid);
      strike(pids.guardian, "SIGKILL");
      await refused(it, b, token);
      expect([isAlive(pids.command), isAlive(pids.worker)]).toEqual([false, true]);
      a.kill("SIGCONT");
      await until("the end of the descendant", () => !isAlive(pids.worker));
    }),
  );

  test.concurrent("a descendant, when both were killed", () =>
    inScene(async (it) => {
      const { a, b, pids, token } = await counting(it, `${NODE} & wait`);
      // At one moment, as far as the guardian can tell.
      strike(pids.guardian, "SIGSTOP");
      a.kill("SIGKILL");
      process.kill(pids.guardian, "SIGKILL");
      if (!isAlive(pids.worker)) throw new NotBegun("its guardian was faster");
      await refused(it, b, token);
      expect([isAlive(pids.command), isAlive(pids.worker)]).toEqual([false, true]);
      // The next run of the same member ends it before it leads.
      const again = it.sh("exit 0", { name: "a" });
      await again.says("a former run has left processes behind");
      await again.says("waits to lead");
      expect([isAlive(pids.worker), again.starts.length]).toEqual([false, 0]);
    }));

  test.concurrent("a descendant that left the group, cleaned its environment and lost its parents", () =>
    inScene(async (it) => {
      const away = `(env -i SCENE="$SCENE" ${RUN}="$${RUN}" PATH="$PATH" setsid ${NODE} "$SORTITION_FENCE" &) ; while :; do sleep 1; done`;
      const { a, b, pids, token } = await counting(it, away);
      await until("it has no parent of ours", () => isAlive(pids.worker));
      a.kill("SIGKILL");
      await refused(it, b, token);
      expect([isAlive(pids.command), isAlive(pids.worker)]).toEqual([false, true]);
    }));
});

describe("and so is, with a guard:", () => {
  test.concurrent("a machine that was asleep, where the command wakes up first", () =>
    inScene(async (it) => {
      const { a, b, pids, token } = await counting(it, `exec ${NODE}`);
      await it.stop(a.pid);
      strike(pids.guardian, "SIGSTOP");
      if (!isAlive(pids.command)) throw new NotBegun("its guardian was faster");
      await it.stop(pids.command, "counter.db");
      await b.started();
      await until("the next leader writes", () => writers(it) >= 2);
      process.kill(pids.command, "SIGCONT");
      await refused(it, b, token);
      process.kill(pids.guardian, "SIGCONT");
      a.kill("SIGCONT");
      await until("the end of the command", () => !isAlive(pids.command));
      check(it);
    }));

  test.concurrent("a request that was sent before, or that a daemon carries out", () =>
    inScene(async (it) => {
      const { a, b } = await counting(it, `echo "$SORTITION_FENCE" > sent; exec ${NODE}`);
      const fence = it.read("sent").trim();
      a.kill("SIGTERM");
      await a.ended;
      await b.started();
      await until("the next leader writes", () => writers(it) >= 2);
      const database = openCounter(it.file("counter.db"));
      expect(() => addOne(database, fence)).toThrow(FenceRefused);
      database.close();
      check(it);
    }));
});

test("a guarded counter through kills and stops of everything, in any order", LIMIT, async () => {
  const it = scene();
  const names = ["a", "b", "c"];
  const start = (name: string) => it.sh(`exec ${NODE}`, { name });
  const runs = new Map(names.map((name) => [name, start(name)]));
  /** Who has ended, at once or after a while, comes back, as under any supervisor. */
  const revive = () => {
    for (const [name, { pid }] of runs) if (!isAlive(pid)) runs.set(name, start(name));
  };
  const said = () => [...runs].map(([name, { stderr }]) => `${name}: ${stderr.slice(-1500)}`).join("\n");
  const faults = effort(3, 30);
  // A seed of its own: which fault strikes is the same in every run of this test, when it does is not.
  let drawn = 20261115;
  const draw = (n: number): number => {
    drawn = (drawn * 1103515245 + 12345) % 2 ** 31;
    return Math.floor((drawn / 2 ** 31) * n);
  };
  for (let i = 0; i < faults; i++) {
    const before = writers(it);
    const run = await until(
      () => `a leader in ${said()}`,
      () => {
        revive();
        return [...runs.values()].find(isLeading);
      },
    );
    const { guardian, command } = await run.started(run.starts.length);
    const victims = [[run.pid], [guardian], [command], [run.pid, guardian], [guardian, command], [run.pid, command]][
      draw(6)
    ];
    const isKilled = draw(2) === 0;
    for (const pid of victims) if (isAlive(pid)) process.kill(pid, isKilled ? "SIGKILL" : "SIGSTOP");
    if (!isKilled) {
      await sleep(200 + draw(2500));
      for (const pid of victims) if (isAlive(pid)) process.kill(pid, "SIGCONT");
    }
    if (isKilled) {
      await until(
        () => `another writes in ${said()}`,
        () => {
          revive();
          return writers(it) > before;
        },
      );
    }
    check(it);
  }
  for (const run of runs.values()) if (isAlive(run.pid)) run.kill("SIGTERM");
  await Promise.all([...runs.values()].map(({ ended }) => ended));
  check(it);
  await it.nothingLeft();
});

function isLeading(run: RunProcess): boolean {
  const last = run.starts.at(-1);
  return last !== undefined && isAlive(run.pid) && isAlive(last.pid as number);
}
