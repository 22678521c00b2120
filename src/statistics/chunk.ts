/** Trials in the calling thread: a stretch of them, which is one task of a worker, or all of them. */
import type { Settings } from "../simulation/settings.ts";
import { runTrial, type Trial } from "../simulation/trial.ts";
import { type Report, reportOf } from "./report.ts";
import { type TallyData, TrialTally } from "./tally.ts";

export interface Chunk {
  readonly first: number;
  readonly count: number;
  /** Whether the trials themselves are wanted, and not only their tally. */
  readonly rows: boolean;
}

export interface ChunkResult {
  readonly first: number;
  readonly tally: TallyData;
  readonly rows: readonly Trial[];
  /** In milliseconds since the epoch, so that threads can be compared. */
  readonly started: number;
  readonly ended: number;
}

/** Wall time in fractions of a millisecond, on one scale for all threads. */
export const wallTime = (): number => performance.timeOrigin + performance.now();

export function runChunk(settings: Settings, { first, count, rows: wanted }: Chunk): ChunkResult {
  const started = wallTime();
  const tally = new TrialTally();
  const rows: Trial[] = [];
  for (let index = first; index < first + count; index++) {
    const trial = runTrial(settings, index);
    tally.add(trial);
    if (wanted) rows.push(trial);
  }
  return { first, tally: tally.data(), rows, started, ended: wallTime() };
}

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
