/**
 * Misses too rare to wait for: contenders whose random sets (quorums, referees) have no common member. Two ways to
 * measure them with the draws that protocols make, members drawn one after the other without replacement:
 *
 * - tilted (importance sampling): a member that hits the other's set is taken only with probability `tilt` and drawn
 *   again otherwise, which makes misses common; each miss counts with its likelihood ratio, the product over its members
 *   of 1 - h + tilt·h, where h is the true chance of a hit. With `tilt` = 0 every sample misses and the estimate is the
 *   exact product: no variance, and no test of anything. At 1/ln(1/p) about a third of the samples miss.
 * - splitting: no ratio and no formula. Members are drawn as they are; where a set has missed long enough to be a
 *   rarity of one half, it goes on twice, independently, and what gets to the end counts for the halves.
 *
 * For k contenders and the chance that some pair misses, a pair is chosen, made to miss, and the sample divided by the
 * number of pairs that miss in it, so that nothing is counted twice.
 */
import { InputError } from "../errors.ts";
import { rateOf } from "../statistics/intervals.ts";
import { t95 } from "../statistics/student-t.ts";
import { type MissQuestion, MissUrn } from "./miss-urn.ts";

export type { MissQuestion };

/** How a miss is sampled. */
export interface MissOptions {
  readonly samples: number;
  readonly seed: number;
  readonly method: "tilted" | "splitting";
  /** How often a hit is taken; by default such that about a third of the samples miss. */
  readonly tilt?: number;
}

/** A measured probability with its 95% interval. */
export interface MissEstimate {
  readonly probability: number;
  /** log10 of it, also where the probability itself is too small for a number. -Infinity where there were no misses. */
  readonly log10: number;
  readonly low: number;
  /** Null where there were no misses and nothing limits it from above. */
  readonly high: number | null;
  /** log10 of both ends, also where they are too small for a number. */
  readonly lowLog10: number;
  readonly highLog10: number | null;
  /** The standard error, relative to the probability; null without misses. */
  readonly relativeError: number | null;
  readonly samples: number;
  /** Samples in which the chosen pair, or some path, missed to the end. */
  readonly misses: number;
  readonly tilt: number | null;
}

const MOST_NODES = 2 ** 24;
const MOST_CONTENDERS = 32;
/** Each is a call within a call. */
const MOST_LEVELS = 4000;

/**
 * The probability that random sets have no common member, measured however small it is.
 *
 * @example
 * ```ts
 * import { estimateMiss } from "sortition/simulate";
 *
 * const question = { n: 5000, size: 310, contenders: 2, othersOnly: false };
 * const { probability, low, high } = estimateMiss(question, { samples: 1000, seed: 1, method: "tilted" });
 * ```
 */
export function estimateMiss(question: MissQuestion, options: MissOptions): MissEstimate {
  checkQuestion(question, options);
  const { samples, method } = options;
  const exponent = approximateExponent(question);
  const tilt = options.tilt ?? Math.min(1, 1 / Math.max(exponent, 1));
  const impossible = !Number.isFinite(exponent);
  const levels = method === "splitting" && !impossible ? levelsOf(question) : [];
  // Contributions are kept as exp(ln - scale): a product of hundreds of factors may be below the smallest number.
  const scale = method === "tilted" ? -exponent : -levels.length * Math.LN2;
  const urn = new MissUrn(question, options.seed, method === "tilted" ? tilt : 1);
  let [sum, squares, misses] = [0, 0, 0];
  let [smallest, largest] = [Infinity, 0];
  for (let index = 0; index < samples && !impossible; index++) {
    const value = method === "tilted" ? urn.tilted(index, scale) : urn.split(index, levels);
    if (value === 0) continue;
    sum += value;
    squares += value * value;
    smallest = Math.min(smallest, value);
    largest = Math.max(largest, value);
    misses++;
  }
  const mean = sum / samples;
  const variance = Math.max(0, squares / samples - mean * mean) * (samples / (samples - 1));
  const error = Math.sqrt(variance / samples);
  // Where each sample counts the same or not at all, it is a rate that is measured. With a tilt of 0 nothing is.
  const aRate = method === "tilted" && tilt > 0 && question.contenders === 2 && smallest === largest;
  const [low, high] = aRate ? rateInterval(misses, samples, largest) : scoreInterval(mean, error, samples);
  const factor = Math.exp(scale);
  // The mean of samples that count for more than 1 may be above 1; a probability is not.
  const chance = (value: number) => (impossible ? 0 : Math.min(1, value * factor));
  const log10 = (value: number) =>
    value === 0 || impossible ? -Infinity : Math.min(0, (Math.log(value) + scale) / Math.LN10);
  return {
    probability: chance(mean),
    log10: log10(mean),
    low: chance(low),
    high: mean === 0 && !impossible ? null : chance(high),
    lowLog10: log10(low),
    highLog10: mean === 0 && !impossible ? null : log10(high),
    relativeError: mean === 0 ? null : error / mean,
    samples,
    misses,
    tilt: method === "tilted" ? tilt : null,
  };
}

function rateInterval(misses: number, samples: number, weight: number): [number, number] {
  const { low, high } = rateOf(misses, samples);
  return [low! * weight, high! * weight];
}

/**
 * The score interval of a mean whose variance is proportional to it, as that of a sum of rare contributions is: longer
 * upwards, which a few samples that count for much need. Up to rounding, mean ± t·error where the error is small.
 */
function scoreInterval(mean: number, error: number, samples: number): [number, number] {
  if (mean === 0) return [0, 0];
  const spread = ((t95(samples - 1) * error) / mean) ** 2;
  const half = Math.sqrt(spread + spread ** 2 / 4);
  const upper = 1 + spread / 2 + half;
  return [mean / upper, mean * upper];
}

/** -ln of the chance that two sets miss each other (to a factor of 1, for `othersOnly`); Infinity where they cannot. */
function approximateExponent({ n, size, othersOnly }: MissQuestion): number {
  const total = othersOnly ? n - 1 : n;
  const targets = othersOnly && 2 * size > total ? size - 1 : size;
  if (targets + size > total) return Infinity;
  let sum = 0;
  for (let i = 0; i < size; i++) sum -= Math.log1p(-targets / (total - i));
  return sum;
}

/**
 * After how many members a set that still misses is split in two: as often as its chance to have come so far halves,
 * which a single member may do more than once.
 */
function levelsOf({ n, size, othersOnly }: MissQuestion): number[] {
  const total = othersOnly ? n - 1 : n;
  const levels: number[] = [];
  let sum = 0;
  for (let i = 0; i < size; i++) {
    sum -= Math.log1p(-Math.min(size / (total - i), 0.999));
    while (sum >= Math.LN2 * (levels.length + 1) && i + 1 < size) levels.push(i + 1);
  }
  if (levels.length > MOST_LEVELS) throw new InputError("a miss below 1e-1200 is too rare for splitting: use tilted");
  return levels;
}

function checkQuestion(
  { n, size, contenders, othersOnly }: MissQuestion,
  { samples, method, tilt }: MissOptions,
): void {
  const whole = (name: string, value: number, least: number, most: number) => {
    if (Number.isSafeInteger(value) && value >= least && value <= most) return;
    throw new InputError(`${name} must be a whole number from ${least} to ${most}, not ${value}`);
  };
  whole("n", n, 2, MOST_NODES);
  whole("the size of a set", size, 1, othersOnly ? n - 1 : n);
  whole("the number of contenders", contenders, 2, Math.min(MOST_CONTENDERS, n));
  whole("the number of samples", samples, 2, 2 ** 32);
  if (tilt !== undefined && method === "splitting") throw new InputError("splitting has no tilt: leave it out");
  if (tilt !== undefined && !(tilt >= 0 && tilt <= 1)) throw new InputError(`tilt must be from 0 to 1, not ${tilt}`);
  if (method === "splitting" && contenders > 2) throw new InputError("splitting measures two contenders: use tilted");
}
