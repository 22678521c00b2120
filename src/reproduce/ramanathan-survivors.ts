/** Ramanathan et al., Lemma 1: contenders per round, their halving and their spread. */
import type { Report } from "../statistics/report.ts";
import { expectedContenders, survivorsOfCollisions } from "../theory/ramanathan.ts";
import { defaultRounds, expectedSurvivors, roundedSigma } from "../theory/sigma.ts";
import { lineFigure, meanAt, plotted } from "./draw.ts";
import { design } from "./ramanathan-design.ts";
import { textsOf } from "./texts.ts";
import { afterRepair } from "./verdict.ts";

const { claim, item } = textsOf("ramanathan");

const N = 1024;

/** All throws of n balls into n bins: how many are alone, on average, and the chance of each number. */
function aloneInBins(n: number): { readonly mean: number; readonly chances: readonly number[] } {
  const counts = new Array<number>(n + 1).fill(0);
  for (let code = 0; code < n ** n; code++) {
    const bins = new Array<number>(n).fill(0);
    for (let ball = 0; ball < n; ball++) bins[Math.floor(code / n ** ball) % n]++;
    counts[bins.filter((balls) => balls === 1).length]++;
  }
  const chances = counts.map((count) => count / n ** n);
  return { mean: chances.reduce((sum, chance, k) => sum + k * chance, 0), chances };
}

function binomial(n: number, k: number, p: number): number {
  let chance = p ** k * (1 - p) ** (n - k);
  for (let i = 0; i < k; i++) chance *= (n - i) / (i + 1);
  return chance;
}

export const survivors = item("lemma1", async (bench) => {
  const J = defaultRounds(design(N), 1 / N);
  const trials = bench.trials(40, 400);
  const after = async (rounding: "ceil" | "stochastic") => {
    const reports: Report[] = [];
    for (let j = 1; j <= J; j++) {
      // Short of the last round, the second phase would cost most and tell nothing: a small quorum is enough.
      reports.push(await bench.simulate({ protocol: "tournament", n: N, params: { J: j, rounding, s: 1 } }, trials));
    }
    return reports.map(({ measures }) => measures.survivors);
  };
  const up = await after("ceil");
  const coin = await after("stochastic");
  const halved = (i: number) => N / 2 ** i;
  // Entry k belongs to X_(k+2).
  const ratios = (some: typeof up) => some.map(({ mean }, k) => mean! / halved(k + 1));
  const least = ratios(up).indexOf(Math.min(...ratios(up)));
  const scale = 1 / halved(least + 1);
  // The lemma's factors (1 ± O(1/log² n))^(i-1), with the constant 1.
  const allowed = (k: number) => (1 + 1 / Math.log2(N) ** 2) ** (k + 1) - 1;
  const fits = ({ low, high }: (typeof up)[number], k: number) =>
    low! / halved(k + 1) <= 1 + allowed(k) && high! / halved(k + 1) >= 1 - allowed(k);
  const early = ratios(coin).slice(0, 2);
  const end = coin[J - 1];
  const endScale = 1 / halved(J);
  const varied = up.map(({ sd, mean }) => sd! ** 2 / mean!);
  const widest = Math.max(...varied);
  // The relative error of a variance is about sqrt(2 / trials).
  const spreadError = 1.96 * Math.sqrt(2 / (trials - 1));
  const off = Math.max(
    ...Array.from({ length: J }, (_, j) => {
      const sigma = roundedSigma(design(N), j + 1).least;
      return Math.abs(survivorsOfCollisions(N, sigma, halved(j)) / expectedSurvivors(design(N), j + 1, halved(j)) - 1);
    }),
  );
  const afterFirst = expectedContenders(design(N), 1)[1];
  const four = aloneInBins(4);
  const p = four.mean / 4;
  return {
    claims: [
      claim(
        "halving",
        { ours: ratios(up)[least], interval: [up[least].low! * scale, up[least].high! * scale] },
        up.every(fits),
        { i: least + 2, N, early: early.map((ratio) => ratio.toFixed(2)).join(" and ") },
      ),
      claim(
        "halving-at-end",
        { ours: end.mean! * endScale, interval: [end.low! * endScale, end.high! * endScale] },
        afterRepair(coin.slice(2).every((summary, k) => fits(summary, k + 2))),
        { i: J + 1, J, allowed: 100 * allowed(J - 1), roundedUp: ratios(up)[J - 1] },
      ),
      claim("one-round", up[0], Math.abs(up[0].mean! - afterFirst) <= 1.7 * (up[0].high! - up[0].mean!) && off < 0.01, {
        afterFirst,
        off: 100 * off,
      }),
      claim(
        "binomial",
        four.chances[3],
        () => four.chances.every((chance, k) => Math.abs(chance - binomial(4, k, p)) < 1e-9),
        { chance: 4 * p ** 3 * (1 - p) },
      ),
      claim(
        "variance",
        { ours: widest, interval: [widest * (1 - spreadError), widest * (1 + spreadError)] },
        widest * (1 - spreadError) <= 1 + 1 / Math.log2(N) ** 2,
        { N, varied },
      ),
    ],
    figures: [
      await lineFigure("ramanathan-lemma1", { N, trials }, [
        plotted("measured", "σ rounded up", [{ x: 1, y: N }, ...up.map((s, i) => meanAt(i + 2, s))]),
        plotted("theory", "σ rounded up", expectedContenders(design(N), J), (y, i) => ({ x: i + 1, y })),
        plotted("measured", "σ rounded by a coin", [{ x: 1, y: N }, ...coin.map((s, i) => meanAt(i + 2, s))]),
        plotted(
          "theory",
          "σ rounded by a coin",
          expectedContenders(design(N, { rounding: "stochastic" }), J),
          (y, i) => ({ x: i + 1, y }),
        ),
        plotted(
          "reference",
          "n/2^(i-1)",
          Array.from({ length: J + 1 }, (_, i) => ({ x: i + 1, y: halved(i) })),
        ),
      ]),
    ],
  };
});
