/**
 * Hands out chunks of trials and counts their results in the order of the trials, whatever order they come in. So the
 * rows come out in order, and an interrupted campaign has counted the first k trials: had it counted what was ready, it
 * would have preferred the short ones.
 */

import type { Settings } from "../simulation/settings.ts";
import type { Trial } from "../simulation/trial.ts";
import { type Chunk, type ChunkResult, wallTime } from "../statistics/chunk.ts";
import type { Looks } from "../statistics/precision.ts";
import { TrialTally } from "../statistics/tally.ts";

/** On the threads of one process. */
export const CHUNK_MILLISECONDS = 75;
/** First guesses are made on cold code; a chunk may be at most this many times the last one. */
const GROWTH = 4;

export interface Watcher {
  /** How many trials have been counted, of how many; with a precision, the second is a guess that may change. */
  readonly onProgress?: ((done: number, trials: number) => void) | undefined;
  /** Every counted trial, in order. */
  readonly onTrials?: ((rows: readonly Trial[]) => void) | undefined;
}

/** How fast chunks are run. */
interface ChunkPace {
  /** How many chunks run at a time, as far as it is known now. */
  readonly threads: number;
  /** How long a chunk should take: long enough to make the hand-over cheap, short enough for progress and an even load. */
  readonly chunkMilliseconds: number;
}

export class Ledger {
  readonly tally = new TrialTally();
  /** The most that will be counted; with a precision, as many as turn out to be enough. */
  private trials: number;
  private expected: number;
  private readonly crew: ChunkPace;
  private readonly watcher: Watcher;
  private readonly looks: Looks | null;
  private readonly first: number;
  private readonly early = new Map<number, ChunkResult>();
  private handedOut = 0;
  private chunkSize = 1;
  private started = Number.POSITIVE_INFINITY;

  constructor(trials: number, crew: ChunkPace, watcher: Watcher, looks: Looks | null = null, first = 0) {
    this.first = first;
    this.trials = trials;
    this.expected = looks === null ? trials : looks.after(0);
    this.looks = looks;
    this.crew = crew;
    this.watcher = watcher;
  }

  get complete(): boolean {
    return this.tally.trials === this.trials;
  }

  /** Trials that are still to be counted, as far as it is known now. */
  get left(): number {
    return this.complete ? 0 : Math.max(1, Math.min(this.trials, this.expected) - this.tally.trials);
  }

  /** Results that wait for an earlier chunk. */
  get waiting(): number {
    return this.early.size;
  }

  /** Whether the trials themselves are wanted, and not only their tally. */
  get wantsRows(): boolean {
    return this.watcher.onTrials !== undefined;
  }

  /** The trial at which the next chunk begins. */
  get position(): number {
    return this.first + this.handedOut;
  }

  /** The next trials to run, at most this many, or null when all have been handed out. */
  next(most = Number.POSITIVE_INFINITY): Chunk | null {
    const left = this.trials - this.handedOut;
    if (left <= 0) return null;
    const { threads } = this.crew;
    // Smaller chunks towards the end, so that the threads finish together.
    const share = threads <= 1 ? left : Math.ceil(left / (2 * threads));
    const first = this.handedOut;
    const upToLook = this.looks === null ? left : this.looks.after(first) - first;
    return this.handOut(Math.min(this.chunkSize, share, upToLook, most));
  }

  /** A chunk of exactly this many trials, whose result is known; null where that is more than are wanted, or passes a look. */
  take(count: number): Chunk | null {
    const look = this.looks === null ? this.trials : Math.min(this.trials, this.looks.after(this.handedOut));
    return this.handedOut + count > look ? null : this.handOut(count);
  }

  private handOut(count: number): Chunk {
    const first = this.position;
    this.handedOut += count;
    return { first, count, rows: this.wantsRows };
  }

  accept(result: ChunkResult): void {
    this.pace(result);
    this.early.set(result.first, result);
    while (!this.complete) {
      const next = this.early.get(this.first + this.tally.trials);
      if (next === undefined) break;
      this.early.delete(next.first);
      this.tally.merge(next.tally);
      this.watcher.onTrials?.(next.rows);
      if (this.looks?.isLook(this.tally.trials)) this.look(this.looks);
    }
    this.watcher.onProgress?.(this.tally.trials, Math.min(this.trials, this.expected));
  }

  /** Since the first trial began, which is after the threads have started. */
  seconds(): number {
    return this.started === Number.POSITIVE_INFINITY ? 0 : Math.max(0, wallTime() - this.started) / 1000;
  }

  private look(looks: Looks): void {
    const precision = looks.precisionOf(this.tally);
    if (precision.met) this.trials = this.tally.trials;
    else this.expected = looks.needed(precision, this.tally.trials);
  }

  private pace({ started, ended, tally }: ChunkResult): void {
    this.started = Math.min(this.started, started);
    const fitting = Math.floor((this.crew.chunkMilliseconds * tally.trials) / Math.max(ended - started, 0.001));
    this.chunkSize = Math.max(1, Math.min(fitting, GROWTH * tally.trials));
  }
}

/** What runs the chunks of a campaign. */
export interface CampaignCrew extends ChunkPace {
  /** Returns when enough trials have been counted, or soon after `signal` fires. What still runs then is not waited for. */
  run(settings: Settings, ledger: Ledger, signal: AbortSignal | undefined): Promise<void>;
  close(): Promise<void>;
}
