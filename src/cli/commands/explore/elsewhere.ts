/** Runs a search on another thread, and ends that thread if code of the user does not return. */
import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { isRefused, type Refused, thrown } from "../../../campaign/refusal.ts";
import { InputError } from "../../../errors.ts";
import { programUrl } from "../../../package-files.ts";
import { CALL_FIELDS, ENTERED, runningCall } from "../../../protocols/calls.ts";
import { readAll } from "../../../setting.ts";
import type { ThreadReport, ThreadTask } from "./search-thread.ts";
import {
  CASES_DONE,
  CASES_IN_ALL,
  OWN,
  type SearchJob,
  type SearchOutcome,
  type SearchWatch,
  SHARED_FIELDS,
  STATES_FOUND,
  STOPS,
} from "./searched.ts";

/** Milliseconds between two looks, and for which one call must have lasted beyond the end of the time. */
const LOOK = 100;
const PATIENCE = 1000;

export async function searchedElsewhere(job: SearchJob, watch: SearchWatch): Promise<SearchOutcome> {
  const { name, options } = job;
  const shared = new Float64Array(new SharedArrayBuffer(SHARED_FIELDS * Float64Array.BYTES_PER_ELEMENT));
  const calls = new Int32Array(new SharedArrayBuffer(CALL_FIELDS * Int32Array.BYTES_PER_ELEMENT));
  const workerData: ThreadTask = { ...job, calls, shared };
  const worker = new Worker(programUrl("search-thread"), { workerData });
  let outcome: SearchOutcome | Refused | null = null;
  worker.on("message", (said: ThreadReport) => {
    if ("level" in said) watch.onLevel(said.level);
    else outcome = said;
  });
  const ended = once(worker, "exit");
  const failed = new Promise<never>((_, reject) => worker.once("error", reject));
  failed.catch(() => {});
  const end = performance.now() + 1000 * readAll(OWN, options).seconds;
  let last = { entered: 0, since: Infinity };
  try {
    for (let over = false; !over; ) {
      over = await Promise.race([ended.then(() => true), failed, setTimeout(LOOK, false)]);
      if (shared[CASES_IN_ALL] > 0) watch.onProgress(shared[STATES_FOUND], shared[CASES_DONE], shared[CASES_IN_ALL]);
      if (watch.isInterrupted()) shared[STOPS] = 1;
      const now = performance.now();
      const entered = Atomics.load(calls, ENTERED);
      const isOver = watch.isInterrupted() || now > end;
      if (!isOver || entered !== last.entered || runningCall(calls) === null) last = { entered, since: now };
      else if (now - last.since > PATIENCE) throw hanging(name ?? options.protocolFile, calls, watch);
    }
  } finally {
    await worker.terminate();
  }
  if (outcome === null) throw new Error("the thread of the search ended without an outcome");
  if (isRefused(outcome)) throw thrown(outcome);
  return outcome;
}

/** Code of the user had not returned when the search was to end. */
export class NoReturn extends InputError {}

const hanging = (name: string | undefined, calls: Int32Array, watch: SearchWatch): NoReturn =>
  new NoReturn(
    `${name} does not return from ${runningCall(calls)}: the search was ended ${watch.isInterrupted() ? "by Ctrl-C" : "after --seconds"}, and nothing is known; a handler must do what it does and return`,
  );
