/** Raz et al., section IV, Figs. 1 and 2: the naive algorithm. */
import { naiveCost, type Range } from "../theory/raz.ts";
import type { Bench } from "./claim.ts";
import { computed, lineFigure, meanAt, plotted } from "./draw.ts";
import { agreement, claim, decimal, deviation, item } from "./raz-claim.ts";
import { printedAt } from "./raz-figure.ts";
import { council, N, RUNS, SINGLE, spaced, tuned, WIDE } from "./raz-setting.ts";

/** The runs of the naive algorithm at each c, and that they meet theory. */
async function measured(bench: Bench, section: string, range: Range, cs: readonly number[]) {
  const trials = bench.trials(2000, RUNS);
  const points = [];
  let worst = 0;
  for (const c of cs) {
    const { rounds, messages } = await bench.simulate(council("naive", N, { ...range, c }), trials);
    const exact = naiveCost(N, { ...range, c });
    worst = Math.max(worst, deviation(rounds, exact.rounds), deviation(messages, exact.messages));
    points.push(meanAt(c, rounds));
  }
  return { points, agreed: agreement(section, worst, "agreement-naive"), trials };
}

export const fig1 = item("fig1", async (bench) => {
  const p = (c: number) => 1 / naiveCost(N, { ...WIDE, c }).rounds;
  const { points, agreed, trials } = await measured(bench, "Fig. 1", WIDE, [2, 3, 4, 5, 5.8, 7, 8, 8.9]);
  const figure = await lineFigure("raz-fig1", { trials }, [
    computed("theory", "naive", spaced(0.5, 14, 0.1), p),
    plotted("measured", "naive", points, ({ x, y, low, high }) => ({ x, y: 1 / y!, low: 1 / high!, high: 1 / low! })),
    printedAt([5.8, 0.697365]),
  ]);
  const { rounds, messages } = naiveCost(N, { ...WIDE, c: 5.8 });
  const best = tuned(naiveCost, N, WIDE);
  return {
    claims: [
      agreed,
      decimal("naive-p", 1 / rounds),
      decimal("naive-c", best.c, { p: 1 / best.rounds }),
      decimal("naive-rounds", rounds),
      decimal("naive-messages", messages),
    ],
    figures: [figure],
    values: { best },
  };
});

export const fig2 = item("fig2", async (bench) => {
  const T = (c: number) => naiveCost(N, { ...SINGLE, c }).rounds;
  const { points, agreed, trials } = await measured(bench, "Fig. 2", SINGLE, spaced(0.25, 1.75, 0.25));
  const figure = await lineFigure("raz-fig2", { trials }, [
    computed("theory", "naive", spaced(0.2, 4, 0.05), T),
    plotted("measured", "naive", points),
    printedAt([1, 2.71815]),
  ]);
  const best = tuned(naiveCost, N, SINGLE);
  const limit = 1 / naiveCost(1e9, { ...SINGLE, c: 1 }).rounds;
  const late = (1 - 1 / best.rounds) ** 3;
  return {
    claims: [
      agreed,
      decimal("single-p", 1 / best.rounds, { best }),
      decimal("single-rounds", best.rounds),
      claim("single-limit", limit, (x) => Math.abs(x - 1 / Math.E) < 1e-8),
      claim("single-late", late, (x) => x > 0.1),
      claim("sensitive", T(3) / T(1), (x) => x > 2),
    ],
    figures: [figure],
    values: { late, triple: T(3) },
  };
});
