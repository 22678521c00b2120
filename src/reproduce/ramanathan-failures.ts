/** Ramanathan et al., section 5: mediators that have failed, Theorems 11 and 12. */
import type { Report } from "../campaign/report.ts";
import { expectedContenders } from "../theory/ramanathan.ts";
import { defaultRounds, roundedSigma } from "../theory/sigma.ts";
import type { Part, Reproduction } from "./claim.ts";
import { intervalOf, lineFigure, meanAt } from "./draw.ts";
import { design } from "./ramanathan-design.ts";

const N = 512;
const GAMMAS = [0, 0.02, 0.05, 0.1, 0.15, 0.2];

export const failures: Reproduction = {
  paper: "ramanathan",
  name: "failures",
  title: "Theorems 11 and 12: failed mediators",
  async run(bench): Promise<Part> {
    const J = 5;
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
    const unique: Report[] = [];
    for (const failures of ["all-yes", "no-refusal"]) {
      unique.push(
        await bench.simulate(
          { protocol: "tournament", n: N, params: { gamma: 0.05, failures } },
          bench.trials(200, 2000),
        ),
      );
    }
    const [allYes, noRefusal] = [survivors["all-yes"], survivors["no-refusal"]];
    const last = GAMMAS.length - 1;
    const sigma = roundedSigma(design(N), J).least;
    const gamma = GAMMAS[last];
    // Lemma 1 as restated in the proof of Theorem 12: only the last round's losses are counted.
    const restated = allYes[0].measures.survivors.mean! * Math.exp(-gamma * sigma);
    const measured = allYes[last].measures.survivors;
    const recursion = expectedContenders(design(N, { gamma }), J)[J];
    return {
      claims: [
        {
          section: "Theorem 11",
          statement: "The decrease of contenders in a round is bounded by a further factor e^(-γσ)",
          paper: `e^(-γσ) = ${Math.exp(-gamma * sigma).toFixed(4)} for γ = ${gamma}, σ = ${sigma}`,
          ours: (1 - gamma) ** sigma,
          interval: null,
          verdict: "holds after repair",
          note: "The factor is (1-γ)^σ, which is smaller for every γ > 0: e^(-γσ) is an approximation, not a bound.",
        },
        {
          section: "Theorem 12, proof",
          statement: `Lemma 1 restated: E[X_i] is n/2^(i-1) times e^(-γσ_(i-1)), the last round's factor alone`,
          paper: restated.toFixed(1),
          ours: measured.mean,
          interval: intervalOf(measured),
          verdict: measured.low! <= restated && restated <= measured.high! ? "holds" : "does not hold",
          note: `Survivors of J = ${J} rounds, n = ${N}, γ = ${gamma}, the paper's value from the survivors without failures. Every round loses contenders to failures, but fewer contenders also collide less, so the effect is neither the last factor nor the product of all; the recursion of Theorem 11 says ${recursion.toFixed(1)}.`,
        },
        {
          section: "Theorem 12",
          statement: "If γσ_(w-1) < 1 a single leader is elected with high probability",
          paper: "with high probability",
          ours: unique[0].success.rate,
          interval: intervalOf(unique[0].success),
          verdict: unique[0].success.low! > 0.95 ? "holds after repair" : "does not hold",
          note: `n = ${N}, γ = 5%, J = ${defaultRounds(design(N, { gamma: 0.05 }), 1 / N)} chosen so that ln n survivors are expected although mediators fail, and the second phase asking more mediators than it needs. γσ < 1 alone does not say that anybody is left.`,
        },
        {
          section: "section 5",
          statement:
            "Approach 1 (go on unless refused) lets more contenders go on, approach 2 (all must say yes) fewer",
          paper: "more, fewer",
          ours: `${noRefusal[last].measures.survivors.mean!.toFixed(1)} and ${measured.mean!.toFixed(1)}, without failures ${allYes[0].measures.survivors.mean!.toFixed(1)}`,
          interval: null,
          verdict:
            noRefusal[last].measures.survivors.low! > allYes[0].measures.survivors.high! &&
            measured.high! < allYes[0].measures.survivors.low!
              ? "holds"
              : "does not hold",
          note: `Survivors of ${J} rounds, γ = ${gamma}. Both elect: ${unique.map(({ outcomes, trials }) => `${outcomes.one} of ${trials}`).join(" with approach 2, ")} with approach 1 have one leader (γ = 5%).`,
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
        "the repaired protocol uses to choose J for a given γ. With it a unique leader is elected in either case; Theorem 12's condition γσ < 1 is not what matters.",
    };
  },
};
