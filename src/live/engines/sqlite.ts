/** Leases in a file of SQLite, for members on one machine. */
import { resolve } from "node:path";
import type { Worker } from "node:worker_threads";
import { InputError } from "../../errors.ts";
import type { LeaseAnswer, LeaseRequest } from "../../protocols/lease/messages.ts";
import { machineNow } from "../real-world.ts";
import { startThread } from "../start-thread.ts";
import type { Cancel, World } from "../world.ts";
import { checked, type EngineOptions, type LeaseEngine } from "./engine.ts";
import type { SqliteSetup } from "./sqlite-register.ts";
import type { Done, SqliteOrder, WorkerStart } from "./sqlite-worker.ts";

/** For a thread to come up, on a machine that has much to do. */
const START_TIMEOUT = 10_000;

export async function openSqlite(address: string, options: EngineOptions): Promise<LeaseEngine> {
  const { group, migrate } = options;
  return checked(new SqliteEngine({ file: fileOf(address), name: address, group, migrate }, options));
}

function fileOf(address: string): string {
  const file = address.slice("sqlite:".length);
  if (file === "" || file.startsWith(":") || /^\/\/[^/]/.test(file)) {
    throw new InputError(`${address} names no file: write sqlite:FILE, such as sqlite:leases.db`);
  }
  return resolve(file);
}

interface Waiting {
  resolve(answer: LeaseAnswer | null): void;
  reject(error: Error): void;
  readonly cancel: Cancel;
}

class SqliteEngine implements LeaseEngine {
  readonly name: string;
  trouble?: string;
  private readonly setup: SqliteSetup;
  private readonly world: World;
  private readonly timeout: number;
  private worker: Worker | null = null;
  private isClosed = false;
  private next = 0;
  private readonly waiting = new Map<number, Waiting>();

  constructor(setup: SqliteSetup, { requestTimeout, world }: EngineOptions) {
    this.name = setup.name;
    this.setup = setup;
    this.world = world;
    this.timeout = requestTimeout;
  }

  async ask(request: LeaseRequest): Promise<LeaseAnswer> {
    return (await this.order(request, this.timeout))!;
  }

  async check(): Promise<void> {
    await this.order(null, START_TIMEOUT);
  }

  async close(): Promise<void> {
    this.isClosed = true;
    const { worker } = this;
    this.worker = null;
    if (worker === null) return;
    await new Promise<void>((resolve) => {
      const cancel = this.world.set(this.timeout, () => {
        // A thread that hangs in a call to the disk cannot be ended, nor waited for.
        void worker.terminate();
        resolve();
      });
      worker.once("exit", () => {
        cancel();
        resolve();
      });
      worker.postMessage("close" satisfies SqliteOrder);
    });
  }

  private order(request: LeaseRequest | null, timeout: number): Promise<LeaseAnswer | null> {
    if (this.isClosed) return Promise.reject(new Error("the lease store is closed"));
    this.worker ??= this.start();
    const { worker } = this;
    return new Promise((resolve, reject) => {
      const number = this.next++;
      const late = new Error(
        `${this.name} did not answer within ${timeout} ms: the disk is slow, or others keep it locked`,
      );
      const cancel = this.world.set(timeout, () => this.settle(number)?.reject(late));
      this.waiting.set(number, { resolve, reject, cancel });
      // A process ends when nobody waits for an answer, whether engines are open or not.
      worker.ref();
      const deadline = machineNow() + timeout;
      worker.postMessage({ number, request, deadline, patience: this.timeout } satisfies SqliteOrder);
    });
  }

  private start(): Worker {
    const own = this.world.bytes(16).toString("hex");
    const worker = startThread("sqlite-thread", {
      workerData: { setup: this.setup, own } satisfies WorkerStart,
      // Few objects live there.
      resourceLimits: { maxYoungGenerationSizeMb: 2 },
    });
    worker.unref();
    worker.on("message", ({ number, answer, error }: Done) => {
      const waiting = this.settle(number);
      if (error === null) waiting?.resolve(answer);
      else waiting?.reject(error.isInput ? new InputError(error.message) : new Error(error.message));
    });
    let isOver = false;
    const ended = (why: string) => {
      // After an error comes an exit, when another thread may have been started.
      if (isOver) return;
      isOver = true;
      if (this.worker === worker) this.worker = null;
      for (const number of [...this.waiting.keys()]) {
        this.settle(number)?.reject(new Error(`the thread that uses ${this.name} has ended: ${why}`));
      }
    };
    worker.on("error", (error) => ended(error instanceof Error ? error.message : String(error)));
    worker.on("exit", () => ended("it was closed"));
    return worker;
  }

  private settle(number: number): Waiting | undefined {
    const waiting = this.waiting.get(number);
    waiting?.cancel();
    this.waiting.delete(number);
    if (this.waiting.size === 0) this.worker?.unref();
    return waiting;
  }
}
