/** The bench of a whole reproduction: every campaign on one pool of threads, and an end when somebody interrupts. */
import { campaign } from "../campaign/campaign.ts";
import type { CampaignCrew } from "../campaign/ledger.ts";
import type { RowWriter } from "../campaign/rows.ts";
import { resolve, type Settings } from "../simulation/settings.ts";
import type { Trial } from "../simulation/trial.ts";
import type { Report } from "../statistics/report.ts";
import type { Bench, DeclaredRun, Over, Reproduction, ReproductionResult, Swept } from "./claim.ts";

/** Thrown out of whatever was under way. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";
}

/**
 * A seed of its own for each point of each curve, so that neither points nor curves move together; the same at either effort.
 * Outside curves it is 1. (FNV-1a.)
 */
export function seedOf(...point: readonly unknown[]): number {
  if (point.length === 0) return 1;
  let hash = 0x811c9dc5;
  for (const character of JSON.stringify(point)) hash = Math.imul(hash ^ character.codePointAt(0)!, 0x01000193);
  return hash >>> 0;
}

interface BenchOptions {
  readonly effort: Bench["effort"];
  /** Without one, the calling thread runs all. */
  readonly pool?: CampaignCrew | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onStep?: ((what: string) => void) | undefined;
  /** Where the trials of a campaign go, if anywhere. */
  readonly rows?: ((run: ArchivedRun) => Promise<RowWriter>) | undefined;
  /** Within a campaign: how many of its trials are done. */
  readonly onProgress?: ((done: number, trials: number) => void) | undefined;
}

/** A campaign of a reproduction, by what its trials are found again. */
export interface ArchivedRun {
  /** The name of the run in the code, and its place on a curve; null outside curves. */
  readonly run: string;
  readonly x: unknown;
  readonly settings: Settings;
  readonly trials: number;
}

export function benchOn({ effort, pool, signal, onStep, onProgress, rows }: BenchOptions): Bench {
  const goOn = () => {
    if (signal?.aborted === true) throw new Interrupted();
  };
  const step = (what: string) => {
    goOn();
    onStep?.(what);
  };
  const trialsOf = (quick: number, full: number) => (effort === "quick" ? quick : full);
  /** A campaign under its name, at its place on a curve; `take` is given every trial. */
  const simulate = async (
    run: string,
    x: unknown,
    [request, trials]: DeclaredRun,
    take?: (trials: readonly Trial[]) => void,
  ): Promise<Report> => {
    const settings = resolve({ ...request, seed: request.seed ?? (x === null ? seedOf() : seedOf(run, x)) });
    step(`${settings.protocol.name}, n = ${settings.n}`);
    const count = typeof trials === "number" ? trials : trialsOf(...trials);
    const kept = await rows?.({ run, x, settings, trials: count });
    const takers = [kept?.write, take].filter((one) => one !== undefined);
    const onTrials = (some: readonly Trial[]) => {
      for (const one of takers) one(some);
    };
    try {
      const watched = takers.length === 0 ? {} : { onTrials };
      const report = await campaign(settings, { trials: count, pool, signal, onProgress, ...watched });
      goOn();
      kept?.finish();
      return report;
    } catch (error) {
      kept?.discard();
      throw error;
    }
  };
  const sweep = async <X>(name: string, { xs: all, run }: Over<X>): Promise<Swept<X>> => {
    const xs = "quick" in all ? all[effort] : all;
    const reports: Report[] = [];
    for (const [i, x] of xs.entries()) reports.push(await simulate(name, x, run(x, i)));
    return Object.assign(reports, { xs, of: (x: X) => reports[xs.indexOf(x)] });
  };
  return {
    effort,
    trials: trialsOf,
    step,
    simulate,
    async runs(declared) {
      const ran: Record<string, unknown> = {};
      for (const [name, wanted] of Object.entries(declared)) {
        ran[name] = "xs" in wanted ? await sweep(name, wanted) : await simulate(name, null, wanted);
      }
      return ran as never;
    },
  };
}

export interface ReproductionFinding {
  readonly reproduction: Reproduction;
  readonly part: ReproductionResult;
  readonly seconds: number;
}

/** One after the other; each is told before the next begins. */
export async function reproduce(
  reproductions: readonly Reproduction[],
  bench: Bench,
  onFinding: (finding: ReproductionFinding) => void | Promise<void>,
): Promise<void> {
  for (const reproduction of reproductions) {
    bench.step(reproduction.title);
    const began = performance.now();
    const part = await reproduction.run(bench);
    await onFinding({ reproduction, part, seconds: (performance.now() - began) / 1000 });
    // Lets signals have their turn after work that did not.
    await new Promise((resolve) => setTimeout(resolve));
  }
}
