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
import { type MissQuestion, MissUrn } from "./miss-urn.ts";
import { t95 } from "./student-t.ts";

export type { MissQuestion };

export interface MissOptions {
  readonly samples: number;
  readonly seed: number;
  readonly method: "tilted" | "splitting";
  /** How often a hit is taken; by default such that about a third of the samples miss. */
  readonly tilt?: number;
}

export interface MissEstimate {
  readonly probability: number;
  /** log10 of it, also where the probability itself is too small for a number. -Infinity where there were no misses. */
  readonly log10: number;
  readonly low: number;
  /** Null where there were no misses and nothing limits it from above. */
  readonly high: number | null;
  /** The standard error, relative to the probability; null without misses. */
  readonly relativeError: number | null;
  readonly samples: number;
  /** Samples in which the chosen pair, or some path, missed to the end. */
  readonly misses: number;
  readonly tilt: number | null;
}

const MOST_NODES = 2 ** 24;
const MOST_CONTENDERS = 32;

export function estimateMiss(question: MissQuestion, options: MissOptions): MissEstimate {
  checkQuestion(question, options);
  const { samples, method } = options;
  const exponent = approximateExponent(question);
  const tilt = options.tilt ?? Math.min(1, 1 / Math.max(exponent, 1));
  // Contributions are kept as exp(ln - scale): a product of hundreds of factors may be below the smallest number.
  const scale = method === "tilted" ? -exponent : 0;
  const impossible = !Number.isFinite(exponent);
  const urn = new MissUrn(question, options.seed, method === "tilted" ? tilt : 1);
  const levels = method === "splitting" && !impossible ? levelsOf(question) : [];
  let [sum, squares, misses] = [0, 0, 0];
  for (let index = 0; index < samples && !impossible; index++) {
    const value = method === "tilted" ? urn.tilted(index, scale) : urn.split(index, levels);
    sum += value;
    squares += value * value;
    if (value > 0) misses++;
  }
  const mean = sum / samples;
  const variance = samples > 1 ? Math.max(0, squares / samples - mean * mean) * (samples / (samples - 1)) : 0;
  const error = Math.sqrt(variance / samples);
  const half = samples > 1 ? t95(samples - 1) * error : 0;
  const factor = Math.exp(scale);
  const probability = impossible ? 0 : mean * factor;
  return {
    probability,
    log10: mean === 0 ? -Infinity : (Math.log(mean) + scale) / Math.LN10,
    low: impossible ? 0 : Math.max(0, mean - half) * factor,
    high: impossible ? 0 : mean === 0 ? null : (mean + half) * factor,
    relativeError: mean === 0 ? null : error / mean,
    samples,
    misses,
    tilt: method === "tilted" ? tilt : null,
  };
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

/** After how many members a set that still misses is split in two: as often as its chance to have come so far halves. */
function levelsOf({ n, size, othersOnly }: MissQuestion): number[] {
  const total = othersOnly ? n - 1 : n;
  const levels: number[] = [];
  let sum = 0;
  for (let i = 0; i < size; i++) {
    sum -= Math.log1p(-Math.min(size / (total - i), 0.999));
    if (sum >= Math.LN2 * (levels.length + 1) && i + 1 < size) levels.push(i + 1);
  }
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
  if (tilt !== undefined && !(tilt >= 0 && tilt <= 1)) throw new InputError(`tilt must be from 0 to 1, not ${tilt}`);
  if (method === "splitting" && contenders > 2) throw new InputError("splitting measures two contenders: use tilted");
}
