/** A plan's prediction beside what a simulation finds. */

import { InputError } from "../errors.ts";
import type { AnyProtocol } from "../protocol.ts";
import type { Attempt, Setting } from "../registry/planning.ts";
import { resolve } from "../simulation/settings.ts";
import type { Rate } from "../statistics/intervals.ts";
import type { Report } from "../statistics/report.ts";
import type { Runner } from "../statistics/run.ts";
import { requestOf } from "./setting.ts";

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
}

/** A verification ends after this many trials, or after this many milliseconds. */
const MOST = 10_000;
const PATIENCE = 4000;
/** It begins after the trials that chose: what a pilot or a measurement has seen confirms itself. */
const FRESH = MOST;

/** Messages that a pilot may simulate in all, and how many trials it has at least and at most. */
const PILOT_MESSAGES = 2e6;
const PILOT_TRIALS = [50, 1000] as const;

type Tried = Pick<Attempt, "protocol" | "chosen" | "messages">;

/** The same trials on every machine, so that a plan is always the same. */
export async function pilot(setting: Setting, tried: Tried, run: Runner) {
  const settings = resolve(requestOf(setting, tried.protocol, tried.chosen));
  const trials = Math.round(Math.min(Math.max(PILOT_MESSAGES / tried.messages, PILOT_TRIALS[0]), PILOT_TRIALS[1]));
  const { messages, rounds } = await run(settings, { trials });
  return { messages: messages.mean!, rounds: rounds.mean! };
}

/** Nobody would wait longer for an election among n; what goes on for ever is found out by it. */
const LONGEST_FIXED = 1000;
const LONGEST_PER_PROCESS = 100;

/** Trials that show a chance of at least `success`, should none of them fail: where the 95% interval of all of them ends. */
const trialsFor = (success: number): number => Math.ceil(Math.log(0.025) / Math.log(success));

/** A protocol that theory knows nothing of: its chances are those of a simulation. The same trials on every machine. */
export async function measure(setting: Setting, protocol: AnyProtocol, run: Runner): Promise<Report> {
  const until = LONGEST_FIXED + LONGEST_PER_PROCESS * setting.n;
  const settings = resolve({ ...requestOf(setting, protocol, {}), until });
  const { messages, measures } = await run(settings, { trials: PILOT_TRIALS[0] });
  if (measures.steps.max! > 0.9 * until) {
    throw new InputError(`it does not end within ${until} delays, and this plans elections that end`);
  }
  const affordable = PILOT_MESSAGES / Math.max(1, messages.mean!);
  const trials = Math.round(Math.min(trialsFor(setting.success), affordable, MOST));
  return run(settings, { trials: Math.max(trials, PILOT_TRIALS[0]) });
}

export async function verify(setting: Setting, tried: Tried, run: Runner): Promise<Verified> {
  const settings = resolve(requestOf(setting, tried.protocol, tried.chosen));
  const report = await run(settings, { trials: MOST, first: FRESH, signal: AbortSignal.timeout(PATIENCE) });
  const { trials, success, messages, rounds } = report;
  const interval = ({ mean, low, high }: Interval): Interval => ({ mean, low, high });
  return { trials, success, messages: interval(messages), rounds: interval(rounds) };
}
