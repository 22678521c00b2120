/** Threads that start when work is known to be worth them: a thread takes a quarter of a second to start, and most campaigns take less. */
import type { Settings } from "../simulation/settings.ts";
import { openTrial } from "../simulation/trial.ts";
import { runChunk, wallTime } from "../statistics/chunk.ts";
import { type CampaignCrew, CHUNK_MILLISECONDS, type Ledger } from "./ledger.ts";

/** Milliseconds: threads start for a campaign that will take longer, or after so much in all campaigns of this pool. */
const WORTH = 400;
/** Milliseconds after which it is known how long trials take: the first ones run on cold code. */
const KNOWN = 100;

/** A first trial of so many nodes and events is over within milliseconds, so that the caller may run it itself. */
const FEW_NODES = 10_000;
const FEW_EVENTS = 10_000;

export class PatientPool implements CampaignCrew {
  readonly threads: number;
  readonly chunkMilliseconds = CHUNK_MILLISECONDS;
  private crew: CampaignCrew | null = null;
  private spent = 0;

  constructor(threads: number) {
    this.threads = threads;
  }

  async run(settings: Settings, ledger: Ledger, signal: AbortSignal | undefined): Promise<void> {
    if (this.crew === null && isBrief(settings)) {
      const before = this.spent;
      await runInTurn(settings, ledger, signal, (ms) => {
        this.spent = before + ms;
        return this.spent > KNOWN && this.spent + ms * (ledger.left / ledger.tally.trials) > WORTH;
      });
      if (ledger.left === 0 || signal?.aborted === true) return;
    }
    this.crew ??= await this.start();
    await this.crew.run(settings, ledger, signal);
  }

  async close(): Promise<void> {
    await this.crew?.close();
  }

  /** Loaded only where it is wanted: a page has no worker threads. */
  private async start(): Promise<CampaignCrew> {
    const { WorkerPool } = await import("./pool.ts");
    return new WorkerPool(this.threads);
  }
}

/** In the calling thread, until all are run, the signal fires, or `isEnough` says so after so many milliseconds. */
export async function runInTurn(
  settings: Settings,
  ledger: Ledger,
  signal: AbortSignal | undefined,
  isEnough: (ms: number) => boolean = () => false,
): Promise<void> {
  const started = wallTime();
  for (let chunk = ledger.next(); chunk !== null; chunk = ledger.next()) {
    ledger.accept(runChunk(settings, chunk));
    // Lets timers, signals and the page have their turn.
    await new Promise((resolve) => setTimeout(resolve));
    if (signal?.aborted === true || isEnough(wallTime() - started)) return;
  }
}

/** Whether one trial ends at once. Code of a user may never return, so that a thread runs it, which can be ended. */
function isBrief(settings: Settings): boolean {
  if (typeof settings.source !== "string" || settings.n > FEW_NODES) return false;
  const run = openTrial(settings, 0);
  for (let event = 0; event < FEW_EVENTS; event++) if (run.step() === null) return true;
  return false;
}
