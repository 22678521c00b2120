/**
 * Sequential stopping: a campaign ends when its intervals are narrow enough. It looks only at numbers of trials that are fixed
 * before it begins, each half as many again as the last, so that the result depends neither on threads nor on timing.
 *
 * Of K looks each has an interval of the success rate that fails with a chance of at most 5%/K. So all of them hold in at least
 * 95% of all campaigns, and with them the one at which the campaign stops, for whatever reason it does. Without the K, campaigns
 * that happened to see no failure would stop early and be wrong more often than they say.
 *
 * A mean has no such guarantee, because nothing is known of how costly a trial can be. What can be tested is (`hangsOnFew`): it goes on
 * while few trials carry the mean, and while exact theory contradicts it.
 */

import type { Distribution, Summary } from "./distribution.ts";
import { CONFIDENCE, rateOf } from "./intervals.ts";
import type { TrialTally } from "./tally.ts";

/** With fewer trials the estimated spread is too uncertain to stop on. */
const FIRST_LOOK = 100;
const GROWTH = 1.5;
/** -ln(2.5%)/2: so many trials, over the half-width, are needed where none fails; looks before would be in vain. */
const LEAST = 1.84;

/** Half-widths of the 95% intervals, as asked for and as reached. */
export interface Precision {
  readonly target: number;
  /** Of the mean of messages, relative to it; null where fewer than two trials give no spread. */
  readonly messages: number | null;
  /** Of the success rate, absolute: in points of the rate itself, since rates near 0 would take for ever otherwise. */
  readonly success: number | null;
  readonly met: boolean;
  /** At how many numbers of trials it might have stopped: the interval of the success rate makes up for them. */
  readonly looks: number;
}

/** The looks of one campaign, and what they find. */
export class Looks {
  readonly target: number;
  private readonly numbers: readonly number[];
  private readonly messages: number | null;

  /** `most` trials at most, which is the last look; `messages`: their mean where exact theory knows it. */
  constructor(target: number, most: number, messages: number | null = null) {
    this.target = target;
    this.messages = messages;
    const numbers = [];
    for (let look = Math.max(FIRST_LOOK, Math.ceil(LEAST / target)); look < most; look = Math.ceil(look * GROWTH)) {
      numbers.push(look);
    }
    this.numbers = [...numbers, most];
  }

  /** The next number of trials, after this many, at which a campaign looks whether it has seen enough. */
  after(trials: number): number {
    return this.numbers.find((look) => look > trials) ?? this.numbers[this.numbers.length - 1];
  }

  isLook(trials: number): boolean {
    return this.numbers.includes(trials);
  }

  get confidence(): number {
    return 1 - (1 - CONFIDENCE) / this.numbers.length;
  }

  precisionOf(tally: TrialTally): Precision {
    const { target, numbers } = this;
    const summary = tally.messages.summary();
    const { mean, low, high } = summary;
    const rate = rateOf(tally.outcomes.one, tally.trials, this.confidence);
    const messages = low === null ? null : high === low ? 0 : (high! - low) / 2 / Math.abs(mean!);
    const success = rate.low === null ? null : (rate.high! - rate.low) / 2;
    const narrow = messages !== null && success !== null && messages <= target && success <= target;
    const trusted = !hangsOnFew(tally.messages) && !contradicts(summary, this.messages);
    return { target, messages, success, met: narrow && trusted, looks: numbers.length };
  }

  /** A guess of how many trials it will take in all: half-widths shrink as one over the root of their number. */
  needed({ target, messages, success }: Precision, trials: number): number {
    const excess = Math.max(messages ?? 0, success ?? 0, target) / target;
    return this.after(Math.max(trials, Math.ceil(trials * excess * excess) - 1));
  }
}

// When a mean is not to be trusted: two tests, stated in docs/simulate.md.

/** A mean whose spread comes from fewer trials than this hangs on them (see Distribution.carriers). */
export const FEW_TRIALS = 8;
/** So much of a mean harms nobody. */
const HARMLESS = 0.01;
/** Half-widths of a 95% interval: by chance theory is farther off in one campaign of a thousand. */
const FAR = 1.7;

/** Whether few trials make up the spread, and the spread matters. */
export function hangsOnFew(distribution: Distribution): boolean {
  const { mean, low, high } = distribution.summary();
  const carriers = distribution.carriers();
  return carriers !== null && carriers < FEW_TRIALS && (high! - low!) / 2 > HARMLESS * Math.abs(mean!);
}

/** Whether a mean is so far from what exact theory expects that chance does not explain it. */
export function contradicts({ mean, low, high }: Summary, expected: number | null): boolean {
  if (low === null || expected === null) return false;
  return Math.abs(mean! - expected) > Math.max((FAR * (high! - low)) / 2, HARMLESS * Math.abs(expected));
}
