/**
 * Sequential stopping: a campaign ends when its intervals are narrow enough. It looks only at fixed numbers of trials,
 * each a quarter more than the last, so that the result depends neither on threads nor on timing, and so that there are
 * few looks: a rule that looks after each trial stops too often where the spread happens to look small.
 */
import { rateOf } from "./intervals.ts";
import type { Tally } from "./tally.ts";

/** With fewer trials the estimated spread is too uncertain to stop on. */
export const FIRST_LOOK = 100;
const GROWTH = 1.25;

/** Half-widths of the 95% intervals, as asked for and as reached. */
export interface Precision {
  readonly target: number;
  /** Of the mean of messages, relative to it; null where fewer than two trials give no spread. */
  readonly messages: number | null;
  /** Of the success rate, absolute: in points of the rate itself, since rates near 0 would take for ever otherwise. */
  readonly success: number | null;
  readonly met: boolean;
}

/** The next number of trials, after so many, at which a campaign looks whether it has seen enough. */
export function nextLook(trials: number): number {
  let look = FIRST_LOOK;
  while (look <= trials) look = Math.ceil(look * GROWTH);
  return look;
}

export const isLook = (trials: number): boolean => trials > 0 && nextLook(trials - 1) === trials;

export function precisionOf(tally: Tally, target: number): Precision {
  const { mean, low, high } = tally.messages.summary();
  const rate = rateOf(tally.outcomes.one, tally.trials);
  const messages = low === null ? null : high === low ? 0 : (high! - low) / 2 / Math.abs(mean!);
  const success = rate.low === null ? null : (rate.high! - rate.low) / 2;
  const met = messages !== null && success !== null && messages <= target && success <= target;
  return { target, messages, success, met };
}

/** A guess of how many trials it will take in all: half-widths shrink as one over the root of their number. */
export function trialsNeeded({ target, messages, success }: Precision, trials: number): number {
  const excess = Math.max(messages ?? 0, success ?? 0, target) / target;
  return nextLook(Math.ceil(trials * excess * excess) - 1);
}
