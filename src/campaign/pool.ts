/** Runs the chunks of a campaign on worker threads. */
import { Piscina } from "piscina";
import { InputError } from "../errors.ts";
import type { Chunk } from "./chunk.ts";
import type { Ledger } from "./ledger.ts";
import type { Settings } from "./settings.ts";
import type { Answer } from "./worker.ts";

/** Under Node's type stripping the sources run as they are; the package has compiled ones. */
const WORKER = new URL(import.meta.url.endsWith(".ts") ? "./worker.ts" : "./worker.js", import.meta.url).href;

/** One chunk running and one ready, so that a thread never waits for the caller. */
const SUBMITTED_PER_THREAD = 2;
/** Results may overtake a slow chunk, but only so many are kept. */
const UNCOUNTED_PER_THREAD = 8;

/** Returns when all trials have been counted, or at once when `signal` fires, even in the middle of a trial. */
export async function runInPool(
  settings: Settings,
  ledger: Ledger,
  threads: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  const pool = new Piscina<Chunk, Answer>({
    filename: WORKER,
    minThreads: threads,
    maxThreads: threads,
    workerData: settings,
  });
  const over = new AbortController();
  let submitted = 0;
  const end = new Promise<void>((resolve, reject) => {
    const fill = () => {
      while (
        submitted < SUBMITTED_PER_THREAD * threads &&
        submitted + ledger.waiting < UNCOUNTED_PER_THREAD * threads
      ) {
        const chunk = ledger.next();
        if (chunk === null) break;
        submitted++;
        pool.run(chunk).then(count).catch(reject);
      }
      if (submitted === 0) resolve();
    };
    const count = (answer: Answer) => {
      if (over.signal.aborted) return;
      submitted--;
      if (answer.refusal !== null) throw new InputError(answer.refusal);
      ledger.accept(answer.result);
      fill();
    };
    signal?.addEventListener("abort", () => resolve(), { signal: over.signal });
    pool.on("error", reject);
    if (signal?.aborted === true) resolve();
    else fill();
  });
  try {
    await end;
  } finally {
    over.abort();
    await pool.destroy();
  }
}
