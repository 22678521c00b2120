/** Figures of Raz et al.: exact curves for T and N, with simulated points. */
import type { Series } from "../plot/plot.ts";
import type { Request } from "../simulation/settings.ts";
import type { Report } from "../statistics/report.ts";
import type { Range } from "../theory/raz.ts";
import type { Cost } from "../theory/raz-restarts.ts";
import type { Bench, Claim, Figure } from "./claim.ts";
import { computed, panelFigure, swept } from "./draw.ts";
import { agreement, deviation } from "./raz-claim.ts";
import { type CostOf, council, RUNS, remembered, tuned } from "./raz-setting.ts";

/** One line of a figure: what theory says at x, and the runs to hold against it. */
export interface Curve {
  readonly name: string;
  cost(x: number): Cost;
  request(x: number): Request;
  /** The replies of a rare event, such as a poll of everybody; runs in which it never occurred do not show its spread. */
  jackpot?(x: number): number;
}

/** A curve over n on which c is the best for T at each n. */
export function tunedCurve(name: string, protocol: string, cost: CostOf, range: Range): Curve {
  const at = remembered((n) => tuned(cost, n, range));
  return { name, cost: at, request: (n) => council(protocol, n, { ...range, c: at(n).c }) };
}

export interface CurveFigure {
  readonly curves: readonly Curve[];
  /** Where theory is drawn, and where there are runs. */
  readonly dense: readonly number[];
  readonly sparse: readonly number[];
  /** What the paper prints: more series for T and for N. */
  readonly paper?: { readonly rounds?: Series; readonly messages?: Series } | undefined;
  /** Runs a point at the quick effort; 2000 where absent. */
  readonly quick?: number | undefined;
}

export interface Drawn {
  readonly figure: Figure;
  /** What was run, by curve and x. */
  readonly runs: ReadonlyMap<string, ReadonlyMap<number, Report>>;
  /** That the runs meet theory, as a claim. */
  readonly agreement: Claim;
}

/** Values that the paper prints, as points that no line joins. */
export const printedAt = (...points: readonly (readonly [x: number, y: number])[]): Series => ({
  name: "printed value",
  kind: "measured",
  points: points.flatMap(([x, y]) => [
    { x, y },
    { x, y: null },
  ]),
});

export async function drawn(bench: Bench, section: string, name: string, spec: CurveFigure): Promise<Drawn> {
  const trials = bench.trials(spec.quick ?? 2000, RUNS);
  const runs = new Map<string, Map<number, Report>>();
  let worst = 0;
  for (const curve of spec.curves) {
    const at = await bench.sweep(spec.sparse, curve.request, trials);
    for (const [x, report] of at) {
      const { rounds, messages } = curve.cost(x);
      const hidden = Math.sqrt((messages * (curve.jackpot?.(x) ?? 0)) / trials);
      worst = Math.max(worst, deviation(report.rounds, rounds), deviation(report.messages, messages, hidden));
    }
    runs.set(curve.name, at);
  }
  const panels = (["rounds", "messages"] as const).map((of) => [
    ...spec.curves.flatMap(({ name, cost }) => [
      computed("theory", name, spec.dense, (x) => cost(x)[of]),
      swept(name, runs.get(name)!, (report) => report[of]),
    ]),
    ...[spec.paper?.[of] ?? []].flat(),
  ]);
  const figure = await panelFigure(name, { trials }, panels);
  return { figure, runs, agreement: agreement(section, worst) };
}
