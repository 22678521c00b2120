/** The lecture on Chang and Roberts: worst, best and average case, and the rule as the slide words it. */

import type { PlotPoint } from "../plot/plot.ts";
import { type Request, resolve } from "../simulation/settings.ts";
import { runTrial } from "../simulation/trial.ts";
import type { Report } from "../statistics/report.ts";
import { changRobertsBest, changRobertsMean, changRobertsWorst, harmonic } from "../theory/rings.ts";
import type { Bench } from "./claim.ts";
import { computed, lineFigure, plotted, scaledAt } from "./draw.ts";
import { arrangements, chanceOfSteps, changRobertsSteps, slideAverage, slideChance } from "./lecture-by-hand.ts";
import { textsOf } from "./texts.ts";
import { verdictOr } from "./verdict.ts";

const { claim, item, worded } = textsOf("lecture");

const SIZES = [4, 16, 64, 256, 1024];
/** All arrangements of so many ids can be counted. */
const COUNTED = 8;

/** Without the announcement. */
const electionAt = ({ n, messages }: Report): PlotPoint => scaledAt(n, messages, (count) => count - n);

async function measured(bench: Bench) {
  const election = (n: number, ids: "random" | "increasing" | "decreasing", trials: number, params = {}) => {
    return bench.simulate({ protocol: "chang-roberts", n, ids, host: "lockstep", params }, trials);
  };
  const worst: Report[] = [];
  const best: Report[] = [];
  const mean: Report[] = [];
  const literal: Report[] = [];
  for (const n of SIZES) {
    worst.push(await election(n, "decreasing", 1));
    best.push(await election(n, "increasing", 1));
    mean.push(await election(n, "random", bench.trials(100, 1000)));
    if (n <= 256) literal.push(await election(n, "increasing", 1, { reading: "printed" }));
  }
  return { worst, best, mean, literal };
}

/** In how many of the first trials the process with the largest id leads. */
function largestLeads(request: Omit<Request, "protocol">, trials: number): number {
  const settings = resolve({ protocol: "chang-roberts", ...request });
  let count = 0;
  for (let trial = 0; trial < trials; trial++) if (runTrial(settings, trial).leader === settings.n) count++;
  return count;
}

export const changRoberts = item("chang-roberts", async (bench) => {
  const { worst, best, mean, literal } = await measured(bench);
  bench.step("chang-roberts: who leads");
  const trials = bench.trials(100, 1000);
  const exponential = { host: "events", delay: { kind: "exponential", mean: 1 } } as const;
  const few = { n: 100, initiators: 10, ...exponential } as const;
  const leads = {
    lockstep: largestLeads({ n: 100, host: "lockstep" }, trials),
    events: largestLeads({ n: 100, ...exponential }, trials),
    relay: largestLeads(few, trials),
    join: largestLeads({ ...few, params: { passive: "join" } }, trials),
  };
  bench.step("chang-roberts: all arrangements");
  const totals = arrangements(COUNTED).map((ids) => changRobertsSteps(ids).reduce((sum, steps) => sum + steps, 0));
  const [most, fewest] = [Math.max(...totals), Math.min(...totals)];
  const last = SIZES.length - 1;
  const n = SIZES[last];
  const average = electionAt(mean[last]);
  const equals = (reports: readonly Report[], of: (n: number) => number) =>
    reports.every((report) => electionAt(report).y === of(report.n));
  const inBest = electionAt(literal[literal.length - 1]);
  const steps = [1, 2, 3, 4];
  const agree = (shift: number) =>
    [1, 2, 3, 4].every((i) =>
      steps.every((k) => Math.abs(slideChance(5, i, k) - chanceOfSteps(5, i + shift, k)) < 1e-12),
    );
  return {
    claims: [
      claim(
        "worst-case",
        electionAt(worst[last]).y!,
        equals(worst, changRobertsWorst) && most === changRobertsWorst(COUNTED),
        { worst: changRobertsWorst(n), n, COUNTED },
      ),
      claim(
        "best-case",
        electionAt(best[last]).y!,
        equals(best, changRobertsBest) && fewest === changRobertsBest(COUNTED),
        { best: changRobertsBest(n), n, COUNTED },
      ),
      claim(
        "average-case",
        average,
        () =>
          mean.every((report) => {
            const { y, high } = electionAt(report);
            return Math.abs(y! - changRobertsMean(report.n)) <= 1.7 * (high! - y!);
          }),
        { mean: changRobertsMean(n), n },
      ),
      claim("step-chance", chanceOfSteps(5, 4, 2), verdictOr(agree(1), agree(0)), { slide: slideChance(5, 3, 2) }),
      claim(
        "average-sum",
        slideAverage(50).toFixed(6),
        () => [2, 3, 10, 50, 200].every((size) => Math.abs(slideAverage(size) / changRobertsMean(size) - 1) < 1e-9),
        { sum: 50 * harmonic(50) },
      ),
      claim("max-rule", inBest.y!, verdictOr(inBest.y === changRobertsBest(256), equals(best, changRobertsBest)), {
        best: changRobertsBest(256),
      }),
      worded("largest-leads", leads.events === trials && leads.join === trials, { leads, trials }),
      worded("both-models", leads.lockstep === trials && leads.events === trials, { leads, trials }),
    ],
    figures: [
      await lineFigure("lecture-chang-roberts", { mean }, [
        ...(
          [
            ["decreasing ids", worst, changRobertsWorst],
            ["random ids", mean, changRobertsMean],
            ["increasing ids", best, changRobertsBest],
          ] as const
        ).flatMap(([name, reports, theory]) => [
          plotted("measured", name, reports, electionAt),
          computed("theory", name, SIZES, theory),
        ]),
        plotted("measured", "max(own, received), literally", literal, electionAt),
      ]),
    ],
  };
});
