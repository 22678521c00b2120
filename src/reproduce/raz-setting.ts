/** The settings of Raz et al., the best c, and figures of exact curves with simulated points. */

import type { Axis, PlotPoint, Series } from "../plot/plot.ts";
import type { Params } from "../protocols/parameters.ts";
import type { Request } from "../simulation/settings.ts";
import type { Report } from "../statistics/report.ts";
import { type CouncilDesign, type Range, type Search, unknownCost } from "../theory/raz.ts";
import { bestForRounds } from "../theory/raz-optimum.ts";
import type { Cost } from "../theory/raz-restarts.ts";
import type { Bench, Claim, Figure } from "./claim.ts";
import { meanAt, panelFigure } from "./draw.ts";
import { agreement, deviation } from "./raz-claim.ts";

export const N = 10_000;
export const WIDE: Range = { L: 4, U: 8 };
export const OPEN: Range = { L: 1, U: 8 };
export const SINGLE: Range = { L: 1, U: 1 };
export const RANGES: readonly (readonly [string, Range])[] = [
  ["[4, 8]", WIDE],
  ["[1, 8]", OPEN],
  ["[2, 4]", { L: 2, U: 4 }],
  ["[1, 1]", SINGLE],
];
export const CONSERVATIVE: Search = { guess: 100_000, alpha: 1, beta: 2 };
export const AGGRESSIVE: Search = { guess: 100_000, alpha: 0.7, beta: 1 };

export type CostOf = (n: number, plan: CouncilDesign) => Cost;

export interface Tuned extends Cost {
  readonly c: number;
}

/** T and N where c is the best for T. */
export function tuned(cost: CostOf, n: number, range: Range): Tuned {
  const c = bestForRounds({ ...range, cost: (c) => cost(n, { ...range, c }), messagesUnbounded: range.L === 1 });
  return { c, ...cost(n, { ...range, c }) };
}

/** Section VII-A with the paper's [1, 8] and c = 5.6. */
export const searched = (n: number, search: Search): Cost => unknownCost(n, { ...OPEN, c: 5.6 }, search);

export const council = (name: string, n: number, params: Params): Request => ({
  protocol: `council-${name}`,
  n,
  params,
});

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
  readonly title: string;
  readonly x: Axis;
  readonly curves: readonly Curve[];
  /** Where theory is drawn, and where there are runs. */
  readonly dense: readonly number[];
  readonly sparse: readonly number[];
  readonly rounds?: Partial<Axis> | undefined;
  /** Null: T alone. */
  readonly messages?: Partial<Axis> | null | undefined;
  readonly setting: string;
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

/** The paper's number of runs a point. */
export const RUNS = 10_000;

export async function drawn(bench: Bench, section: string, name: string, spec: CurveFigure): Promise<Drawn> {
  const trials = bench.trials(spec.quick ?? 2000, RUNS);
  const runs = new Map<string, Map<number, Report>>();
  let worst = 0;
  for (const curve of spec.curves) {
    bench.step(`Raz, ${section}: ${curve.name}`);
    const at = new Map<number, Report>();
    for (const x of spec.sparse) {
      const report = await bench.simulate(curve.request(x), trials);
      const { rounds, messages } = curve.cost(x);
      const hidden = Math.sqrt((messages * (curve.jackpot?.(x) ?? 0)) / trials);
      worst = Math.max(worst, deviation(report.rounds, rounds), deviation(report.messages, messages, hidden));
      at.set(x, report);
    }
    runs.set(curve.name, at);
  }
  const series = (theory: (cost: Cost) => number, measured: (x: number, report: Report) => PlotPoint): Series[] =>
    spec.curves.flatMap((curve): Series[] => [
      { name: curve.name, kind: "theory", points: spec.dense.map((x) => ({ x, y: theory(curve.cost(x)) })) },
      { name: curve.name, kind: "measured", points: [...runs.get(curve.name)!].map(([x, r]) => measured(x, r)) },
    ]);
  const panels = [
    {
      title: "T",
      x: spec.x,
      y: { label: "T (rounds)", ...spec.rounds },
      series: [
        ...series(
          (cost) => cost.rounds,
          (x, report) => meanAt(x, report.rounds),
        ),
        ...(spec.paper?.rounds === undefined ? [] : [spec.paper.rounds]),
      ],
    },
    {
      title: "N",
      x: spec.x,
      y: { label: "N (messages)", ...spec.messages },
      series: [
        ...series(
          (cost) => cost.messages,
          (x, report) => meanAt(x, report.messages),
        ),
        ...(spec.paper?.messages === undefined ? [] : [spec.paper.messages]),
      ],
    },
  ];
  const figure = await panelFigure(name, {
    title: spec.title,
    caption: `${spec.setting}; dashed: exact; points: ${trials.toLocaleString("en-GB")} runs each, 95% bands`,
    columns: 2,
    width: 330,
    height: 230,
    panels: spec.messages === null ? panels.slice(0, 1) : panels,
  });
  return { figure, runs, agreement: agreement(section, worst) };
}

/** Points evenly spaced on a logarithmic axis, as whole numbers. */
export function logSpaced(from: number, to: number, perDecade: number): number[] {
  const steps = Math.round(perDecade * Math.log10(to / from));
  const all = Array.from({ length: steps + 1 }, (_, i) => Math.round(from * (to / from) ** (i / steps)));
  return [...new Set(all)];
}

/** The n of figures over n. */
export const SIZES = { dense: logSpaced(20, 100_000, 6), sparse: logSpaced(20, 100_000, 2) };

export const spaced = (from: number, to: number, step: number): number[] =>
  Array.from({ length: Math.round((to - from) / step) + 1 }, (_, i) => Math.round((from + i * step) * 1e9) / 1e9);

/** All ranges with L < U up to the largest U. */
export const rangesUpTo = (largest: number): Range[] =>
  spaced(2, largest, 1).flatMap((U) => spaced(1, U - 1, 1).map((L) => ({ L, U })));

/** Remembers what has been computed for an x: curves are asked for theory, for runs and for claims. */
export function remembered<V>(compute: (x: number) => V): (x: number) => V {
  const known = new Map<number, V>();
  return (x) => {
    const value = known.get(x) ?? compute(x);
    known.set(x, value);
    return value;
  };
}
