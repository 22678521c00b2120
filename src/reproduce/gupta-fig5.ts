/** Gupta et al., Fig. 5: the simulations of section 5. */

import type { Series } from "../plot/plot.ts";
import type { Rate } from "../statistics/intervals.ts";
import type { Report } from "../statistics/report.ts";
import type { Claim, Verdict } from "./claim.ts";
import { panelFigure, swept } from "./draw.ts";
import { alike, election, lossy, pooledMean, pooledSuccess, QUIET } from "./gupta-setting.ts";
import { textsOf } from "./texts.ts";
import { verdictIf } from "./verdict.ts";

const { claim, item } = textsOf("gupta");

type Row = ReadonlyMap<number, Report>;

const RUNS = [80, 1000] as const;
const LOSSES = { quick: [0.1, 0.25, 0.4, 0.5], full: [0, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5] };
const SIZES = { quick: [1000, 3000, 5000, 6000], full: [1000, 2000, 3000, 4000, 5000, 6000] };
/** Where the other two rows have 0.5, which is N = 5000 of the second row once more. */
const HALF = 0.5;
const VIEWS = { quick: [0.2, 0.35], full: [0.2, 0.25, 0.3, 0.35, 0.4, 0.45] };

/** "Very high": success above this. The axes of Fig. 5(a, d, g) begin at 0.5. */
const VERY_HIGH = 0.95;

export const guptaFig5 = item("fig5", async (bench) => {
  const { effort } = bench;
  const loss = await bench.sweep(LOSSES[effort], (p) => election(2000, lossy(p)), RUNS);
  const size = await bench.sweep(SIZES[effort], (n) => election(n, QUIET), RUNS);
  const view = await bench.sweep(VIEWS[effort], (view) => election(5000, QUIET, { view }), RUNS);
  view.set(HALF, size.get(5000)!);
  const trials = bench.trials(...RUNS);
  const figures = [
    await panelFigure("gupta-fig5abc", { trials }, panelsOf(loss)),
    await panelFigure("gupta-fig5def", { trials }, panelsOf(size)),
    await panelFigure("gupta-fig5ghi", { trials }, panelsOf(view)),
  ];
  const [lost, large, partial] = [loss.get(0.4), size.get(6000), view.get(0.2)];
  return { claims: claimsOf(loss, size, view), figures, values: { lost, large, partial } };
});

const panelsOf = (row: Row): Series[][] => [
  [swept("strong", row, ({ success }) => success), swept("weak", row, ({ measures }) => measures.weak)],
  [swept("rounds", row, ({ rounds }) => rounds)],
  [
    swept("unicasts", row, ({ measures }) => measures.unicasts),
    swept("multicasts", row, ({ measures }) => measures.multicasts),
  ],
];

function claimsOf(loss: Row, size: Row, view: Row): Claim[] {
  const bearable = [...loss].filter(([p]) => p <= 0.4).map(([, report]) => report);
  const worst = loss.get(0.5)!;
  const sizes = [...size.values()];
  const large = size.get(6000)!;
  const [partial, half] = [view.get(0.2)!, view.get(HALF)!];
  const all = [loss, size, view].flatMap((row) => [...row.values()]);
  const leastWeak = Math.min(...all.map((report) => report.measures.weak.mean!));
  const weakAbove = all.every((report) => report.measures.weak.mean! >= report.success.rate!);
  const success = (reports: readonly Report[], holding?: Verdict): [Rate, Verdict] => {
    const pooled = pooledSuccess(reports);
    const each = reports.every((report) => report.success.rate! > VERY_HIGH);
    return [pooled, verdictIf(each && pooled.low! > VERY_HIGH, holding)];
  };
  const rounds = pooledMean(sizes.map((report) => report.rounds));
  const level = sizes.every(({ measures }) =>
    sizes.every((other) => alike(measures.unicasts, other.measures.unicasts)),
  );
  return [
    claim("strong-loss", ...success(bearable, "holds after repair"), { VERY_HIGH, worst }),
    claim("weak", leastWeak >= 0.999 ? "at least 0.999 at every point" : `${leastWeak}`, weakAbove && leastWeak > 0.99),
    claim("rounds-loss", worst.rounds, worst.rounds.high! < 3, { rounds: loss.get(0.4)!.rounds.mean }),
    claim("messages-loss", worst.measures.unicasts, worst.measures.unicasts.mean! < 1000),
    claim("strong-size", ...success(sizes)),
    claim("rounds-size", rounds, rounds.interval[1] < 1.05),
    claim("messages-size", pooledMean(sizes.map(({ measures }) => measures.unicasts)), level),
    claim("unicasts-axis", large.measures.unicasts, large.measures.unicasts.low! < 30),
    claim("strong-view", ...success([...view.values()]), { partial }),
    claim("rounds-view", partial.rounds, partial.rounds.low! > half.rounds.high! && partial.rounds.high! < 2),
    claim("messages-view", partial.measures.unicasts, partial.measures.unicasts.high! < 140),
  ];
}
