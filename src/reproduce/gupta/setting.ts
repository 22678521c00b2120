/** The settings of Gupta et al., and statistics of first rounds. */
import type { FaultPlan } from "../../host/faults/faults.ts";
import type { Params } from "../../protocols/parameters.ts";
import type { Request } from "../../simulation/settings.ts";
import { type Rate, rateOf, Z95 } from "../../statistics/intervals.ts";
import type { Summary } from "../../statistics/report.ts";
import type { GuptaSetting } from "../../theory/gupta/gupta.ts";
import type { Bench } from "../claim.ts";

/** Section 4, the parameters of Fig. 4. */
export const FIG4: GuptaSetting = { n: 10_000, view: 0.4, loss: 0.01, multicastLoss: 0.01, crash: 0.01 };

/** Fig. 4 shows K up to this. */
export const LAST_K = 65;

/** Section 5, the network of Figs. 5(d-i). */
export const QUIET = { loss: 0.001, multicastLoss: 0.001, crash: 0.001 };

/** Section 5, the networks of Figs. 5(a-c). */
export const lossy = (p: number) => ({ loss: p, multicastLoss: p, crash: 0.001 });

/** An election by the strategy of section 5 (K = 7, 14, 28, 56, N), with half of the members in each view. */
export const guptaElection = (n: number, faults: Partial<FaultPlan>, params: Params = {}): Request => ({
  protocol: "filter-relay",
  n,
  faults,
  params: { view: 0.5, ...params },
});

export interface FirstRounds {
  /** The first round ended with one live leader that every live member knows. */
  readonly success: Rate;
  /** Of those that did not, the share in which somebody noticed. */
  readonly noticed: Rate;
  readonly failures: number;
}

/** How first rounds end. The rounds after them all have the same K, so that no run comes to the round of all members. */
export async function firstRounds(
  { simulate }: Pick<Bench, "simulate">,
  [run, k]: readonly [run: string, k: number],
  setting: GuptaSetting,
  trials: number,
  seed = 1,
): Promise<FirstRounds> {
  const { n, view, loss, multicastLoss, crash } = setting;
  const params = { K: k, view, factor: 1, rounds: 30 };
  const request = { ...guptaElection(n, { loss, multicastLoss, crash }, params), seed };
  let succeeded = 0;
  let noticed = 0;
  await simulate(run, k, [request, trials], (some) => {
    for (const { rounds, measures } of some) {
      if (rounds > 1) noticed++;
      else succeeded += measures.strong;
    }
  });
  const failures = trials - succeeded;
  return { success: rateOf(succeeded, trials), noticed: rateOf(noticed, failures), failures };
}

const errorOf = ({ low, high }: Summary): number => (high! - low!) / 2 / Z95;

/** Two means are the same as far as one can tell: four standard errors, which chance exceeds once in 16,000 times. */
export const alike = (one: Summary, other: Summary): boolean =>
  Math.abs(one.mean! - other.mean!) <= 4 * Math.hypot(errorOf(one), errorOf(other));

/** The mean of means of equally many runs, with its interval. */
export function pooledMean(summaries: readonly Summary[]): {
  readonly ours: number;
  readonly interval: [number, number];
} {
  const ours = summaries.reduce((sum, { mean }) => sum + mean!, 0) / summaries.length;
  const half = (Z95 * Math.hypot(...summaries.map(errorOf))) / summaries.length;
  return { ours, interval: [ours - half, ours + half] };
}
