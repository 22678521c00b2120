/** Gupta et al., Theorems 3 to 5: messages and time of a round. */
import { resolve } from "../../simulation/settings.ts";
import { runTrial } from "../../simulation/trial.ts";
import { exponentOf } from "../../statistics/fits.ts";
import { type Rate, rateOf } from "../../statistics/intervals.ts";
import type { Report } from "../../statistics/report.ts";
import { roundCost } from "../../theory/gupta/gupta.ts";
import { afterRepair, over } from "../claim.ts";
import { measured, pointAt, reference } from "../draw.ts";
import { gupta } from "../texts.ts";
import { agrees, alike, guptaElection } from "./setting.ts";

const KS = [8, 16, 32, 64];
const SIZES = [400, 1600] as const;
const QUIET = { n: 400, view: 0.5, loss: 0, multicastLoss: 0, crash: 0 };

const K3 = 8;

/** Shares of first rounds, those that needed no second, within the bounds of Theorem 3 on unicasts and multicasts. */
function withinBounds(trials: number): Rate[] {
  const settings = resolve(guptaElection(QUIET.n, {}, { K: K3, rounds: 9 }));
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
  const settings = resolve(guptaElection(n, {}, { K: k, view: 1 }));
  for (let trial = 0; ; trial++) {
    const { rounds, measures } = runTrial(settings, trial);
    if (rounds === 1) return measures.steps;
  }
}

/** The seed depends on K alone, so that the two sizes are compared with the same draws. */
const ofGroup = (n: number) => over(KS, (K) => [guptaElection(n, {}, { K, rounds: 9 }), [60, 200]]);

gupta("theorems", { group: ofGroup(SIZES[0]), larger: ofGroup(SIZES[1]) })(
  ({ group, larger }, { tell, claims, draw, ...bench }) => {
    const at = (reports: readonly Report[], measure: "unicasts" | "multicasts") =>
      KS.map((k, i) => pointAt(k, reports[i].measures[measure]));
    const curves = (measure: "unicasts" | "multicasts") =>
      [group, larger].map((reports, i) => measured(`${measure}, N = ${SIZES[i]}`, at(reports, measure)));
    const [small, elsewhere] = [group, larger].map(([{ measures }]) => measures.unicasts);
    const [growth, linear] = (["unicasts", "multicasts"] as const).map((one) => exponentOf(at(group, one)));
    bench.step("Gupta, Theorem 3: single rounds");
    const [unicasts, multicasts] = withinBounds(bench.trials(200, 1000));
    const bound = roundCost(K3, QUIET);
    const times = [4, 8, 16].flatMap((k) => [100, 1000].map((n) => ({ k, n, steps: stepsOf(k, n) })));
    const atEnd = group[3].measures.multicasts;
    tell({ trials: group[0].trials, bound, multicasts: atEnd.mean, small, steps: times.map(({ steps }) => steps) });
    claims({
      "unicasts-bound": [unicasts, afterRepair(unicasts.high! >= bound.unicastsWithin)],
      "multicasts-bound": [multicasts, multicasts.high! >= bound.multicastsWithin],
      "unicasts-growth": [growth, afterRepair(growth.interval[1] < 3)],
      "multicasts-growth": [linear, linear.interval[0] <= 1 && agrees(atEnd, 65)],
      "constant-messages": [elsewhere, afterRepair(alike(small, elsewhere))],
      "round-time": afterRepair(times.every(({ k, steps }) => steps === (3 * k) / 2 + 2)),
    });
    draw("gupta-theorem4", [
      ...curves("unicasts"),
      ...curves("multicasts"),
      reference("K³", KS, (k) => k ** 3),
      reference("K", KS, (k) => k),
    ]);
  },
);
