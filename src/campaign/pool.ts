/** Runs the chunks of campaigns on worker threads, which stay for the next campaign. */
import type { Piscina } from "piscina";
import { InputError } from "../errors.ts";
import { isOutOfMemory, ranOutOfMemory, refuseTooLarge } from "../simulation/memory.ts";
import { type Settings, type WrittenSettings, written } from "../simulation/settings.ts";
import type { ChunkResult } from "../statistics/chunk.ts";
import { type CampaignCrew, CHUNK_MILLISECONDS, type Ledger } from "./ledger.ts";
import { thrown } from "./refusal.ts";
import { roomFor, startThreads } from "./threads.ts";
import type { ChunkAnswer, ChunkTask } from "./worker.ts";

/** One chunk running and one ready, so that a thread never waits for the caller. */
const SUBMITTED_PER_THREAD = 2;
/** Results may overtake a slow chunk, but only so many are kept. */
const UNCOUNTED_PER_THREAD = 8;

/** Worker threads that stay for one campaign after another; close it at the end. */
export class WorkerPool implements CampaignCrew {
  readonly threads: number;
  readonly chunkMilliseconds = CHUNK_MILLISECONDS;
  private readonly piscina: Piscina<ChunkTask, ChunkAnswer>;
  /** The memory of each thread in bytes. */
  private readonly room: number;
  /** Of the campaigns under way. */
  private readonly failures = new Set<(error: Error) => void>();

  constructor(threads: number, room = roomFor(threads)) {
    this.threads = threads;
    this.room = room;
    this.piscina = startThreads(threads, this.room);
    // For the pool's whole life: a result that arrives while the threads are being ended is an error to Piscina.
    this.piscina.on("error", (error) => {
      for (const fail of this.failures) fail(error);
    });
  }

  /**
   * Returns when enough trials have been counted, or at once when `signal` fires, even in the middle of a trial. What
   * still runs then is not waited for: its results are dropped, and `close` ends it.
   */
  async run(settings: Settings, ledger: Ledger, signal: AbortSignal | undefined): Promise<void> {
    const { piscina, threads, room } = this;
    refuseTooLarge(settings, room, threads);
    const task = sendable(settings);
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
          piscina.run({ settings: task, chunk }).then(count).catch(reject);
        }
        if (submitted === 0 || ledger.complete) resolve();
      };
      const count = (answer: ChunkAnswer) => {
        if (over.signal.aborted) return;
        submitted--;
        ledger.accept(resultOf(answer));
        fill();
      };
      signal?.addEventListener("abort", () => resolve(), { signal: over.signal });
      this.failures.add(reject);
      over.signal.addEventListener("abort", () => this.failures.delete(reject));
      if (signal?.aborted === true) resolve();
      else fill();
    });
    try {
      await end;
    } catch (error) {
      throw isOutOfMemory(error) ? ranOutOfMemory(settings, room, threads) : error;
    } finally {
      over.abort();
    }
  }

  close(): Promise<void> {
    return this.piscina.destroy();
  }
}

export function resultOf(answer: ChunkAnswer): ChunkResult {
  if (answer.refusal === null) return answer.result;
  throw thrown(answer);
}

/** Functions do not travel between threads or machines; a module can be imported in each. */
export function sendable(settings: Settings): WrittenSettings {
  if (settings.source === null) throw new InputError(noModule(settings.protocol.name));
  return written(settings);
}

const noModule = (name: string): string =>
  `threads cannot run ${name} from an object: give its module, as { protocol: { module, export } } or --protocol-file, or leave out threads`;
