/** One member of a history on SQLite, as a process of its own: it is told what to do, and says each step before it takes it. */
import { readFileSync } from "node:fs";
import { SqliteRegister } from "../../src/live/engines/sqlite-register.ts";
import { machineNow } from "../../src/live/real-world.ts";
import type { LeaseRequest } from "../../src/protocols/lease/messages.ts";
import { Caller } from "./linear-caller.ts";
import type { Step } from "./linear-checker.ts";
import { converse } from "./linear-recorder.ts";

export interface Task {
  readonly file: string;
  /** Holds the time, as text. */
  readonly clock: string;
  readonly number: number;
  readonly seed: number;
  readonly requests: number;
}

/** What it is about to ask; all its steps, at the end. */
export type Said = { readonly asks: LeaseRequest; readonly from: number } | { readonly steps: readonly Step[] };

/** Until it has left this process: what is killed later has been said. */
const say = (said: Said) => new Promise<void>((resolve) => process.send!(said, () => resolve()));

process.once("message", async (task: Task) => {
  // Tokens follow the same reading: the clock may be turned between two.
  let reading = 0;
  const now = () => {
    reading = Number(readFileSync(task.clock, "utf8"));
    return reading;
  };
  const register = new SqliteRegister(
    { file: task.file, name: "sqlite:leases.db", group: "g", migrate: true },
    { name: "the test's", now, stamp: () => reading },
  );
  const steps = await converse(new Caller(task.number, task.seed), task.requests, async (request) => {
    // Otherwise one process would be done before the next has started.
    await new Promise((resolve) => setTimeout(resolve, 2));
    await say({ asks: request, from: machineNow() });
    return register.ask(request, 10_000);
  });
  await say({ steps });
  process.disconnect();
});
