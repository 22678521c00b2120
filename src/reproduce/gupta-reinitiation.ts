/** Gupta et al., Fig. 3: who starts another round. */

import type { Params } from "../protocols/parameters.ts";
import { resolve } from "../simulation/settings.ts";
import { runTrial } from "../simulation/trial.ts";
import { Z95 } from "../statistics/intervals.ts";
import type { Report } from "../statistics/report.ts";
import type { Bench, Part, Reproduction } from "./claim.ts";
import { lineFigure, rateAt } from "./draw.ts";
import { election, lossy } from "./gupta-setting.ts";
import { measuredRate, verdictIf } from "./verdict.ts";

const N = 500;
const DELAYED = "random delay (section 3.1)";
const FILTERED = "hash filter (Fig. 3)";
const UNAWARE = "random delay, election unexpected";
const VARIANTS: readonly (readonly [string, Params])[] = [
  [DELAYED, {}],
  [FILTERED, { reinitiate: "filtered" }],
  [UNAWARE, { expects: false }],
];
const LOSSES = { quick: [0.1, 0.25, 0.4, 0.5], full: [0, 0.1, 0.2, 0.25, 0.3, 0.4, 0.5] };

const RETRIED = 150;
const UNANSWERED = { K: 0.001, rounds: 2, view: 1 };

/** How many re-initiate where no multicast arrives: all notice, those whom the filter admits go on to a second round alone. */
async function admittedToRetry(bench: Bench, n: number) {
  const settings = resolve(election(n, { multicastLoss: 1 }, { reinitiate: "filtered", rounds: 2 }));
  const counts = Array.from({ length: bench.trials(60, 300) }, (_, trial) => {
    const { multicasts, relays } = runTrial(settings, trial).measures;
    return multicasts - relays - 1;
  });
  const ours = counts.reduce((sum, count) => sum + count, 0) / counts.length;
  const variance = counts.reduce((sum, count) => sum + (count - ours) ** 2, 0) / (counts.length - 1);
  const half = Z95 * Math.sqrt(variance / counts.length);
  return { ours, interval: [ours - half, ours + half] as const };
}

async function run(bench: Bench): Promise<Part> {
  const trials = bench.trials(60, 200);
  const losses = LOSSES[bench.effort];
  const reports = new Map<string, Map<number, Report>>();
  for (const [name, params] of VARIANTS) {
    const at = new Map<number, Report>();
    for (const p of losses) {
      bench.step(`Gupta, Fig. 3: ${name}, loss ${p}`);
      at.set(p, await bench.simulate(election(N, lossy(p), params), trials));
    }
    reports.set(name, at);
  }
  // So small a K that nobody relays in the first round: everybody notices, and all relay in the second.
  const again = await bench.simulate(election(RETRIED, { multicastLoss: 0.5 }, UNANSWERED), bench.trials(20, 200));
  const { mean, low, high } = again.measures.multicasts;
  const re = (multicasts: number | null) => multicasts! - 1 - RETRIED;
  bench.step("Gupta, section 3.1: the filter on re-initiations");
  const filtering = [await admittedToRetry(bench, 200), await admittedToRetry(bench, 800)];
  const at = (name: string, p: number) => reports.get(name)!.get(p)!;
  const [delayed, filtered, unaware] = [DELAYED, FILTERED, UNAWARE].map((name) => at(name, 0.4).success);
  const figure = await lineFigure("gupta-fig3", {
    title: "Gupta et al., Fig. 3: strong success by who may re-initiate",
    caption: `N = ${N}, view_prob 0.5, p_fail 0.001, ${trials} runs a point, 95% bands`,
    x: { label: "loss of unicasts and multicasts" },
    y: { label: "P(strong success)", domain: [0, 1.02] },
    series: VARIANTS.map(([name]) => ({
      name,
      kind: "measured" as const,
      points: losses.map((p) => rateAt(p, at(name, p).success)),
    })),
  });
  const percent = (rate: number | null) => `${(100 * rate!).toFixed(0)}%`;
  return {
    claims: [
      {
        section: "Fig. 3",
        statement:
          "Members that saw none or several leaders re-initiate the election through the hash filter, and the strategy ends in success",
        paper: '"very high" success at loss 0.4',
        ...measuredRate(delayed),
        verdict: filtered.rate! > 0.95 ? "holds" : verdictIf(delayed.rate! > 0.95, "holds after repair"),
        note: `With the random delay that section 3.1 offers as an alternative, loss 0.4, N = ${N}. With the printed filter it is ${percent(filtered.rate)}: where only a few members missed everything, each of them passes with probability K/N only, and mostly all keep silent (the expected number of re-initiations is constant indeed, but far below one). A member that received no final message also has no message identifier to hash; we take the initiating one.`,
      },
      {
        section: "section 3.1",
        statement: `A randomised delay suppresses re-initiations: how many are sent where all ${RETRIED} members notice and half of the multicasts are lost`,
        paper: "a process that receives one need not send its own",
        ours: re(mean),
        interval: [re(low), re(high)],
        verdict: verdictIf(re(high) < RETRIED / 10),
        note: "Criterion: fewer than a tenth of those who noticed. One without loss. Each is missed by half of those who wait, so their number grows with the logarithm of N, where the hash filter would send K.",
      },
      {
        section: "section 3.1",
        statement:
          "With the hash filter the expected number of re-initiating multicasts is constant: where all notice, K = 7 and N = 800",
        paper: "constant",
        ...filtering[1],
        verdict: verdictIf(filtering.every(({ ours, interval }) => Math.abs(ours - 7) <= interval[1] - interval[0])),
        note: `${filtering[0].ours.toFixed(1)} with N = 200. Constant, and K where all notice (criterion: within twice the half-width of the interval); where a handful does, K/N times a handful.`,
      },
    ],
    figures: [figure],
    text: [
      `A round that fails must be repeated by somebody who noticed. Fig. 3 lets a member re-initiate only if a second hash falls below K/N, so that few do. If everybody notices, K do; but under loss a round typically fails for a handful of members who received none of the final multicasts, and then K/N times a handful re-initiate: nobody. At loss 0.4 the printed rule ends in strong success in ${percent(filtered.rate)} of the runs, the randomised delay of section 3.1 in ${percent(delayed.rate)}. The latter is what Fig. 5(a) must have used.`,
      `The third curve shows a premise that the paper does not state: a member that misses the initiating multicast and all final ones must know that an election is due, or it cannot notice anything; without it ${percent(unaware.rate)} remain at loss 0.4.`,
      "How sure: the gap between the curves is many times the width of the bands; the expected number of re-initiations under the filter, K times the share that noticed, explains it without any simulation.",
    ].join(" "),
  };
}

export const guptaFig3: Reproduction = {
  paper: "gupta",
  name: "fig3",
  title: "Fig. 3: who may start another round",
  run,
};
