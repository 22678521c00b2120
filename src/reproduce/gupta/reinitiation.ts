/** Gupta et al., Fig. 3: who starts another round. */
import type { Params } from "../../protocols/parameters.ts";
import { resolve } from "../../simulation/settings.ts";
import { runTrial } from "../../simulation/trial.ts";
import { scaled } from "../../statistics/fits.ts";
import { Z95 } from "../../statistics/intervals.ts";
import { type Bench, over } from "../claim.ts";
import { all, atLeast, atMost, equalTo, given, verdictOr } from "../criteria.ts";
import { measured } from "../draw.ts";
import { gupta } from "../texts.ts";
import { guptaElection, lossy } from "./setting.ts";

const N = 500;
const LOSSES = { quick: [0.1, 0.25, 0.4, 0.5], full: [0, 0.1, 0.2, 0.25, 0.3, 0.4, 0.5] };
const lossyWith = (params: Params) => over(LOSSES, (p) => [guptaElection(N, lossy(p), params), [60, 200]]);

const RETRIED = 150;
const UNANSWERED = { K: 0.001, rounds: 2, view: 1 };

/** How many re-initiate where no multicast arrives: all notice, those that the filter admits go on to a second round alone. */
async function admittedToRetry(bench: Bench, n: number) {
  const settings = resolve(guptaElection(n, { multicastLoss: 1 }, { reinitiate: "filtered", rounds: 2 }));
  const counts = Array.from({ length: bench.trials(60, 300) }, (_, trial) => {
    const { multicasts, relays } = runTrial(settings, trial).measures;
    return multicasts - relays - 1;
  });
  const ours = counts.reduce((sum, count) => sum + count, 0) / counts.length;
  const variance = counts.reduce((sum, count) => sum + (count - ours) ** 2, 0) / (counts.length - 1);
  const half = Z95 * Math.sqrt(variance / counts.length);
  return { ours, interval: [ours - half, ours + half] as const };
}

gupta("fig3", {
  byDelay: lossyWith({}),
  byFilter: lossyWith({ reinitiate: "filtered" }),
  unexpected: lossyWith({ expects: false }),
  // So small a K that nobody relays in the first round: everybody notices, and all relay in the second.
  again: [guptaElection(RETRIED, { multicastLoss: 0.5 }, UNANSWERED), [20, 200]],
})(async ({ byDelay, byFilter, unexpected, again }, { tell, claims, draw, ...bench }) => {
  const sent = scaled(again.measures.multicasts, (multicasts) => multicasts - 1 - RETRIED);
  bench.step("Gupta, section 3.1: the filter on re-initiations");
  const filtering = [await admittedToRetry(bench, 200), await admittedToRetry(bench, 800)];
  const [delayed, filtered, unaware] = [byDelay, byFilter, unexpected].map((some) => some.of(0.4).success);
  tell({ N, trials: byDelay[0].trials, filtered, delayed, unaware, RETRIED, filtering });
  claims({
    reinitiate: [delayed, verdictOr(atLeast(filtered, 0.95, 0.9), atLeast(delayed, 0.95, 0.9))],
    "delay-suppresses": [sent, atMost(sent, RETRIED / 10)],
    "filter-constant": [
      filtering[1],
      given(filtering, (counts) => all(...counts.map((count) => equalTo(count, 7, 1)))),
    ],
  });
  draw("gupta-fig3", [
    measured("random delay (section 3.1)", byDelay, ({ success }) => success),
    measured("hash filter (Fig. 3)", byFilter, ({ success }) => success),
    measured("random delay, election unexpected", unexpected, ({ success }) => success),
  ]);
});
