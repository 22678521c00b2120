/**
 * Comparing settings with common random numbers. Draws are addressed by seed, trial and purpose, so that trial i of two
 * settings with one seed has the same ids, initiators and draws; what the trials have in common cancels in their
 * differences. That narrows the interval where one setting changes; between protocols that use their draws in different
 * ways it may not (measured in docs/sweep.md). The interval is computed from the differences, so it is right either way.
 */

import type { Trial } from "../simulation/trial.ts";
import { Distribution } from "./distribution.ts";

/** A mean with its 95% interval. */
export interface Estimate {
  readonly mean: number | null;
  readonly low: number | null;
  readonly high: number | null;
}

export const COMPARED = ["success", "messages", "rounds", "bits"] as const;

/** What one setting gave in each of its trials, by name of the quantity: those compared, or `measures.NAME`. */
export class TrialValues {
  private readonly values = new Map<string, number[]>();

  constructor(quantities: readonly string[] = COMPARED) {
    for (const quantity of quantities) this.values.set(quantity, []);
  }

  add(trials: readonly Trial[]): void {
    for (const [quantity, values] of this.values) for (const trial of trials) values.push(quantityOf(trial, quantity));
  }

  /** Second minus first, for each quantity that both have, over the trials that both have. */
  static differences(first: TrialValues, second: TrialValues): Record<string, Estimate> {
    const found: Record<string, Estimate> = {};
    for (const [quantity, values] of second.values) {
      const others = first.values.get(quantity);
      if (others === undefined) continue;
      found[quantity] = quantity === "success" ? rateDifference(others, values) : meanDifference(others, values);
    }
    return found;
  }
}

function quantityOf(trial: Trial, quantity: string): number {
  if (quantity === "success") return trial.outcome === "one" ? 1 : 0;
  if (quantity.startsWith("measures.")) return trial.measures[quantity.slice("measures.".length)] ?? 0;
  return trial[quantity as "messages" | "rounds" | "bits"];
}

/** Student's interval of the mean of second minus first. */
export function meanDifference(first: readonly number[], second: readonly number[]): Estimate {
  const differences = new Distribution();
  for (let i = 0; i < Math.min(first.length, second.length); i++) differences.add(second[i] - first[i]);
  const { mean, low, high } = differences.summary();
  return { mean, low, high };
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
