/** A plan's prediction beside what a simulation finds. */

import { InputError } from "../errors.ts";
import type { AnyProtocol } from "../protocol.ts";
import type { Attempt, PlanSetting } from "../registry/planning.ts";
import { resolve } from "../simulation/settings.ts";
import { type Runner, runHere } from "../statistics/chunk.ts";
import type { Rate } from "../statistics/intervals.ts";
import type { Report, Summary } from "../statistics/report.ts";
import { attemptRequest } from "./attempt.ts";
import type { Carriage } from "./carriage.ts";
import { MOST_PILOTED, simulated } from "./pilot.ts";

/** A mean with its 95% interval; null where there was nothing to measure. */
export interface Interval {
  readonly mean: number | null;
  readonly low: number | null;
  readonly high: number | null;
}

/** 95% intervals. */
export interface Verified {
  readonly trials: number;
  readonly success: Rate;
  readonly messages: Interval;
  readonly rounds: Interval;
  readonly time: VerifiedTime;
}

/** Message delays that half of the elections took at most, 99% of them, and all. */
export interface VerifiedTime {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** A verification ends after this many trials, or after this many milliseconds. */
const MOST = 10_000;
const PATIENCE = 4000;
/** It begins after the trials that chose: what a pilot or a measurement has seen confirms itself. */
const FRESH = Math.max(MOST, MOST_PILOTED);

/** Messages that may be simulated for a protocol without a prediction, and how many trials there are at the least. */
const MEASURED_MESSAGES = 2e6;
const FEWEST = 50;

type Tried = Pick<Attempt, "protocol" | "chosen">;

/** Nobody would wait longer for an election among n; what goes on for ever is found out by it. */
const LONGEST_FIXED = 1000;
const LONGEST_PER_PROCESS = 100;

/** Trials that show a chance of at least `success`, should none of them fail: where the 95% interval of all of them ends. */
const trialsFor = (success: number): number => Math.ceil(Math.log(0.025) / Math.log(success));

/** A protocol that theory knows nothing of: its chances are those of a simulation. The same trials on every machine. */
export async function measure(setting: PlanSetting, protocol: AnyProtocol, run: Runner): Promise<Report> {
  const until = LONGEST_FIXED + LONGEST_PER_PROCESS * setting.n;
  const settings = resolve({ ...attemptRequest(setting, protocol, {}), until });
  const { messages, measures } = await run(settings, { trials: FEWEST });
  if (measures.steps.max! > 0.9 * until) {
    throw new InputError(`it does not end within ${until} delays, and this plans elections that end`);
  }
  const affordable = MEASURED_MESSAGES / Math.max(1, messages.mean!);
  const trials = Math.round(Math.min(trialsFor(setting.success), affordable, MOST));
  return run(settings, { trials: Math.max(trials, FEWEST) });
}

export async function verify(asked: PlanSetting, carriage: Carriage, tried: Tried, run: Runner): Promise<Verified> {
  const { setting, protocol } = simulated(asked, carriage, tried.protocol);
  const settings = resolve(attemptRequest(setting, protocol, tried.chosen));
  // A protocol that is wrapped has no name by which a thread could find it.
  const here = protocol === tried.protocol ? run : runHere;
  const report = await here(settings, { trials: MOST, first: FRESH, signal: AbortSignal.timeout(PATIENCE) });
  const { trials, success, messages, rounds, measures } = report;
  const interval = ({ mean, low, high }: Interval): Interval => ({ mean, low, high });
  return {
    trials,
    success,
    messages: interval(messages),
    rounds: interval(rounds),
    time: timeIn(measures.steps, carriage),
  };
}

const timeIn = ({ p50, p99, max }: Summary, { lengthen }: Carriage): VerifiedTime => ({
  p50: lengthen(p50!),
  p99: lengthen(p99!),
  max: lengthen(max!),
});
