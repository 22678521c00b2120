/** Trials in the calling thread: one chunk, which is a task of a worker, or all of them. */
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
  /** Milliseconds since 1970, so that threads can be compared. */
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

/** Which trials to run, and how to end them early. */
export interface RunOptions {
  readonly trials: number;
  /** The number of the first trial; 0 if missing. Other numbers of one seed are other draws on the same network. */
  readonly first?: number | undefined;
  /** Ends the run; the report counts the trials that have ended. */
  readonly signal?: AbortSignal | undefined;
}

/** Runs trials and reports on them: `runHere`, or a campaign on threads. */
export type Runner = (settings: Settings, options: RunOptions) => Promise<Report>;

/** After this many milliseconds timers and signals get a turn. */
const TURN = 75;

/** Runs trials one after the other in the calling thread, which serves timers and signals in between. */
export async function eachTrial(
  settings: Settings,
  { trials, first = 0, signal }: RunOptions,
  take: (trial: Trial) => void,
): Promise<void> {
  let turn = wallTime();
  for (let done = 0; done < trials && signal?.aborted !== true; done++) {
    take(runTrial(settings, first + done));
    if (wallTime() - turn < TURN) continue;
    await new Promise((resolve) => setTimeout(resolve));
    turn = wallTime();
  }
}

export const runHere: Runner = async (settings, options) => {
  const tally = new TrialTally();
  const began = wallTime();
  await eachTrial(settings, options, (trial) => tally.add(trial));
  return reportOf(settings, tally, (wallTime() - began) / 1000, tally.trials < options.trials);
};
