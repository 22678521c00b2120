/** Many settings one after the other, each a campaign; with common random numbers where they are compared. */

import { codeOf } from "../protocols/registry.ts";
import { type Settings, written } from "../simulation/settings.ts";
import type { Trial } from "../simulation/trial.ts";
import { COMPARED, type Estimate, type TestedDifference, type Tests, TrialValues } from "../statistics/paired.ts";
import type { Report } from "../statistics/report.ts";
import { version } from "../version.ts";
import { type CampaignOptions, campaign, lengthOf, openPool } from "./campaign.ts";
import type { CampaignCrew } from "./ledger.ts";

/** One point of a sweep: a setting, and what sets it apart. */
export interface Planned {
  /** What sets this point apart, for people: the protocol and the values that vary. */
  readonly labels: Readonly<Record<string, string | number>>;
  readonly settings: Settings;
  /** Which earlier point of the plan it is compared with, trial by trial. */
  readonly comparedWith: number | null;
}

/** What a campaign at one point found. */
export interface Point {
  readonly labels: Planned["labels"];
  readonly trials: number;
  readonly outcomes: Report["outcomes"];
  /** success, messages, rounds, bits and `measures.NAME`, each with its 95% interval. */
  readonly values: Readonly<Record<string, Estimate>>;
  /** This point minus the one it is compared with. */
  readonly differences: Readonly<Record<string, TestedDifference>> | null;
  /** Means that are not to be trusted, in sentences; only where there are some. A point from a file is not checked again. */
  readonly warnings?: readonly string[];
}

/** How long each point of a sweep runs, and who is told. */
export interface SweepOptions extends Pick<CampaignOptions, "trials" | "precision" | "threads" | "pool" | "signal"> {
  /** Compared as well as messages, rounds, bits and success: a measure, as `measures.NAME`. */
  readonly measure?: string | undefined;
  /** Tests of the differences. */
  readonly tests?: Tests | undefined;
  /** Where the trials of a point go, if anywhere. */
  readonly rows?: ((index: number) => Promise<TrialRows>) | undefined;
  /** Points that are known from an earlier run, by their identity. */
  readonly known?: ((identity: string) => Point | undefined) | undefined;
  /** After each new point, with all that there are. */
  readonly onPoint?: ((points: readonly Point[]) => void) | undefined;
  /** How many points are done, with a fraction for the one under way, and which one that is. */
  readonly onProgress?: ((done: number, underWay: Planned) => void) | undefined;
}

/** Takes the trials of one point, in order; what an interrupted point has written is discarded. */
interface TrialRows {
  write(trials: readonly Trial[]): void;
  finish(): void;
  discard(): void;
}

/** The finished points of a sweep. */
export interface Sweep {
  /** Finished points, in the order of the plan. */
  readonly points: readonly Point[];
  readonly partial: boolean;
}

/** Everything that a point's numbers depend on; equal identities have equal numbers. */
export function identityOf(
  plan: readonly Planned[],
  index: number,
  { measure, tests, ...options }: SweepOptions,
): string {
  const { trials, precision } = lengthOf(options);
  const { comparedWith } = plan[index];
  const settings = dated(plan[index].settings);
  const compared =
    comparedWith === null ? null : { with: dated(plan[comparedWith].settings), measure: measure ?? null, tests };
  return JSON.stringify({ version, settings, trials, precision, compared });
}

/** Settings as data, with the code of a protocol that is not ours: points of an earlier state of it are other points. */
function dated(settings: Settings) {
  const code = codeOf(settings.protocol);
  return { ...written(settings), ...(code === null ? {} : { code }) };
}

/**
 * A campaign at each of many settings, compared trial by trial where the plan says so.
 *
 * @example
 * ```ts
 * import { resolve, sweep } from "sortition/simulate";
 *
 * const plan = [10, 20].map((n) => ({ labels: { n }, settings: resolve({ protocol: "peterson", n }), comparedWith: null }));
 * const { points } = await sweep(plan, { trials: 20 });
 * ```
 */
export async function sweep(plan: readonly Planned[], options: SweepOptions): Promise<Sweep> {
  const { threads } = lengthOf(options);
  if (options.pool !== undefined || threads === 0) return runPlan(plan, options, options.pool);
  const pool = openPool(threads);
  try {
    return await runPlan(plan, options, pool);
  } finally {
    await pool.close();
  }
}

async function runPlan(
  plan: readonly Planned[],
  options: SweepOptions,
  pool: CampaignCrew | undefined,
): Promise<Sweep> {
  const { signal, tests } = options;
  const found = plan.map((_, index) => options.known?.(identityOf(plan, index, options)));
  const finished = () => found.filter((point) => point !== undefined);
  const campaigns = new PlannedCampaigns(plan, options, pool, () => finished().length);
  for (const [index, { labels, comparedWith }] of plan.entries()) {
    if (found[index] !== undefined) continue;
    if (comparedWith !== null && !campaigns.values.has(comparedWith)) await campaigns.run(comparedWith);
    const report = await campaigns.runWithRows(index);
    if (signal?.aborted === true) break;
    const first = comparedWith === null ? undefined : campaigns.values.get(comparedWith);
    const second = campaigns.values.get(index)!;
    const differences = first === undefined ? null : TrialValues.differences(first, second, tests);
    const few = first === undefined || tests === undefined ? [] : TrialValues.hangingOnFew(first, second);
    const point = pointOf(report);
    const warnings = [...(point.warnings ?? []), ...(few.length === 0 ? [] : [hanging(few)])];
    found[index] = { labels, ...point, differences, ...(warnings.length === 0 ? {} : { warnings }) };
    campaigns.forget(index);
    options.onPoint?.(finished());
  }
  const points = finished();
  return { points, partial: points.length < plan.length };
}

/** The campaigns of a plan, and what later points are compared with. */
class PlannedCampaigns {
  /** Values of the points that others are compared with; a point that was known has to run again for them. */
  readonly values = new Map<number, TrialValues>();
  private readonly plan: readonly Planned[];
  private readonly options: SweepOptions;
  private readonly pool: CampaignCrew | undefined;
  private readonly finished: () => number;
  private readonly quantities: readonly string[];

  constructor(plan: readonly Planned[], options: SweepOptions, pool: CampaignCrew | undefined, finished: () => number) {
    this.plan = plan;
    this.options = options;
    this.pool = pool;
    this.finished = finished;
    this.quantities = options.measure === undefined ? COMPARED : [...COMPARED, options.measure];
  }

  async run(index: number, rows?: TrialRows): Promise<Report> {
    const { plan, options, pool } = this;
    const isCompared = plan[index].comparedWith !== null || plan.some(({ comparedWith }) => comparedWith === index);
    const values = isCompared ? new TrialValues(this.quantities) : null;
    const takers = [values?.add.bind(values), rows?.write.bind(rows)].filter((take) => take !== undefined);
    const onTrials = (some: readonly Trial[]) => {
      for (const take of takers) take(some);
    };
    const report = await campaign(plan[index].settings, {
      trials: options.trials,
      precision: options.precision,
      signal: options.signal,
      pool,
      check: true,
      onProgress: (done, of) => options.onProgress?.(this.finished() + done / of, plan[index]),
      ...(takers.length === 0 ? {} : { onTrials }),
    });
    if (values !== null) this.values.set(index, values);
    return report;
  }

  async runWithRows(index: number): Promise<Report> {
    const rows = await this.options.rows?.(index);
    try {
      const report = await this.run(index, rows);
      if (this.options.signal?.aborted === true) rows?.discard();
      else rows?.finish();
      return report;
    } catch (error) {
      rows?.discard();
      throw error;
    }
  }

  /** After the point at `index`: values that no later point is compared with. */
  forget(index: number): void {
    for (const other of this.values.keys()) {
      if (!this.plan.some((later, at) => at > index && later.comparedWith === other)) this.values.delete(other);
    }
  }
}

const hanging = (quantities: readonly string[]) =>
  `the difference of ${quantities.join(", ")} comes from few trials, so its interval and p-values may be wrong; run more trials`;

function pointOf({ trials, outcomes, success, messages, rounds, bits, measures, warnings }: Report) {
  const summaries = {
    messages,
    rounds,
    bits,
    ...Object.fromEntries(Object.entries(measures).map(([name, summary]) => [`measures.${name}`, summary])),
  };
  const values: Record<string, Estimate> = { success: { mean: success.rate, low: success.low, high: success.high } };
  for (const [name, { mean, low, high }] of Object.entries(summaries)) values[name] = { mean, low, high };
  return { trials, outcomes, values, ...(warnings === undefined ? {} : { warnings }) };
}
