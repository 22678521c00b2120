/** Gupta et al., Fig. 4 and Theorems 1 and 2: the analysis of one round, beside rounds that were run. */
import { resolve } from "../../simulation/settings.ts";
import { runTrial } from "../../simulation/trial.ts";
import { brokenE1, largestShareE2 } from "../../theory/gupta/exact.ts";
import {
  detection,
  type GuptaFactors,
  type GuptaSetting,
  optimumK,
  roundFactors,
  roundSuccess,
  surviving,
} from "../../theory/gupta/gupta.ts";
import { seedOf } from "../bench.ts";
import type { Bench } from "../claim.ts";
import { above, all, atLeast, given, verdictOr } from "../criteria.ts";
import { bound, measured, pointAt, theory } from "../draw.ts";
import { gupta } from "../texts.ts";
import { FIG4, type FirstRounds, firstRounds, guptaElection, LAST_K } from "./setting.ts";

const KS = Array.from({ length: LAST_K }, (_, i) => i + 1);
const MEASURED = { quick: [3, 7, 24, 56], full: [3, 5, 7, 10, 14, 20, 24, 28, 40, 56, 65] };
/** Only the fourth factor depends on N, and from K = 10 on not even that one. */
const SIMULATED_N = 500;

const NOTICED = { quick: [40], full: [5, 10, 15, 25, 40, 60] };
/** More deaths than in Fig. 4, so that rounds fail often enough to be counted; and none, with views so small that relays part. */
const MORTAL = { ...FIG4, n: 200, crash: 0.1 };
const IMMORTAL = { ...FIG4, n: 300, crash: 0, view: 0.05 };

const FACTORS: readonly (readonly [keyof GuptaFactors, string])[] = [
  ["E1", "E1: near K relays"],
  ["E2", "E2: connected"],
  ["E3", "E3: they agree"],
  ["E4", "E4: all hear of it"],
];

/** First rounds at each K, with a seed of its own. */
async function firstOf(bench: Bench, run: string, ks: readonly number[], setting: GuptaSetting, trials: number) {
  const found = new Map<number, FirstRounds>();
  for (const k of ks) found.set(k, await firstRounds(bench, [run, k], setting, trials, seedOf(k)));
  return found;
}

gupta("fig4")(async (_ran, { tell, claims, draw, ...bench }) => {
  const trials = bench.trials(80, 200);
  bench.step("Gupta, section 4: first rounds");
  const rounds = await firstOf(bench, "rounds", MEASURED[bench.effort], { ...FIG4, n: SIMULATED_N }, trials);
  const lossy = { ...FIG4, n: 100, view: 0.5, loss: 0.3, multicastLoss: 0.3, crash: 0.001 };
  const few = await firstRounds(bench, ["lossy", 7], lossy, trials);
  const more = await firstRounds(bench, ["lossy", 28], lossy, trials);
  const failed = bench.trials(150, 300);
  const noticed = await firstOf(bench, "noticed", NOTICED[bench.effort], MORTAL, failed);
  const larger = await firstRounds(bench, ["larger", 40], { ...MORTAL, n: 800 }, bench.trials(100, 300));
  const immortal = await firstRounds(bench, ["immortal", 24], IMMORTAL, bench.trials(60, 200));
  const measuredKs = MEASURED[bench.effort];
  const mortal = noticed.get(40)!;
  const [three, seven, peak, large] = [3, 7, 24, 56].map((k) => rounds.get(k)!.success);
  const at40 = roundFactors(40, FIG4);
  const { E4: _here, ...others } = at40;
  const { E4: _there, ...elsewhere } = roundFactors(40, { ...FIG4, n: 1e9 });
  const exponent = Math.log10(FIG4.multicastLoss ** (-surviving(40, FIG4) / 2));
  const broken = brokenE1(FIG4);
  // From the first K after which it fails without a gap.
  const always = broken.findLast(({ K }, i) => i === 0 || broken[i - 1].K < K - 1)?.K;
  const empty = resolve(guptaElection(6, {}, { K: 1e-9, rounds: 2, reinitiate: "filtered" }));
  const nobody = runTrial(empty, 0);
  const { K, success } = optimumK(FIG4);
  const promised = detection(40, MORTAL);
  const [last, best] = [65, 24].map((k) => roundSuccess(k, FIG4));
  const everywhere = roundSuccess(40, { ...FIG4, n: 1e12 });
  tell({
    trials,
    failed,
    SIMULATED_N,
    three,
    seven,
    peak,
    few,
    K,
    exponent,
    nobody,
    empty,
    broken: broken[0],
    always,
    best,
  });
  tell({ oneWay: largestShareE2(FIG4, 1 - FIG4.view, LAST_K), promised, promisedHere: detection(24, IMMORTAL) });
  tell({ promisedLarge: detection(40, { ...MORTAL, n: 1e9 }) });
  claims({
    peak: [success, (x) => x.toFixed(1) === "0.6"],
    "factors-to-one": [Math.min(at40.E1, at40.E2), (x) => x > 0.99],
    "only-fourth": given(elsewhere, (there) => JSON.stringify(others) === JSON.stringify(there)),
    "fourth-near-one": given(
      { exponent, below: roundFactors(40, { ...FIG4, n: 1e36 }).E4, beyond: roundFactors(40, { ...FIG4, n: 1e41 }).E4 },
      (found) => Math.abs(found.exponent - 39) < 0.5 && found.below > 0.99 && found.beyond < 0.01,
    ),
    // Nobody relays, nobody multicasts an end: with the repair (then the initiating multicast counts) all notice.
    implication: given(nobody.measures, ({ relays, undecided }) =>
      verdictOr(relays > 0 || undecided === 0, relays === 0 && undecided === 6),
    ),
    "e1-bound": broken.length === 0,
    "e2-bound": [largestShareE2(FIG4, (1 - FIG4.view) ** 2, LAST_K), (x) => x < 1],
    "product-bound": [
      peak,
      given([...rounds.values()], (found) =>
        all(...found.map(({ success: rate }, i) => atLeast(rate, roundSuccess(measuredKs[i], FIG4)))),
      ),
    ],
    "lowest-id": [
      seven,
      given([...rounds.values()], (found) =>
        all(...found.map(({ success: rate }, i) => atLeast(rate, (1 + roundSuccess(measuredKs[i], FIG4)) / 2))),
      ),
    ],
    "higher-k": [
      large,
      given([three, seven, large], ([low, middle, high]) =>
        all(above(middle, low), above(high, low), above(middle, high) !== "holds"),
      ),
    ],
    "higher-k-section4": [last, last >= best],
    "k-tolerates": [more.success, given(more.success, (rate) => above(rate, few.success))],
    "independent-of-n": [everywhere, (x) => Math.abs(x - roundSuccess(40, FIG4)) < 1e-9],
    noticed: [mortal.noticed, atLeast(mortal.noticed, promised)],
    "noticed-alive": [
      immortal.noticed,
      given(immortal.noticed, (rate) => all(atLeast(rate, 0.9), atLeast(rate, detection(24, IMMORTAL), 0.9))),
    ],
    "noticed-large-k": [larger.noticed, atLeast(larger.noticed, detection(40, { ...MORTAL, n: 800 }))],
  });
  draw("gupta-fig4", [
    ...FACTORS.map(([factor, name]) => theory(name, KS, (x) => roundFactors(x, FIG4)[factor])),
    theory("product of all five", KS, (x) => roundSuccess(x, FIG4)),
    measured("success as run", [...rounds], ([k, { success }]) => pointAt(k, success)),
  ]);
  draw("gupta-theorem2", [
    bound("printed bound", KS.slice(4), (x) => detection(x, MORTAL)),
    measured("as run", [...noticed], ([k, { noticed }]) => pointAt(k, noticed)),
  ]);
});
