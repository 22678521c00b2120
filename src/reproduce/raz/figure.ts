/** Figures of Raz et al.: exact curves for T and N, with simulated points, and what claims of agreement rest on. */
import type { Series } from "../../plot/plot.ts";
import type { Request } from "../../simulation/settings.ts";
import type { Report, Summary } from "../../statistics/report.ts";
import { remembering } from "../../theory/memo.ts";
import { type CostOf, tuned } from "../../theory/raz/optimum.ts";
import type { Range } from "../../theory/raz/raz.ts";
import type { Cost } from "../../theory/raz/restarts.ts";
import { type Bench, type ClaimVerdict, type Judged, over, type Ran, type Runs, type Swept } from "../claim.ts";
import { all, enoughRuns } from "../criteria.ts";
import { measured, printed, theory } from "../draw.ts";
import { type ItemPage, raz } from "../texts.ts";
import { councilRequest, RUNS } from "./setting.ts";

/** Of some hundred comparisons none should be this many standard errors off: a false alarm has a chance of 1e-4. */
export const SIGMAS = 5;

/** How many standard errors, or least errors where these are larger, a mean is off. */
export function deviation({ mean, low, high }: Summary, exact: number, least = 0): number {
  const error = Math.max((high! - low!) / 2 / 1.96, least);
  const off = Math.abs(mean! - exact);
  return off < 1e-9 * Math.abs(exact) ? 0 : off / error;
}

/** That runs meet theory, where the worst of their means is this many standard errors off. */
export const theoryIsMet = (section: string, worst: number, ran: ClaimVerdict): Judged => [
  worst < SIGMAS ? `all within ${SIGMAS} standard errors` : `${worst.toFixed(1)} standard errors`,
  all(ran, worst < SIGMAS),
  { section },
];

/** One line of a figure: what theory says at x, and the runs to hold against it. */
export interface Line {
  cost(x: number): Cost;
  request(x: number): Request;
  /** The replies of a rare event, such as a poll of everybody; runs in which it never occurred do not show its spread. */
  jackpot?(x: number): number;
}

/** A line over n on which c is the best for T at each n. */
export function tunedLine(protocol: string, cost: CostOf, range: Range): Line {
  const at = remembering((n: number) => tuned(cost, n, range));
  return { cost: at, request: (n) => councilRequest(protocol, n, { ...range, c: at(n).c }) };
}

interface CurveFigure<R> {
  readonly section: string;
  readonly lines: Readonly<Record<string, Line>>;
  /** Where theory is drawn, and where there are runs. */
  readonly dense: readonly number[];
  readonly sparse: readonly number[];
  /** What the paper prints: more series for T and for N. */
  readonly paper?: { readonly rounds?: Series; readonly messages?: Series } | undefined;
  /** Runs a point at the quick effort; 2000 where absent. */
  readonly quick?: number | undefined;
  /** Other runs. */
  readonly runs?: R;
}

type Lines = Readonly<Record<string, Swept<number>>>;

/** Values that the paper prints. */
export const printedAt = (...points: readonly (readonly [x: number, y: number])[]): Series =>
  printed(
    "printed value",
    points.map(([x, y]) => ({ x, y })),
  );

/** An item with one such figure, `raz-NAME`: that its runs meet theory is the first of its claims. */
export const curves =
  <R extends Runs = Record<never, never>>(
    name: string,
    figure: CurveFigure<R> | ((effort: Bench["effort"]) => CurveFigure<R>),
  ) =>
  (judge: (ran: Ran<R>, page: ItemPage, lines: Lines) => void): void => {
    const specOf = ({ effort }: Bench) => (typeof figure === "function" ? figure(effort) : figure);
    const declared = (bench: Bench) => {
      const { lines, sparse, quick = 2000, runs } = specOf(bench);
      const swept = Object.entries(lines).map(([key, { request }]) => [
        key,
        over(sparse, (x) => [request(x), [quick, RUNS]]),
      ]);
      return { ...runs, ...Object.fromEntries(swept) };
    };
    raz(
      name,
      declared,
    )((ran, page) => {
      const { section, lines, dense, paper } = specOf(page);
      const swept = ran as Lines;
      const trials = swept[Object.keys(lines)[0]][0].trials;
      const off = Object.entries(lines).flatMap(([key, { cost, jackpot }]) =>
        swept[key].map((report, i) => {
          const { rounds, messages } = cost(swept[key].xs[i]);
          const hidden = Math.sqrt((messages * (jackpot?.(swept[key].xs[i]) ?? 0)) / trials);
          return Math.max(deviation(report.rounds, rounds), deviation(report.messages, messages, hidden));
        }),
      );
      const panels = (["rounds", "messages"] as const).map((of) => [
        ...Object.entries(lines).flatMap(([key, { cost }]) => [
          theory(key, dense, (x) => cost(x)[of]),
          measured(key, swept[key], (report: Report) => report[of]),
        ]),
        ...[paper?.[of] ?? []].flat(),
      ]);
      page.tell({ trials });
      page.claims({
        [`agreement/${name}`]: theoryIsMet(
          section,
          Math.max(...off),
          enoughRuns(
            Object.keys(lines).flatMap((key) => swept[key]),
            1000,
          ),
        ),
      });
      page.draw(`raz-${name}`, panels);
      judge(ran as Ran<R>, page, swept);
    });
  };
