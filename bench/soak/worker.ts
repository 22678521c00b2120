/** A thread of a soak: one run after the other until it is told to end. */
import { parentPort, workerData } from "node:worker_threads";
import type { SoakOptions } from "./options.ts";
import { Session } from "./session.ts";

export interface Work {
  readonly options: SoakOptions;
  /** This thread takes every `threads`th seed. */
  readonly thread: number;
  readonly threads: number;
  readonly until: number;
}

/** Milliseconds between messages to the parent: seldom enough to cost little, often enough to end in time. */
const BATCH_MS = 1000;

const { options, thread, threads, until } = workerData as Work;
let next = options.seed + thread;
while (Date.now() < until) {
  const session = new Session(options);
  const end = Math.min(until, Date.now() + BATCH_MS);
  for (; Date.now() < end; next += threads) session.run(next);
  parentPort!.postMessage(session.done);
}
