/** Many trials of one setting, on any number of threads, with the same result for each number. */
import "./graph-files.ts";
import { InputError } from "../errors.ts";
import type { Settings } from "../simulation/settings.ts";
import { runChunk } from "../statistics/chunk.ts";
import { checkPrecision, precisionOf } from "../statistics/precision.ts";
import { type Report, reportOf } from "../statistics/report.ts";
import { Ledger, type Watcher } from "./ledger.ts";
import type { WorkerPool } from "./pool.ts";

/** How many trials, on how many threads, and who is told of them. */
export interface CampaignOptions extends Watcher {
  readonly trials: number;
  /**
   * Ends as soon as the 95% intervals are at most this wide to either side: that of the mean of messages relative to it,
   * that of the success rate as it is (see precision.ts). `trials` is then the most that are run.
   */
  readonly precision?: number | undefined;
  /** Worker threads; 0 (the default) runs the trials in the calling thread. */
  readonly threads?: number | undefined;
  /** Threads that somebody has started already, for many campaigns one after the other; instead of `threads`. */
  readonly pool?: WorkerPool | undefined;
  /**
   * Ends the campaign with a partial report of what has been counted: at once with threads, and at the end of a stretch
   * of trials (about 75 ms, or one trial where that is longer) in the calling thread.
   */
  readonly signal?: AbortSignal | undefined;
}

/** Draws are keyed by 32 bits of trial number: more trials would repeat the first ones. */
const MOST_TRIALS = 2 ** 32;
export const MOST_THREADS = 1024;

/** Runs many trials of one setting and reports on them; the numbers are the same on any number of threads. */
export async function campaign(settings: Settings, options: CampaignOptions): Promise<Report> {
  const { trials, pool, signal } = options;
  const threads = pool?.threads ?? options.threads ?? 0;
  checkCount("trials", trials, 1, MOST_TRIALS);
  checkCount("threads", threads, 0, MOST_THREADS);
  const precision = options.precision === undefined ? null : checkPrecision(options.precision);
  const ledger = new Ledger(trials, threads, options, precision);
  if (signal?.aborted !== true) {
    if (pool !== undefined) await pool.run(settings, ledger, signal);
    else if (threads === 0) await runHere(settings, ledger, signal);
    else await runOnThreads(settings, ledger, threads, signal);
  }
  const report = reportOf(settings, ledger.tally, ledger.seconds(), !ledger.complete);
  return precision === null ? report : { ...report, precision: precisionOf(ledger.tally, precision) };
}

async function runOnThreads(
  settings: Settings,
  ledger: Ledger,
  threads: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  const pool = await openPool(threads);
  try {
    await pool.run(settings, ledger, signal);
  } finally {
    await pool.close();
  }
}

/** Loaded only where it is wanted: a page has no worker threads, and a single run should start quickly. */
export async function openPool(threads: number): Promise<WorkerPool> {
  const { WorkerPool } = await import("./pool.ts");
  return new WorkerPool(threads);
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
