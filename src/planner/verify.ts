/** A plan's prediction beside what a simulation finds. */
import { campaign } from "../campaign/campaign.ts";
import type { Rate } from "../campaign/intervals.ts";
import { resolve } from "../campaign/settings.ts";
import { type Attempt, requestOf, type Setting } from "./setting.ts";

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

export async function verify(setting: Setting, tried: Attempt, threads: number): Promise<Verified> {
  const settings = resolve(requestOf(setting, tried.protocol, tried.chosen));
  const report = await campaign(settings, { trials: MOST, threads, signal: AbortSignal.timeout(PATIENCE) });
  const { trials, success, messages, rounds } = report;
  const interval = ({ mean, low, high }: Interval): Interval => ({ mean, low, high });
  return { trials, success, messages: interval(messages), rounds: interval(rounds) };
}
