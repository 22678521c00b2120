/** Many trials of one setting, on any number of threads, with the same result for each number. */
import { InputError } from "../errors.ts";
import { runChunk } from "./chunk.ts";
import { Ledger, type Watcher } from "./ledger.ts";
import { type Report, reportOf } from "./report.ts";
import type { Settings } from "./settings.ts";

export interface CampaignOptions extends Watcher {
  readonly trials: number;
  /** Worker threads; 0 (the default) runs the trials in the calling thread. */
  readonly threads?: number | undefined;
  /**
   * Ends the campaign with a partial report of what has been counted: at once with threads, and at the end of a stretch
   * of trials (about 75 ms, or one trial where that is longer) in the calling thread.
   */
  readonly signal?: AbortSignal | undefined;
}

/** Draws are keyed by 32 bits of trial number: more trials would repeat the first ones. */
const MOST_TRIALS = 2 ** 32;
const MOST_THREADS = 1024;

export async function campaign(settings: Settings, options: CampaignOptions): Promise<Report> {
  const { trials, threads = 0, signal } = options;
  checkCount("trials", trials, 1, MOST_TRIALS);
  checkCount("threads", threads, 0, MOST_THREADS);
  const ledger = new Ledger(trials, threads, options);
  if (signal?.aborted !== true) {
    if (threads === 0) await runHere(settings, ledger, signal);
    else {
      // Loaded only where it is wanted: a page has no worker threads, and a single run should start quickly.
      const { runInPool } = await import("./pool.ts");
      await runInPool(settings, ledger, threads, signal);
    }
  }
  return reportOf(settings, ledger.tally, ledger.seconds(), !ledger.complete);
}

async function runHere(settings: Settings, ledger: Ledger, signal: AbortSignal | undefined): Promise<void> {
  for (let chunk = ledger.next(); chunk !== null && signal?.aborted !== true; chunk = ledger.next()) {
    ledger.accept(runChunk(settings, chunk));
    // Lets timers, signals and the page have their turn.
    await new Promise((resolve) => setTimeout(resolve));
  }
}

function checkCount(name: string, value: number, least: number, most: number): void {
  if (Number.isSafeInteger(value) && value >= least && value <= most) return;
  throw new InputError(`${name} must be a whole number from ${least} to ${most}, not ${value}`);
}
