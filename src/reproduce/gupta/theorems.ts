/** Gupta et al., Theorems 3 to 5: messages and time of a round. */
import { resolve } from "../../simulation/settings.ts";
import { runTrial } from "../../simulation/trial.ts";
import { exponentOf } from "../../statistics/fits.ts";
import { type Rate, rateOf } from "../../statistics/intervals.ts";
import type { Report } from "../../statistics/report.ts";
import { roundCost } from "../../theory/gupta/gupta.ts";
import { over } from "../claim.ts";
import { afterRepair, all, atLeast, atMost, equalTo, given, similar } from "../criteria.ts";
import { measured, pointAt, reference } from "../draw.ts";
import { gupta } from "../texts.ts";
import { atOnceAtMost } from "./round.ts";
import { guptaElection } from "./setting.ts";

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
    const lossy = { multicastLoss: 0.3, loss: 0.3 };
    const together = [{}, lossy].map((faults) =>
      atOnceAtMost(bound.multicasts, QUIET.n, { K: K3, view: QUIET.view, rounds: 9 }, faults, bench.trials(60, 300)),
    );
    const times = [4, 8, 16].flatMap((k) => [100, 1000].map((n) => ({ k, n, steps: stepsOf(k, n) })));
    const atEnd = group[3].measures.multicasts;
    tell({ trials: group[0].trials, bound, multicasts: atEnd.mean, small, steps: times.map(({ steps }) => steps) });
    claims({
      "unicasts-bound": [
        unicasts,
        given(unicasts, (rate) => afterRepair(atLeast(rate, bound.unicastsWithin, bound.unicastsWithin - 0.05))),
      ],
      "multicasts-bound": [
        multicasts,
        given(multicasts, (rate) => atLeast(rate, bound.multicastsWithin, bound.multicastsWithin - 0.05)),
      ],
      "multicasts-at-once": [
        together[0],
        given(together, (rates) =>
          all(...rates.map((rate) => atLeast(rate, bound.multicastsWithin, bound.multicastsWithin - 0.1))),
        ),
        { lossy: together[1].rate },
      ],
      "unicasts-growth": [growth, afterRepair(atMost(growth, 3))],
      "multicasts-growth": [linear, all(atMost(linear, 1), equalTo(atEnd, 65, 3))],
      "constant-messages": [elsewhere, afterRepair(similar(small, elsewhere, 0.4))],
      "round-time": given(times, (found) => afterRepair(found.every(({ k, steps }) => steps === (3 * k) / 2 + 2))),
    });
    draw("gupta-theorem4", [
      ...curves("unicasts"),
      ...curves("multicasts"),
      reference("K³", KS, (k) => k ** 3),
      reference("K", KS, (k) => k),
    ]);
  },
);
