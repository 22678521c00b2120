/**
 * Comparing settings with common random numbers. Draws are addressed by seed, trial and purpose, so that trial i of two
 * settings with one seed has the same ids, initiators and draws; what the trials have in common cancels in their
 * differences. That narrows the interval where one setting changes; between protocols that use their draws in different
 * ways it may not (measured in docs/sweep.md). The interval is computed from the differences, so it is right either way.
 */

import type { Trial } from "../simulation/trial.ts";
import { Distribution } from "./distribution.ts";
import { meansDiffer, meansEquivalent, ratesDiffer, ratesEquivalent } from "./hypotheses.ts";
import { FEW_TRIALS } from "./precision.ts";

/** A mean with its 95% interval. */
export interface Estimate {
  readonly mean: number | null;
  readonly low: number | null;
  readonly high: number | null;
}

/** A difference with its interval and, where tests are asked for, their p-values; those of a table are corrected together. */
export interface TestedDifference extends Estimate {
  /** Of no difference at all. */
  readonly p?: number | null;
  /** Of a difference that is at least the margin. */
  readonly equivalence?: number | null;
}

/** Which tests go with the differences; a margin is a share of the first mean, or points of a success rate. */
export interface Tests {
  readonly margin: number | null;
}

export const COMPARED = ["success", "messages", "rounds", "bits"] as const;

/** What one setting gave in each of its trials, by name of the quantity: those compared, or `measures.NAME`. */
export class TrialValues {
  private readonly values = new Map<string, number[]>();

  constructor(quantities: readonly string[]) {
    for (const quantity of quantities) this.values.set(quantity, []);
  }

  add(trials: readonly Trial[]): void {
    for (const [quantity, values] of this.values) for (const trial of trials) values.push(quantityOf(trial, quantity));
  }

  /** Second minus first, for each quantity that both have, over the trials that both have. */
  static differences(first: TrialValues, second: TrialValues, tests?: Tests): Record<string, TestedDifference> {
    const found: Record<string, TestedDifference> = {};
    for (const [quantity, values] of second.values) {
      const others = first.values.get(quantity);
      if (others === undefined) continue;
      const estimate = quantity === "success" ? rateDifference(others, values) : meanDifference(others, values);
      found[quantity] = { ...estimate, ...(tests === undefined ? {} : tested(quantity, others, values, tests)) };
    }
    return found;
  }

  /** Which means of differences hang on few trials, so that neither their intervals nor their p-values are to be trusted. */
  static hangingOnFew(first: TrialValues, second: TrialValues): string[] {
    return [...second.values].flatMap(([quantity, values]) => {
      const others = quantity === "success" ? undefined : first.values.get(quantity);
      if (others === undefined) return [];
      const carriers = differencesOf(others, values).carriers();
      return carriers !== null && carriers < FEW_TRIALS ? [quantity] : [];
    });
  }
}

function tested(
  quantity: string,
  first: readonly number[],
  second: readonly number[],
  { margin }: Tests,
): Pick<TestedDifference, "p" | "equivalence"> {
  const [differ, equivalent] = quantity === "success" ? [ratesDiffer, ratesEquivalent] : [meansDiffer, meansEquivalent];
  const p = differ(first, second);
  return margin === null ? { p } : { p, equivalence: equivalent(first, second, margin) };
}

function quantityOf(trial: Trial, quantity: string): number {
  if (quantity === "success") return trial.outcome === "one" ? 1 : 0;
  if (quantity.startsWith("measures.")) return trial.measures[quantity.slice("measures.".length)] ?? 0;
  return trial[quantity as "messages" | "rounds" | "bits"];
}

/** Student's interval of the mean of second minus first. */
export function meanDifference(first: readonly number[], second: readonly number[]): Estimate {
  const { mean, low, high } = differencesOf(first, second).summary();
  return { mean, low, high };
}

function differencesOf(first: readonly number[], second: readonly number[]): Distribution {
  const differences = new Distribution();
  for (let i = 0; i < Math.min(first.length, second.length); i++) differences.add(second[i] - first[i]);
  return differences;
}

/**
 * For rates, of values 0 and 1: the adjusted Wald interval of Bonett and Price (J. Educ. Behav. Stat. 37, 2012), which
 * unlike Student's has a width also where no trial differs. As published it covers 89% at ten trials and 94% at some rates of a
 * hundred; with half a trial more on either side and so much more width it covers 95% wherever we computed it (paired.test.ts).
 */
const ADDED = 1.5;
const widen = (trials: number) => 2.03 * (1 + 0.5 / Math.sqrt(trials));

export function rateDifference(first: readonly number[], second: readonly number[]): Estimate {
  const trials = Math.min(first.length, second.length);
  if (trials === 0) return { mean: null, low: null, high: null };
  let gained = 0;
  let lost = 0;
  for (let i = 0; i < trials; i++) {
    if (second[i] > first[i]) gained++;
    else if (second[i] < first[i]) lost++;
  }
  const all = trials + 2 * ADDED;
  const [up, down] = [(gained + ADDED) / all, (lost + ADDED) / all];
  // One trial says nothing of a difference.
  const half = trials === 1 ? 2 : widen(trials) * Math.sqrt((up + down - (up - down) ** 2) / all);
  return {
    mean: (gained - lost) / trials,
    low: Math.max(-1, up - down - half),
    high: Math.min(1, up - down + half),
  };
}
