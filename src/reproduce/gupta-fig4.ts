/** Gupta et al., Fig. 4 and Theorems 1 and 2: the analysis of one round, beside rounds that were run. */

import type { Series } from "../plot/plot.ts";
import { resolve } from "../simulation/settings.ts";
import { runTrial } from "../simulation/trial.ts";
import {
  detection,
  type GuptaFactors,
  type GuptaSetting,
  optimumK,
  roundFactors,
  roundSuccess,
  surviving,
} from "../theory/gupta.ts";
import { seedOf } from "./bench.ts";
import type { Claim } from "./claim.ts";
import { computed, lineFigure, plotted, rateAt } from "./draw.ts";
import { brokenE1, largestShareE2 } from "./gupta-exact.ts";
import { election, FIG4, type FirstRounds, firstRounds, LAST_K } from "./gupta-setting.ts";
import { textsOf } from "./texts.ts";

const { claim, item, worded } = textsOf("gupta");

const KS = Array.from({ length: LAST_K }, (_, i) => i + 1);
const MEASURED = { quick: [3, 7, 14, 24, 56], full: [3, 5, 7, 10, 14, 20, 24, 28, 40, 56, 65] };
/** Only the fourth factor depends on N, and from K = 10 on not even that one. */
const SIMULATED_N = 500;

const NOTICED = { quick: [5, 15, 40], full: [5, 10, 15, 25, 40, 60] };
/** More deaths than in Fig. 4, so that rounds fail often enough to be counted; and none, with views so small that relays part. */
const MORTAL = { ...FIG4, n: 200, crash: 0.1 };
const IMMORTAL = { ...FIG4, n: 300, crash: 0, view: 0.05 };

const FACTORS: readonly (readonly [keyof GuptaFactors, string])[] = [
  ["E1", "E1: near K relays"],
  ["E2", "E2: connected"],
  ["E3", "E3: they agree"],
  ["E4", "E4: all hear of it"],
];
const PRODUCT = "product of all five";

export const guptaFig4 = item("fig4", async (bench) => {
  const trials = bench.trials(80, 200);
  bench.step("Gupta, section 4: first rounds");
  const firstOf = async (ks: readonly number[], n: number, setting: GuptaSetting, trials: number) =>
    new Map(await bench.each(ks, async (k) => [k, await firstRounds(n, k, setting, trials, seedOf(k))] as const));
  const rounds = await firstOf(MEASURED[bench.effort], SIMULATED_N, FIG4, trials);
  const lossy = { ...FIG4, view: 0.5, loss: 0.3, multicastLoss: 0.3, crash: 0.001 };
  const underLoss = [
    await firstRounds(100, 7, lossy, trials),
    await firstRounds(100, 28, lossy, trials),
    await firstRounds(2000, 7, lossy, bench.trials(30, 100)),
  ];
  const noticed = await firstOf(NOTICED[bench.effort], 200, MORTAL, bench.trials(150, 300));
  const larger = await firstRounds(800, 40, MORTAL, bench.trials(100, 300));
  const unharmed = await firstRounds(300, 24, IMMORTAL, bench.trials(60, 200));
  const figures = [
    await lineFigure("gupta-fig4", { trials, SIMULATED_N }, [
      ...FACTORS.map(([factor, name]): Series => computed("theory", name, KS, (x) => roundFactors(x, FIG4)[factor])),
      computed("theory", PRODUCT, KS, (x) => roundSuccess(x, FIG4)),
      plotted("measured", "success as run", [...rounds], ([k, { success }]) => rateAt(k, success)),
    ]),
    await lineFigure("gupta-theorem2", { trials: bench.trials(150, 300) }, [
      computed("bound", "printed bound", KS.slice(4), (x) => detection(x, MORTAL)),
      plotted("measured", "as run", [...noticed], ([k, rounds]) => rateAt(k, rounds.noticed)),
    ]),
  ];
  const claims = [
    ...theoryClaims(),
    ...roundClaims(rounds, underLoss),
    ...detectionClaims(noticed.get(40)!, larger, unharmed),
  ];
  return { claims, figures, values: { seven: rounds.get(7)!.success, peak: rounds.get(24)!.success } };
});

function theoryClaims(): Claim[] {
  const { K, success } = optimumK(FIG4);
  const at40 = roundFactors(40, FIG4);
  const { E4: _here, ...others } = at40;
  const { E4: _there, ...elsewhere } = roundFactors(40, { ...FIG4, n: 1e9 });
  const exponent = Math.log10(FIG4.multicastLoss ** (-surviving(40, FIG4) / 2));
  const broken = brokenE1();
  // From the first K after which it fails without a gap.
  const always = broken.findLast(({ K }, i) => i === 0 || broken[i - 1].K < K - 1)?.K;
  const share = largestShareE2((1 - FIG4.view) ** 2);
  const nobody = runTrial(resolve(election(6, {}, { K: 1e-9, rounds: 2, reinitiate: "filtered" })), 0);
  return [
    claim("peak", success, success.toFixed(1) === "0.6", { K }),
    claim("factors-to-one", Math.min(at40.E1, at40.E2), Math.min(at40.E1, at40.E2) > 0.99),
    worded("only-fourth", JSON.stringify(others) === JSON.stringify(elsewhere)),
    worded(
      "fourth-near-one",
      Math.abs(exponent - 39) < 0.5 &&
        roundFactors(40, { ...FIG4, n: 1e36 }).E4 > 0.99 &&
        roundFactors(40, { ...FIG4, n: 1e41 }).E4 < 0.01,
      { exponent },
    ),
    worded(
      "implication",
      nobody.measures.relays === 0 && nobody.measures.undecided > 0 ? "holds after repair" : "holds",
      { nobody },
    ),
    worded("e1-bound", broken.length === 0, { broken: broken[0], always }),
    claim("e2-bound", share, share < 1, { share: largestShareE2(1 - FIG4.view) }),
  ];
}

function roundClaims(rounds: ReadonlyMap<number, FirstRounds>, [few, more, many]: readonly FirstRounds[]): Claim[] {
  const [three, seven, peak, large] = [3, 7, 24, 56].map((k) => rounds.get(k)!.success);
  return [
    claim("product-bound", peak, () => [...rounds].every(([k, { success }]) => success.high! > roundSuccess(k, FIG4))),
    claim("lowest-id", seven, () =>
      [...rounds].every(([k, { success }]) => 1 - success.rate! < (1 - roundSuccess(k, FIG4)) / 2),
    ),
    claim("higher-k", large, three.high! < seven.low! && large.rate! > seven.rate!, { three, seven }),
    claim("higher-k-section4", roundSuccess(65, FIG4), roundSuccess(65, FIG4) >= roundSuccess(24, FIG4), {
      peak: roundSuccess(24, FIG4),
    }),
    claim("k-tolerates", more.success, more.success.low! > few.success.high!, { few }),
    claim(
      "independent-of-n",
      roundSuccess(40, { ...FIG4, n: 1e12 }),
      Math.abs(roundSuccess(40, { ...FIG4, n: 1e12 }) - roundSuccess(40, FIG4)) < 1e-9,
    ),
    claim("independent-in-general", many.success, few.success.low! < many.success.high!, { few }),
  ];
}

function detectionClaims(mortal: FirstRounds, larger: FirstRounds, immortal: FirstRounds): Claim[] {
  const [promised, promisedHere] = [detection(40, MORTAL), detection(24, IMMORTAL)];
  return [
    claim("noticed", mortal.noticed, mortal.noticed.high! > promised, { promised }),
    claim("noticed-alive", immortal.noticed, immortal.noticed.low! > 0.9 && immortal.noticed.high! > promisedHere, {
      promisedHere,
    }),
    claim("noticed-large-k", larger.noticed, larger.noticed.high! > detection(40, { ...MORTAL, n: 800 }), {
      promised: detection(40, { ...MORTAL, n: 1e9 }),
    }),
  ];
}
