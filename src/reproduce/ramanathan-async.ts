/** Ramanathan et al., Theorems 6, 7 and 9 about the asynchronous protocol. */
import { rateOf } from "../statistics/intervals.ts";
import type { Report } from "../statistics/report.ts";
import { expectedContenders } from "../theory/ramanathan.ts";
import { defaultRounds } from "../theory/sigma.ts";
import { computed, exponentOf, meanAt, panelFigure, plotted, ratioOf } from "./draw.ts";
import { design } from "./ramanathan-design.ts";
import { textsOf } from "./texts.ts";
import { afterRepair } from "./verdict.ts";

const { claim, item, worded } = textsOf("ramanathan");

const UNIFORM = { kind: "uniform", min: 0, max: 1 } as const;
const ALPHAS = [2, 3];
const SIZES = [256, 512, 1024, 2048, 4096, 8192];

export const asynchronous = item("theorems6to9", async (bench) => {
  const n = 2048;
  const alphas = await bench.each(ALPHAS, (alpha) =>
    bench.simulate({ protocol: "tournament-async", n, params: { sigma: "alpha", alpha }, delay: UNIFORM }, [20, 200]),
  );
  const growth = await bench.each(SIZES, (size) =>
    bench.simulate({ protocol: "tournament-async", n: size, delay: UNIFORM }, [
      size < 4000 ? 8 : 3,
      size < 4000 ? 60 : 15,
    ]),
  );
  const printed = await bench.simulate(
    { protocol: "tournament-async", n, delay: UNIFORM, params: { reading: "printed" } },
    [8, 60],
  );
  const slope = exponentOf(growth.map(({ n, messages }) => meanAt(n, messages)));
  const roundsOf = (size: number) => defaultRounds(design(size), 1 / size);
  const slowest = growth.map(({ n, rounds }) => ({ n, rounds: rounds.max! }));
  // Contenders that enter the second phase, relative to what the synchronous rule would leave.
  const excess = growth.map(
    ({ n, measures }) => measures.survivors.mean! / expectedContenders(design(n), roundsOf(n))[roundsOf(n)],
  );
  const spread = (mediator: string) =>
    bench.simulate({ protocol: "tournament-async", n: 512, params: { mediator, spread: 10 } }, [100, 1000]);
  const first = await spread("first");
  const eager = await spread("eager");
  const failing = (report: Report) => rateOf(report.trials - report.outcomes.one, report.trials);
  // How far the contenders that follow round j exceed n/alpha^j, at most.
  const above = alphas.map(({ series, parameters }) =>
    Math.max(...series.contenders.slice(1).map((x, j) => (x * (parameters.alpha as number) ** (j + 1)) / n)),
  );
  const alphaRounds = alphas.map(({ series }) => series.contenders.length - 1);
  const contenders = (i: number) => alphas[i].series.contenders.map((y, j) => ({ x: j + 1, y }));
  const fewer = ratioOf(eager.measures.survivors, first.measures.survivors);
  return {
    claims: [
      claim(
        "async-halving",
        Math.max(...above),
        above.every((ratio) => ratio <= 1) && alphaRounds.every((J, i) => J <= Math.log(n) / Math.log(ALPHAS[i])),
        { n, alphaRounds: alphaRounds.join(" and "), alphas: ALPHAS.join(" and ") },
      ),
      worded(
        "async-more",
        afterRepair(excess.every((ratio) => ratio > 1) && excess[excess.length - 1] < 1.5 * excess[0]),
        { excess },
      ),
      claim("async-messages", slope, afterRepair(slope.interval[0] <= 1), {
        perProcess: growth[growth.length - 1].messages.mean! / 8192,
      }),
      worded(
        "async-time",
        slowest.every((row) => row.rounds <= 2 * roundsOf(row.n) + 11) && printed.rounds.max! <= 2 * roundsOf(n) + 8,
        { printed, n, J: roundsOf(n), rounds: slowest.map(({ rounds }) => rounds) },
      ),
      claim("async-eager", fewer, fewer.interval[1] < 1 && failing(eager).low! <= failing(first).high!, {
        eager,
        first,
      }),
    ],
    figures: [
      await panelFigure("ramanathan-theorems6to9", { alphas, growth, n }, [
        [
          plotted("measured", "α = 2", contenders(0)),
          plotted("bound", "α = 2", contenders(0), ({ x }) => ({ x, y: n / 2 ** (x - 1) })),
          plotted("measured", "α = 3", contenders(1)),
          plotted("bound", "α = 3", contenders(1), ({ x }) => ({ x, y: n / 3 ** (x - 1) })),
        ],
        [
          plotted("measured", "tournament-async", growth, ({ n, messages }) => meanAt(n, messages)),
          computed("reference", "10 n", SIZES, (x) => 10 * x),
        ],
      ]),
    ],
  };
});
