/** Histories on a file of SQLite that several processes use at once, of which one is killed. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { HostStream } from "../../src/random/streams.ts";
import { memoryFolder } from "../support/lease-disk.ts";
import type { Step } from "./linear-checker.ts";
import { record } from "./linear-recorder.ts";
import type { Said, Task } from "./linear-sqlite-process.ts";

const PROGRAM = fileURLToPath(new URL("linear-sqlite-process.ts", import.meta.url));

export interface SqlitePlan {
  readonly seed: number;
  readonly members: number;
  readonly requests: number;
  readonly begin: number;
}

export async function sqliteHistory({ seed, members, requests, begin }: SqlitePlan): Promise<Step[]> {
  const folder = memoryFolder();
  const clock = join(folder, "clock");
  let now = begin;
  const set = () => {
    // Renamed, so that nobody reads half of it.
    writeFileSync(`${clock}.new`, String(now));
    renameSync(`${clock}.new`, clock);
    return null;
  };
  set();
  const draws = new HostStream(seed, 0, "crashes");
  const processes = Array.from({ length: members }, (_, index) => {
    const child = fork(PROGRAM);
    const task: Task = { file: join(folder, "leases.db"), clock, number: index + 1, seed, requests };
    const asked: Extract<Said, { asks: unknown }>[] = [];
    let steps: readonly Step[] = [];
    child.on("message", (said: Said) => {
      if ("asks" in said) asked.push(said);
      else steps = said.steps;
    });
    child.send(task);
    const ended = once(child, "exit").then(([status, signal]): Step[] => {
      if (status === 0) return steps.map((step) => ({ ...step, to: step.to ?? Number.POSITIVE_INFINITY }));
      if (signal !== "SIGKILL") throw new Error(`a member's process ended with ${status ?? signal}`);
      // What it was told, nobody knows.
      return asked.map(({ asks, from }) => ({ doing: asks, from, to: Number.POSITIVE_INFINITY, answer: null }));
    });
    return { child, asked, ended };
  });
  let isOver = false;
  const all = Promise.all(processes.map(({ ended }) => ended)).then((steps) => {
    isOver = true;
    return steps.flat();
  });
  const turns: Step[] = [];
  try {
    while (!isOver) {
      await new Promise((resolve) => setTimeout(resolve, 1));
      const asked = processes.reduce((sum, { asked }) => sum + asked.length, 0);
      if (asked < 3 * (turns.length + 1)) continue;
      const by = 10 * (1 + draws.choose(6));
      now += by;
      turns.push((await record({ kind: "turn", by }, async () => set()))!);
      const [victim] = processes;
      if (victim.asked.length >= 5) victim.child.kill("SIGKILL");
    }
    return [...(await all), ...turns];
  } finally {
    for (const { child } of processes) child.kill("SIGKILL");
    rmSync(folder, { recursive: true });
  }
}
