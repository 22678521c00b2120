/** Ramanathan et al., section 5: mediators that have failed, Theorems 11 and 12. */

import type { ExploreRequest } from "../explorer/explore.ts";
import { rateOf } from "../statistics/intervals.ts";
import type { Report } from "../statistics/report.ts";
import { expectedContenders, noSurvivor, severalLeadersBound } from "../theory/ramanathan.ts";
import { defaultRounds, quorumSize, roundedSigma } from "../theory/sigma.ts";
import { computed, intervalOf, lineFigure, meanAt, plotted, ratioOf } from "./draw.ts";
import { play } from "./play.ts";
import { design } from "./ramanathan-design.ts";
import { textsOf } from "./texts.ts";
import { afterRepair } from "./verdict.ts";

const { claim, item, worded } = textsOf("ramanathan");

const N = 512;
const J = 5;
/** Two contenders among four, whose quorums of three meet; the second has the larger number. */
const OUTLIVED: ExploreRequest = {
  n: 4,
  ids: [1, 2, 3, 4],
  initiators: [0, 1],
  crashes: 1,
  choices: 1,
  params: { s: 3, timing: "sync" },
};
const GAMMAS = [0, 0.02, 0.05, 0.1, 0.15, 0.2];

export const failures = item("failures", async (bench) => {
  const trials = bench.trials(60, 600);
  const survivors: Record<string, Report[]> = { "all-yes": [], "no-refusal": [] };
  for (const approach of Object.keys(survivors)) {
    for (const gamma of GAMMAS) {
      survivors[approach].push(
        await bench.simulate({ protocol: "tournament", n: N, params: { J, gamma, failures: approach } }, trials),
      );
    }
  }
  const unique = await bench.simulate({ protocol: "tournament", n: N, params: { gamma: 0.05 } }, [300, 3000]);
  const failing = rateOf(unique.trials - unique.outcomes.one, unique.trials);
  const left = unique.measures.survivors.mean!;
  const expected = noSurvivor(left) + severalLeadersBound(N, quorumSize(N), left);
  const oneRound = await bench.simulate(
    { protocol: "tournament", n: N, params: { J: 1, gamma: 0.5, s: 1 } },
    [100, 1000],
  );
  const withoutFailures = expectedContenders(design(N), 1)[1];
  // As many rounds as without failures, so that only the rule differs.
  const dearer = await bench.each([N, 8 * N], async (n) => {
    const messages = async (params: object) =>
      (
        await bench.simulate(
          { protocol: "tournament", n, params: { J: defaultRounds(design(n), 1 / n), ...params } },
          [20, 100],
        )
      ).messages;
    const none = await messages({});
    return {
      first: ratioOf(await messages({ gamma: 0.2, failures: "no-refusal" }), none),
      second: ratioOf(await messages({ gamma: 0.2 }), none),
    };
  });
  const outlived = play("quorum", OUTLIVED, ["start with 3 3", "crash 1", "run"]);
  const [allYes, noRefusal] = [survivors["all-yes"], survivors["no-refusal"]];
  const last = GAMMAS.length - 1;
  const sigma = roundedSigma(design(N), J).least;
  const gamma = GAMMAS[last];
  // Lemma 1 as restated in the proof of Theorem 12: only the last round's losses are counted.
  const restated = allYes[0].measures.survivors.mean! * Math.exp(-gamma * sigma);
  const measured = allYes[last].measures.survivors;
  const recursion = expectedContenders(design(N, { gamma }), J)[J];
  const small = { gamma: GAMMAS[1], sigma };
  return {
    claims: [
      claim(
        "failure-factor",
        {
          ours: oneRound.measures.survivors.mean! / withoutFailures,
          interval: intervalOf(oneRound.measures.survivors)!.map((bound) => bound / withoutFailures) as [
            number,
            number,
          ],
        },
        oneRound.measures.survivors.high! / withoutFailures >= Math.exp(-0.5),
        { factor: Math.exp(-0.5), N },
      ),
      claim(
        "failure-factor-small",
        (1 - small.gamma) ** sigma,
        () =>
          [1, 10, 100, 1000].every((many) => {
            const gamma = 1 / (20 * many);
            return Math.abs((1 - gamma) ** many * Math.exp(gamma * many) - 1) < gamma;
          }),
        { factor: Math.exp(-small.gamma * sigma), small, sigma },
      ),
      claim("lemma1-restated", measured, measured.low! <= restated && restated <= measured.high!, {
        restated,
        J,
        N,
        gamma,
        recursion,
      }),
      claim("failures-one-leader", unique.success, afterRepair(failing.low! <= expected), {
        N,
        rounds: defaultRounds(design(N, { gamma: 0.05 }), 1 / N),
        expected,
        J,
        gamma,
        load: gamma * sigma,
        none: allYes[last].outcomes.none,
        trials,
      }),
      worded(
        "approaches",
        noRefusal[last].measures.survivors.low! > allYes[0].measures.survivors.high! &&
          measured.high! < allYes[0].measures.survivors.low!,
        { J, gamma, more: noRefusal[last].measures.survivors.mean, measured, allYes },
      ),
      claim("approach1-bounds", dearer[1].first, dearer[1].first.interval[0] > 1.1 * dearer[0].first.interval[1], {
        larger: 8 * N,
        dearer,
        N,
      }),
      claim("approach2-bounds", dearer[1].second, dearer[1].second.interval[0] <= 1.1 * dearer[0].second.interval[1], {
        dearer,
        N,
      }),
      claim(
        "survivor-leads",
        outlived.verdicts.includes("elected")
          ? "a leader"
          : "none: four processes, two contend, the one with the larger number crashes when its requests are on their way",
        outlived.verdicts.includes("elected"),
      ),
    ],
    figures: [
      await lineFigure("ramanathan-failures", { J, N, trials }, [
        plotted("measured", "all must say yes (approach 2)", allYes, ({ measures }, i) =>
          meanAt(GAMMAS[i], measures.survivors),
        ),
        computed(
          "theory",
          "all must say yes (approach 2)",
          GAMMAS,
          (gamma) => expectedContenders(design(N, { gamma }), J)[J],
        ),
        plotted("measured", "nobody may say no (approach 1)", noRefusal, ({ measures }, i) =>
          meanAt(GAMMAS[i], measures.survivors),
        ),
      ]),
    ],
  };
});
