/** Ramanathan et al., section 5: mediators that have failed, Theorems 11 and 12. */

import type { ExploreRequest } from "../explorer/explore.ts";
import { wilson } from "../statistics/intervals.ts";
import type { Report } from "../statistics/report.ts";
import { expectedContenders, noSurvivor, severalLeadersBound } from "../theory/ramanathan.ts";
import { defaultRounds, quorumSize, roundedSigma } from "../theory/sigma.ts";
import type { Part, Reproduction } from "./claim.ts";
import { intervalOf, lineFigure, meanAt, ratioOf } from "./draw.ts";
import { play } from "./play.ts";
import { design } from "./ramanathan-design.ts";
import { exactly, measuredMean, measuredRate, verdictIf } from "./verdict.ts";
import { numberText } from "./words.ts";

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

export const failures: Reproduction = {
  paper: "ramanathan",
  name: "failures",
  title: "Theorems 11 and 12: failed mediators",
  async run(bench): Promise<Part> {
    const trials = bench.trials(60, 600);
    const survivors: Record<string, Report[]> = { "all-yes": [], "no-refusal": [] };
    for (const approach of Object.keys(survivors)) {
      for (const gamma of GAMMAS) {
        bench.step(`section 5: ${approach}, γ = ${gamma}`);
        survivors[approach].push(
          await bench.simulate({ protocol: "tournament", n: N, params: { J, gamma, failures: approach } }, trials),
        );
      }
    }
    bench.step("Theorem 12");
    const unique = await bench.simulate(
      { protocol: "tournament", n: N, params: { gamma: 0.05 } },
      bench.trials(300, 3000),
    );
    const failing = wilson(unique.trials - unique.outcomes.one, unique.trials);
    const left = unique.measures.survivors.mean!;
    const expected = noSurvivor(left) + severalLeadersBound(N, quorumSize(N), left);
    bench.step("Theorem 11");
    const oneRound = await bench.simulate(
      { protocol: "tournament", n: N, params: { J: 1, gamma: 0.5, s: 1 } },
      bench.trials(100, 1000),
    );
    const withoutFailures = expectedContenders(design(N), 1)[1];
    // As many rounds as without failures, so that only the rule differs.
    const dearer = [];
    for (const n of [N, 8 * N]) {
      bench.step(`section 5: messages, n = ${n}`);
      const messages = async (params: object) =>
        (
          await bench.simulate(
            { protocol: "tournament", n, params: { J: defaultRounds(design(n), 1 / n), ...params } },
            bench.trials(20, 100),
          )
        ).messages;
      const none = await messages({});
      dearer.push({
        first: ratioOf(await messages({ gamma: 0.2, failures: "no-refusal" }), none),
        second: ratioOf(await messages({ gamma: 0.2 }), none),
      });
    }
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
        {
          section: "Theorem 11",
          statement:
            "For every γ < 1/σ_j, failures decrease the contenders of a round by no more than a factor e^(-γσ_j)",
          paper: `${Math.exp(-0.5).toFixed(3)} for γ = 0.5, σ_1 = 1`,
          ours: oneRound.measures.survivors.mean! / withoutFailures,
          interval: intervalOf(oneRound.measures.survivors)!.map((bound) => bound / withoutFailures) as [
            number,
            number,
          ],
          verdict: verdictIf(oneRound.measures.survivors.high! / withoutFailures >= Math.exp(-0.5)),
          note: `Survivors of one round, n = ${N}, relative to none failing. The factor is (1-γ)^σ, which is smaller than e^(-γσ) for every γ > 0.`,
        },
        {
          section: "Theorem 11, proof",
          statement: "The factor is about e^(-γσ_j) where γ is small",
          paper: `${Math.exp(-small.gamma * sigma).toFixed(4)} for γ = ${small.gamma}, σ = ${sigma}`,
          ...exactly((1 - small.gamma) ** sigma),
          verdict: verdictIf(
            [1, 10, 100, 1000].every((many) => {
              const gamma = 1 / (20 * many);
              return Math.abs((1 - gamma) ** many * Math.exp(gamma * many) - 1) < gamma;
            }),
          ),
          note: "The relative error is about γ²σ/2, less than γ/2 under the theorem's condition: nothing in the last rounds, where σ is large.",
        },
        {
          section: "Theorem 12, proof",
          statement: `Lemma 1 restated: E[X_i] is n/2^(i-1) times e^(-γσ_(i-1)), the last round's factor alone`,
          paper: restated.toFixed(1),
          ...measuredMean(measured),
          verdict: verdictIf(measured.low! <= restated && restated <= measured.high!),
          note: `Survivors of J = ${J} rounds, n = ${N}, γ = ${gamma}, the paper's value from the survivors without failures. Every round loses contenders to failures, but fewer contenders also collide less, so the effect is neither the last factor nor the product of all; the recursion of Theorem 11 says ${recursion.toFixed(1)}.`,
        },
        {
          section: "Theorem 12",
          statement: "If γσ_(w-1) < 1 a single leader is elected with high probability, at sizes that exist",
          paper: "with high probability",
          ...measuredRate(unique.success),
          verdict: verdictIf(failing.low! <= expected, "holds after repair"),
          note: `n = ${N}, γ = 5%, J = ${defaultRounds(design(N, { gamma: 0.05 }), 1 / N)} chosen so that ln n survivors are expected although mediators fail, and the second phase asking more mediators than it needs; nobody left and missed quorums explain ${numberText(expected)} failures an election. γσ < 1 alone is not enough: with J = ${J} and γ = ${gamma}, where γσ = ${gamma * sigma}, ${allYes[last].outcomes.none} of ${trials} elections have no leader.`,
        },
        {
          section: "section 5",
          statement:
            "Approach 1 (go on unless refused) lets more contenders go on, approach 2 (all must say yes) fewer",
          paper: "more, fewer",
          ...exactly(
            `${noRefusal[last].measures.survivors.mean!.toFixed(1)} and ${measured.mean!.toFixed(1)}, without failures ${allYes[0].measures.survivors.mean!.toFixed(1)}`,
          ),
          verdict: verdictIf(
            noRefusal[last].measures.survivors.low! > allYes[0].measures.survivors.high! &&
              measured.high! < allYes[0].measures.survivors.low!,
          ),
          note: `Survivors of ${J} rounds, γ = ${gamma}.`,
        },
        {
          section: "section 5",
          statement: "Approach 1 affects the bounds on messages and rounds",
          paper: "other bounds",
          ...dearer[1].first,
          verdict: verdictIf(dearer[1].first.interval[0] > 1.1 * dearer[0].first.interval[1]),
          note: `Messages relative to no failures, n = ${8 * N}, γ = 0.2, as many rounds; ${dearer[0].first.ours.toFixed(2)} at n = ${N}: a constant factor, no other order. More contenders also collide more, and their number settles at 1/(1-γ) times the design. Approach 1 is the better one.`,
        },
        {
          section: "section 5",
          statement: "Approach 2 preserves the bounds on messages and rounds",
          paper: "the same bounds",
          ...dearer[1].second,
          verdict: verdictIf(dearer[1].second.interval[0] <= 1.1 * dearer[0].second.interval[1]),
          note: `As above; ${dearer[0].second.ours.toFixed(2)} at n = ${N}. What is lost are contenders, in the end all of them.`,
        },
        {
          section: "section 5",
          statement: "As long as there is at least one contender who has not failed, a leader gets elected",
          paper: "a leader",
          ...exactly(
            outlived.verdicts.includes("elected")
              ? "a leader"
              : "none: four processes, two contend, the one with the larger number crashes when its requests are on their way",
          ),
          verdict: verdictIf(outlived.verdicts.includes("elected")),
          note: "Played on the explorer's network. The mediators refuse the survivor for the sake of the dead: they cannot know. In the first phase a dead contender's requests refuse others just as well.",
        },
      ],
      figures: [
        await lineFigure("ramanathan-failures", {
          title: `Survivors of ${J} rounds when mediators fail, n = ${N}`,
          caption: `${trials} elections a point, seed 1, 95% intervals; dashed: the recursion with the factor (1-γ)^σ`,
          x: { label: "γ (share of failed mediators)" },
          y: { label: "survivors" },
          series: [
            {
              name: "all must say yes (approach 2)",
              kind: "measured",
              points: allYes.map(({ measures }, i) => meanAt(GAMMAS[i], measures.survivors)),
            },
            {
              name: "all must say yes (approach 2)",
              kind: "theory",
              points: GAMMAS.map((gamma) => ({ x: gamma, y: expectedContenders(design(N, { gamma }), J)[J] })),
            },
            {
              name: "nobody may say no (approach 1)",
              kind: "measured",
              points: noRefusal.map(({ measures }, i) => meanAt(GAMMAS[i], measures.survivors)),
            },
          ],
        }),
      ],
      text:
        "Failed mediators say nothing. If all must say yes, contenders are lost; if nobody may say no, too many go on. The figure shows both, and the recursion that " +
        "the repaired protocol uses to choose J for a given γ. The paper prefers the first loss, because the other affected its bounds; it does so by a constant factor only. And one contender that crashes at the " +
        "wrong moment can take the whole election with it.",
    };
  },
};
