/**
 * Hands out chunks of trials and counts their results in the order of the trials, whatever order they come in. So the
 * rows come out in order, and an interrupted campaign has counted the first k trials: had it counted what was ready, it
 * would have preferred the short ones.
 */
import { type Chunk, type ChunkResult, clock } from "./chunk.ts";
import { Tally } from "./tally.ts";
import type { Trial } from "./trial.ts";

/** Long enough to make the hand-over cheap, short enough for a smooth progress bar and an even load. */
const CHUNK_MILLISECONDS = 75;
/** First guesses are made on cold code; a chunk may be at most this many times the last one. */
const GROWTH = 4;

export interface Watcher {
  readonly onProgress?: ((done: number, trials: number) => void) | undefined;
  /** Every counted trial, in order. */
  readonly onTrials?: ((rows: readonly Trial[]) => void) | undefined;
}

export class Ledger {
  readonly tally = new Tally();
  private readonly trials: number;
  private readonly threads: number;
  private readonly watcher: Watcher;
  private readonly early = new Map<number, ChunkResult>();
  private handedOut = 0;
  private chunkSize = 1;
  private started = Number.POSITIVE_INFINITY;

  constructor(trials: number, threads: number, watcher: Watcher) {
    this.trials = trials;
    this.threads = Math.max(1, threads);
    this.watcher = watcher;
  }

  get complete(): boolean {
    return this.tally.trials === this.trials;
  }

  /** Results that wait for an earlier chunk. */
  get waiting(): number {
    return this.early.size;
  }

  /** The next trials to run, or null when all have been handed out. */
  next(): Chunk | null {
    const left = this.trials - this.handedOut;
    if (left === 0) return null;
    // Smaller chunks towards the end, so that the threads finish together.
    const share = this.threads === 1 ? left : Math.ceil(left / (2 * this.threads));
    const count = Math.min(this.chunkSize, share);
    const first = this.handedOut;
    this.handedOut += count;
    return { first, count, rows: this.watcher.onTrials !== undefined };
  }

  accept(result: ChunkResult): void {
    this.pace(result);
    this.early.set(result.first, result);
    for (let next = this.early.get(this.tally.trials); next !== undefined; next = this.early.get(this.tally.trials)) {
      this.early.delete(next.first);
      this.tally.merge(next.tally);
      this.watcher.onTrials?.(next.rows);
    }
    this.watcher.onProgress?.(this.tally.trials, this.trials);
  }

  /** Since the first trial began, which is after the threads have started. */
  seconds(): number {
    return this.started === Number.POSITIVE_INFINITY ? 0 : Math.max(0, clock() - this.started) / 1000;
  }

  private pace({ started, ended, tally }: ChunkResult): void {
    this.started = Math.min(this.started, started);
    const fitting = Math.floor((CHUNK_MILLISECONDS * tally.trials) / Math.max(ended - started, 0.001));
    this.chunkSize = Math.max(1, Math.min(fitting, GROWTH * tally.trials));
  }
}
