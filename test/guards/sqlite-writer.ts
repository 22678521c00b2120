/** A writer to a SQLite file that stops before each statement: in a thread of its own, since statements are synchronous. */
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { FenceRefused } from "../../src/live/guards/fence.ts";
import type { Standing, Writer } from "./interleave.ts";
import type { Outcome } from "./leaders.ts";
import { BLOCKED, type Job, READY, RUNNING, STANDING, TURN } from "./sqlite-thread.ts";

/** ES2024, which the project's types do not have yet. */
const { waitAsync } = Atomics as unknown as {
  waitAsync(shared: Int32Array, index: number, value: number): { readonly value: Promise<string> | string };
};

export class SqliteWriter implements Writer {
  outcome: Outcome | null = null;
  private readonly thread: Worker;
  private readonly shared = new Int32Array(new SharedArrayBuffer(8));
  private ended: Promise<unknown> = Promise.resolve();

  constructor(file: string) {
    const { shared } = this;
    this.thread = new Worker(new URL("./sqlite-thread.ts", import.meta.url), { workerData: { file, shared } });
  }

  begin(job: Job): void {
    this.outcome = null;
    Atomics.store(this.shared, STANDING, RUNNING);
    this.ended = once(this.thread, "message").then(([said]) => {
      if (typeof said === "string" && said !== "written") throw new Error(said);
      this.outcome = said === "written" ? said : new FenceRefused(said.code, "", said.newest);
    });
    this.thread.postMessage(job);
  }

  async step(): Promise<void> {
    Atomics.store(this.shared, STANDING, RUNNING);
    Atomics.add(this.shared, TURN, 1);
    Atomics.notify(this.shared, TURN);
  }

  async standing(): Promise<Standing> {
    // One that was refused the lock tries again, as one that waits for it would.
    if (Atomics.load(this.shared, STANDING) === BLOCKED) await this.step();
    for (;;) {
      await Promise.race([waitAsync(this.shared, STANDING, RUNNING).value, this.ended]);
      if (this.outcome !== null) return "done";
      const standing = Atomics.load(this.shared, STANDING);
      if (standing !== RUNNING) return standing === READY ? "ready" : "blocked";
    }
  }

  async end(): Promise<void> {
    await this.thread.terminate();
  }
}
