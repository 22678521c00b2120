/** Gupta et al., Theorems 3 to 5: messages and time of a round. */

import type { Series } from "../plot/plot.ts";
import { resolve } from "../simulation/settings.ts";
import { runTrial } from "../simulation/trial.ts";
import { type Rate, rateOf } from "../statistics/intervals.ts";
import type { Report } from "../statistics/report.ts";
import { roundCost } from "../theory/gupta.ts";
import { computed, exponentOf, lineFigure, meanAt, plotted } from "./draw.ts";
import { agrees, alike, election } from "./gupta-setting.ts";
import { textsOf } from "./texts.ts";
import { afterRepair } from "./verdict.ts";

const { claim, item, worded } = textsOf("gupta");

const KS = [8, 16, 32, 64];
const SIZES = [400, 1600] as const;
const QUIET = { n: 400, view: 0.5, loss: 0, multicastLoss: 0, crash: 0 };

const K3 = 8;

/** Shares of first rounds, those that needed no second, within the bounds of Theorem 3 on unicasts and multicasts. */
function withinBounds(trials: number): Rate[] {
  const settings = resolve(election(QUIET.n, {}, { K: K3, rounds: 9 }));
  const runs = Array.from({ length: trials }, (_, trial) => runTrial(settings, trial)).filter(
    ({ rounds }) => rounds === 1,
  );
  const bound = roundCost(K3, QUIET);
  return (["unicasts", "multicasts"] as const).map((name) =>
    rateOf(runs.filter(({ measures }) => measures[name] <= bound[name]).length, runs.length),
  );
}

/** The time of the first run that needs one round only. */
function stepsOf(k: number, n: number): number {
  const settings = resolve(election(n, {}, { K: k, view: 1 }));
  for (let trial = 0; ; trial++) {
    const { rounds, measures } = runTrial(settings, trial);
    if (rounds === 1) return measures.steps;
  }
}

export const guptaTheorems = item("theorems", async (bench) => {
  const trials = bench.trials(60, 200);
  const reports = new Map<string, Report>();
  for (const n of SIZES) {
    for (const k of KS) {
      reports.set(`${n} ${k}`, await bench.simulate(election(n, {}, { K: k, rounds: 9 }), trials));
    }
  }
  const at = (n: number, k: number) => reports.get(`${n} ${k}`)!.measures;
  const measured = (measure: "unicasts" | "multicasts", n: number): Series =>
    plotted("measured", `${measure}, N = ${n}`, KS, (k) => meanAt(k, at(n, k)[measure]));
  const power = (name: string, of: (k: number) => number): Series => computed("reference", name, KS, of);
  const figure = await lineFigure("gupta-theorem4", { trials }, [
    ...SIZES.map((n) => measured("unicasts", n)),
    ...SIZES.map((n) => measured("multicasts", n)),
    power("K³", (k) => k ** 3),
    power("K", (k) => k),
  ]);
  const small = at(400, 8).unicasts;
  const elsewhere = at(1600, 8).unicasts;
  const growth = exponentOf(KS.map((k) => meanAt(k, at(400, k).unicasts)));
  const linear = exponentOf(KS.map((k) => meanAt(k, at(400, k).multicasts)));
  bench.step("Gupta, Theorem 3: single rounds");
  const [unicasts, multicasts] = withinBounds(bench.trials(200, 1000));
  const bound = roundCost(K3, QUIET);
  const times = [4, 8, 16].flatMap((k) => [100, 1000].map((n) => ({ k, n, steps: stepsOf(k, n) })));
  return {
    claims: [
      claim("unicasts-bound", unicasts, afterRepair(unicasts.high! >= bound.unicastsWithin), { bound }),
      claim("multicasts-bound", multicasts, multicasts.high! >= bound.multicastsWithin, { bound }),
      claim("unicasts-growth", growth, afterRepair(growth.interval[1] < 3)),
      claim("multicasts-growth", linear, linear.interval[0] <= 1 && agrees(at(400, 64).multicasts, 65), {
        multicasts: at(400, 64).multicasts.mean,
      }),
      claim("constant-messages", elsewhere, afterRepair(alike(small, elsewhere)), { small }),
      worded("round-time", afterRepair(times.every(({ k, steps }) => steps === (3 * k) / 2 + 2)), {
        steps: times.map(({ steps }) => steps),
      }),
    ],
    figures: [figure],
  };
});
