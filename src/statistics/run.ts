/** Trials in the calling thread: what needs neither threads nor rows. */
import type { Settings } from "../simulation/settings.ts";
import { runTrial } from "../simulation/trial.ts";
import { wallTime } from "./chunk.ts";
import { type Report, reportOf } from "./report.ts";
import { TrialTally } from "./tally.ts";

/** How many trials to run, and who may end them. */
export interface RunOptions {
  readonly trials: number;
  /** The number of the first one; 0 where missing. Other numbers of one seed are other draws on the same network. */
  readonly first?: number | undefined;
  /** Ends it with a report of what has been counted. */
  readonly signal?: AbortSignal | undefined;
}

/** Runs trials and reports on them. A campaign is one that uses threads. */
export type Runner = (settings: Settings, options: RunOptions) => Promise<Report>;

/** Others have their turn after so many milliseconds. */
const TURN = 75;

export const runHere: Runner = async (settings, { trials, first = 0, signal }) => {
  const tally = new TrialTally();
  const began = wallTime();
  let turn = began;
  while (tally.trials < trials && signal?.aborted !== true) {
    tally.add(runTrial(settings, first + tally.trials));
    if (wallTime() - turn < TURN) continue;
    await new Promise((resolve) => setTimeout(resolve));
    turn = wallTime();
  }
  return reportOf(settings, tally, (wallTime() - began) / 1000, tally.trials < trials);
};
