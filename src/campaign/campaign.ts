/** Many trials of one setting, on any number of threads, with the same result for each number. */
import "./graph-files.ts";
import { type Found, isModule, type ProtocolChoice } from "../protocols/registry.ts";
import { type Given, readAll } from "../setting.ts";
import { LENGTH } from "../settings/simulation.ts";
import { exactTheoryOf } from "../simulation/question.ts";
import { type Request, resolve, type Settings } from "../simulation/settings.ts";
import { openTrial } from "../simulation/trial.ts";
import { runChunk, wallTime } from "../statistics/chunk.ts";
import { rateOf } from "../statistics/intervals.ts";
import { Looks } from "../statistics/precision.ts";
import { type Report, reportOf, warningsOf } from "../statistics/report.ts";
import type { TrialTally } from "../statistics/tally.ts";
import { type CampaignCrew, CHUNK_MILLISECONDS, Ledger, type Watcher } from "./ledger.ts";

/**
 * How many trials, on how many threads, and who is told of them. With a precision it ends at the first look at which the 95% intervals are
 * at most this wide to either side: that of the mean of messages relative to it, that of the success rate as it is (see
 * precision.ts). `trials` is then the most that are run.
 */
export interface CampaignOptions extends Watcher, Given<typeof LENGTH> {
  /** Threads or workers that are there already, for many campaigns one after the other; instead of `threads`. */
  readonly pool?: CampaignCrew | undefined;
  /** Whether to hold means against exact theory, and to say which of them are not to be trusted. */
  readonly check?: boolean | undefined;
  /** The number of the first trial; 0 where missing. Other numbers of one seed are other draws on the same network. */
  readonly first?: number | undefined;
  /**
   * Ends the campaign with a partial report of what has been counted: at once with threads, and at the end of a stretch
   * of trials (about 75 ms, or one trial where that is longer) in the calling thread.
   */
  readonly signal?: AbortSignal | undefined;
}

const DEFAULT_TRIALS = 100;
/** How far a campaign goes for the sake of precision, by default. */
const MOST_BY_DEFAULT = 1_000_000;

/** How many trials at most, how precise (null: all of them), on how many threads. */
export function lengthOf(given: Given<typeof LENGTH>) {
  const { trials, precision = null, threads = 0 } = readAll(LENGTH, given);
  return { trials: trials ?? (precision === null ? DEFAULT_TRIALS : MOST_BY_DEFAULT), precision, threads };
}

/** Runs many trials of one setting and reports on them; the numbers are the same on any number of threads. */
export async function campaign(settings: Settings, options: CampaignOptions = {}): Promise<Report> {
  const { pool, signal } = options;
  const { trials, precision, ...length } = lengthOf(options);
  const { threads } = length;
  const theory = options.check === true ? exactTheoryOf(settings) : null;
  const looks = precision === null ? null : new Looks(precision, trials, theory?.messages);
  const ledger = new Ledger(
    trials,
    pool ?? { threads, chunkMilliseconds: CHUNK_MILLISECONDS },
    options,
    looks,
    options.first,
  );
  if (signal?.aborted !== true) {
    if (pool !== undefined) await pool.run(settings, ledger, signal);
    else if (threads === 0) await runInTurn(settings, ledger, signal);
    // Threads without a trial would only take memory from the others.
    else await runOnThreads(settings, ledger, Math.min(threads, trials), signal);
  }
  const report = reportOf(settings, ledger.tally, ledger.seconds(), !ledger.complete);
  const warnings = options.check === true ? warningsOf(ledger.tally, theory) : [];
  return {
    ...report,
    ...(theory === null ? {} : { theory }),
    ...(warnings.length === 0 ? {} : { warnings }),
    ...sequential(ledger.tally, looks),
  };
}

/** The interval of the success rate makes up for every look that might have ended the campaign. */
const sequential = (tally: TrialTally, looks: Looks | null): Partial<Report> =>
  looks === null
    ? {}
    : { success: rateOf(tally.outcomes.one, tally.trials, looks.confidence), precision: looks.precisionOf(tally) };

async function runOnThreads(
  settings: Settings,
  ledger: Ledger,
  threads: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  const pool = openPool(threads);
  try {
    await pool.run(settings, ledger, signal);
  } finally {
    await pool.close();
  }
}

/** Threads for many campaigns one after the other, which start when there is work that is worth it. Close it at the end. */
export const openPool = (threads: number): CampaignCrew => new PatientPool(threads);

/** Loads the module of a protocol, which `simulate` does by itself; only Node can. A path is relative to the working directory. */
export const loadModule = async (choice: ProtocolChoice): Promise<Found> =>
  (await import("./load-protocol.ts")).loadProtocol(choice);

/** A request for many trials. */
export interface Simulation extends Request {
  /** How many, or with a precision the most. */
  readonly trials?: number | null;
}

/**
 * Runs trials of a protocol and reports on them; a request that cannot work throws an `InputError`.
 *
 * @example
 * ```ts
 * import { simulate } from "sortition/simulate";
 *
 * const { success, messages } = await simulate({ protocol: "peterson", n: 100, trials: 50 }, { threads: 2 });
 * ```
 */
export async function simulate(
  { trials, ...request }: Simulation,
  options: Omit<CampaignOptions, "trials"> = {},
): Promise<Report> {
  // Reading modules takes Node; everything else of this works in a page.
  if (isModule(request.protocol)) await loadModule(request.protocol);
  return campaign(resolve(request), { check: true, ...options, trials: trials ?? null });
}

// Threads that start when work is known to be worth them: a thread takes a quarter of a second to start, and most campaigns take less.

/** Milliseconds: threads start for a campaign that will take longer, or after so much in all campaigns of this pool. */
const WORTH = 400;
/** Milliseconds after which it is known how long trials take: the first ones run on cold code. */
const KNOWN = 100;

/** A first trial of this many nodes and events is over within milliseconds, so that the caller may run it itself. */
const FEW_NODES = 10_000;
const FEW_EVENTS = 10_000;

class PatientPool implements CampaignCrew {
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

/** Milliseconds of work: processor time where it can be read, so that trials on a busy machine do not look longer than they are. */
function workTime(): number {
  const used = globalThis.process?.cpuUsage?.();
  return used === undefined ? wallTime() : (used.user + used.system) / 1000;
}

/** In the calling thread, until all are run, the signal fires, or `isEnough` says so after this many milliseconds. */
async function runInTurn(
  settings: Settings,
  ledger: Ledger,
  signal: AbortSignal | undefined,
  isEnough: (ms: number) => boolean = () => false,
): Promise<void> {
  const started = workTime();
  for (let chunk = ledger.next(); chunk !== null; chunk = ledger.next()) {
    ledger.accept(runChunk(settings, chunk));
    // Lets timers, signals and the page have their turn.
    await new Promise((resolve) => setTimeout(resolve));
    if (signal?.aborted === true || isEnough(workTime() - started)) return;
  }
}

/** Whether one trial ends at once. Code of a user may never return, so that a thread runs it, which can be ended. */
function isBrief(settings: Settings): boolean {
  if (typeof settings.source !== "string" || settings.n > FEW_NODES) return false;
  const run = openTrial(settings, 0);
  for (let event = 0; event < FEW_EVENTS; event++) if (run.step() === null) return true;
  return false;
}
