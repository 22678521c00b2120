/** A stretch of consecutive trials: what one task of a worker computes. */
import type { Settings } from "../simulation/settings.ts";
import { runTrial, type Trial } from "../simulation/trial.ts";
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
