/** Gupta et al., section 5: Fig. 5, "the graphs for varying p_fail", and independence of the group size (sections 1, 2.1, 6). */
import type { Series } from "../../plot/plot.ts";
import type { Rate } from "../../statistics/intervals.ts";
import type { Report, Summary } from "../../statistics/report.ts";
import { obtainedLoss } from "../../theory/gupta/epidemic.ts";
import { type ClaimVerdict, type DeclaredRun, over, type Swept } from "../claim.ts";
import { above, afterRepair, all, atLeast, atMost, enoughRuns, near, pooled, similar } from "../criteria.ts";
import { bound, measured } from "../draw.ts";
import { gupta } from "../texts.ts";
import { alike, guptaElection, lossy, pooledMean, QUIET } from "./setting.ts";

const RUNS = [80, 1000] as const;
const LOSSES = { quick: [0.1, 0.4, 0.5], full: [0, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5] };
const SIZES = { quick: [1000, 5000, 6000], full: [1000, 2000, 3000, 4000, 5000, 6000] };
/** Where the other two rows have 0.5, which is N = 5000 of the second row once more. */
const HALF = 0.5;
const VIEWS = { quick: [0.2], full: [0.2, 0.25, 0.3, 0.35, 0.4, 0.45] };

/** "Very high": success above this. The axes of Fig. 5(a, d, g) begin at 0.5. */
const VERY_HIGH = 0.95;

type Row = readonly (readonly [x: number, report: Report])[];
const rowOf = (swept: Swept<number>): Row => swept.map((report, i) => [swept.xs[i], report]);
const line = (name: string, row: Row, of: (report: Report) => Summary | Rate): Series => {
  const { points, ...series } = measured(name, row, ([, report]) => of(report));
  return { ...series, points: points.map((point, i) => ({ ...point, x: row[i][0] })) };
};
const panelsOf = (row: Row): Series[][] => [
  [line("strong", row, ({ success }) => success), line("weak", row, ({ measures }) => measures.weak)],
  [line("rounds", row, ({ rounds }) => rounds)],
  [
    line("unicasts", row, ({ measures }) => measures.unicasts),
    line("multicasts", row, ({ measures }) => measures.multicasts),
  ],
];

gupta("fig5", {
  loss: over(LOSSES, (p) => [guptaElection(2000, lossy(p)), RUNS]),
  size: over(SIZES, (n) => [guptaElection(n, QUIET), RUNS]),
  view: over(VIEWS, (view) => [guptaElection(5000, QUIET, { view }), RUNS]),
})(({ loss, size, view }, { tell, claims, draw }) => {
  const half = size.of(5000);
  const views: Row = [...rowOf(view), [HALF, half]];
  const [worst, lost, large, partial] = [loss.of(0.5), loss.of(0.4), size.of(6000), view.of(0.2)];
  const every = [...loss, ...size, ...view];
  const leastWeak = Math.min(...every.map((report) => report.measures.weak.mean!));
  const weakAbove = every.every((report) => report.measures.weak.mean! >= report.success.rate!);
  const success = (reports: readonly Report[]): readonly [Rate, ClaimVerdict] => [
    pooled(reports),
    all(atLeast(pooled(reports), VERY_HIGH), ...reports.map((one) => atLeast(one.success, VERY_HIGH, 0.9))),
  ];
  const bearable = loss.filter((_, i) => loss.xs[i] <= 0.4);
  const [bearing, borne] = success(bearable);
  const rounds = pooledMean(size.map((report) => report.rounds));
  const unicasts = size.map(({ measures }) => measures.unicasts);
  const level = unicasts.every((one) => unicasts.every((other) => alike(one, other)));
  const middle = pooledMean(unicasts);
  tell({ trials: half.trials, VERY_HIGH, worst, lost, large, partial });
  claims({
    "strong-loss": [bearing, afterRepair(borne)],
    weak: [
      leastWeak >= 0.999 ? "at least 0.999 at every point" : `${leastWeak}`,
      all(weakAbove, leastWeak > 0.99, enoughRuns(every, RUNS[0])),
    ],
    "rounds-loss": [worst.rounds, atMost(worst.rounds, 3)],
    "messages-loss": [worst.measures.unicasts, atMost(worst.measures.unicasts, 1000)],
    "strong-size": success(size),
    "rounds-size": [rounds, atMost(rounds, 1.05)],
    "messages-size": [middle, all(level, ...unicasts.map((one) => near(one, middle.ours, 0.25 * middle.ours)))],
    "unicasts-axis": [large.measures.unicasts, atMost(large.measures.unicasts, 30)],
    "strong-view": success(views.map(([, report]) => report)),
    "rounds-view": [partial.rounds, all(above(partial.rounds, half.rounds), atMost(partial.rounds, 2))],
    "messages-view": [partial.measures.unicasts, atMost(partial.measures.unicasts, 140)],
  });
  draw("gupta-fig5abc", panelsOf(rowOf(loss)));
  draw("gupta-fig5def", panelsOf(rowOf(size)));
  draw("gupta-fig5ghi", panelsOf(views));
});

const N = 1000;
const PROBABILITIES = { quick: [0.3, 0.5], full: [0, 0.1, 0.2, 0.3, 0.4, 0.5] };

gupta("crash", {
  crash: over(PROBABILITIES, (p) => [guptaElection(N, { ...QUIET, crash: p }), [80, 200]]),
  loss: over(PROBABILITIES, (p) => [guptaElection(N, lossy(p)), [80, 200]]),
})(({ crash, loss }, { tell, claims, draw }) => {
  const both = (of: (report: Report) => Summary | Rate) => [
    measured("processes fail", crash, of),
    measured("messages are lost", loss, of),
  ];
  const [failing, losing] = [crash.of(0.3), loss.of(0.3)];
  const leastWeak = Math.min(...crash.map(({ measures }) => measures.weak.mean!));
  const unicasts = failing.measures.unicasts;
  tell({ N, trials: failing.trials, failing, losing });
  claims({
    "crash-success": [failing.success, similar(failing.success, losing.success, 0.2)],
    "crash-rounds": [failing.rounds, similar(failing.rounds, losing.rounds, 0.2)],
    "crash-messages": [unicasts, similar(unicasts, losing.measures.unicasts, 0.2)],
    "crash-weak": [
      leastWeak >= 0.99 ? "at least 0.99 up to p_fail = 0.5" : String(leastWeak),
      all(leastWeak >= 0.99, enoughRuns(crash, 80)),
    ],
  });
  draw("gupta-crash", [
    [...both(({ success }) => success), bound("processes fail", crash.xs, (x) => 1 - x)],
    both(({ measures }) => measures.weak),
    both(({ rounds }) => rounds),
    both(({ measures }) => measures.unicasts),
  ]);
});

const GROUPS = [100, 300, 1000, 3000];
const RATES = [0.001, 0.1, 0.2, 0.3];
const GOSSIP = { n: 300, multicastLoss: 0.5, loss: 0.1, fanout: 2, rounds: 5 };

const elected = (multicastLoss: number): DeclaredRun => [
  guptaElection(300, { multicastLoss, loss: GOSSIP.loss }),
  [60, 400],
];
/** In a hurry only what claims are about. */
const sized = (p: number) =>
  over({ quick: p === 0.3 ? [100, 3000] : [100], full: GROUPS }, (n) => [guptaElection(n, lossy(p)), [200, 1000]]);

gupta("scale", {
  ...Object.fromEntries(RATES.map((p) => [`${p}`, sized(p)])),
  huge: [guptaElection(20_000, QUIET), [40, 100]] as DeclaredRun,
  bare: elected(GOSSIP.multicastLoss),
  above: elected(obtainedLoss(GOSSIP)),
  burst: [
    guptaElection(300, { losses: [{ rate: 1, kind: "multicast", link: null, from: 5, to: 15 }] }),
    [30, 200],
  ] as DeclaredRun,
})((ran, { tell, claims, draw }) => {
  const { huge, burst } = ran;
  const at = ran as unknown as Record<string, Swept<number>>;
  const obtained = obtainedLoss(GOSSIP);
  const [few, many] = [100, 3000].map((n) => at[0.3].of(n));
  const unicasts = many.measures.unicasts;
  const lines = (of: (report: Report) => Summary) => RATES.map((p) => measured(`loss ${p}`, at[p], of));
  tell({ few, many });
  claims({
    "scale-messages": [unicasts, similar(unicasts, few.measures.unicasts, 0.2)],
    "scale-success": [huge.success, atLeast(huge.success, 0.9)],
    epidemic: [obtained, (x) => x < 0.01],
    burst: [burst.success, all(atLeast(burst.success, 0.85), burst.rounds.mean! >= 2)],
  });
  draw("gupta-scale", [lines(({ rounds }) => rounds), lines(({ measures }) => measures.unicasts)]);
});
