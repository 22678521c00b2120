/** Gupta et al., Fig. 3: who starts another round. */

import type { Params } from "../protocols/parameters.ts";
import { resolve } from "../simulation/settings.ts";
import { runTrial } from "../simulation/trial.ts";
import { Z95 } from "../statistics/intervals.ts";
import type { Report } from "../statistics/report.ts";
import type { Bench } from "./claim.ts";
import { lineFigure, swept } from "./draw.ts";
import { election, lossy } from "./gupta-setting.ts";
import { textsOf } from "./texts.ts";
import { verdictOr } from "./verdict.ts";

const { claim, item } = textsOf("gupta");

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

export const guptaFig3 = item("fig3", async (bench) => {
  const trials = bench.trials(60, 200);
  const losses = LOSSES[bench.effort];
  const reports = new Map<string, Map<number, Report>>();
  for (const [name, params] of VARIANTS) {
    reports.set(name, await bench.sweep(losses, (p) => election(N, lossy(p), params), trials));
  }
  // So small a K that nobody relays in the first round: everybody notices, and all relay in the second.
  const again = await bench.simulate(election(RETRIED, { multicastLoss: 0.5 }, UNANSWERED), [20, 200]);
  const { mean, low, high } = again.measures.multicasts;
  const re = (multicasts: number | null) => multicasts! - 1 - RETRIED;
  bench.step("Gupta, section 3.1: the filter on re-initiations");
  const filtering = [await admittedToRetry(bench, 200), await admittedToRetry(bench, 800)];
  const [delayed, filtered, unaware] = [DELAYED, FILTERED, UNAWARE].map((name) => reports.get(name)!.get(0.4)!.success);
  const figure = await lineFigure(
    "gupta-fig3",
    { N, trials },
    VARIANTS.map(([name]) => swept(name, reports.get(name)!, ({ success }) => success)),
  );
  return {
    claims: [
      claim("reinitiate", delayed, verdictOr(filtered.rate! > 0.95, delayed.rate! > 0.95), { N, filtered }),
      claim("delay-suppresses", { ours: re(mean), interval: [re(low), re(high)] }, re(high) < RETRIED / 10, {
        RETRIED,
      }),
      claim(
        "filter-constant",
        filtering[1],
        () => filtering.every(({ ours, interval }) => Math.abs(ours - 7) <= interval[1] - interval[0]),
        { filtering },
      ),
    ],
    figures: [figure],
    values: { filtered, delayed, unaware },
  };
});
