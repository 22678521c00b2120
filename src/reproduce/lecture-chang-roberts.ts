/** The lecture on Chang and Roberts: worst, best and average case, and the rule as the slide words it. */

import type { PlotPoint } from "../plot/plot.ts";
import { type Request, resolve } from "../simulation/settings.ts";
import { runTrial } from "../simulation/trial.ts";
import type { Report } from "../statistics/report.ts";
import { changRobertsBest, changRobertsMean, changRobertsWorst, harmonic } from "../theory/rings.ts";
import type { Bench, Part, Reproduction } from "./claim.ts";
import { lineFigure, scaledAt } from "./draw.ts";
import { arrangements, chanceOfSteps, changRobertsSteps, slideAverage, slideChance } from "./lecture-by-hand.ts";
import { exactly, verdictIf, verdictOr } from "./verdict.ts";
import { numberText } from "./words.ts";

const SIZES = [4, 16, 64, 256, 1024];
/** All arrangements of so many ids can be counted. */
const COUNTED = 8;

/** Without the announcement. */
const electionAt = ({ n, messages }: Report): PlotPoint => scaledAt(n, messages, (count) => count - n);

async function measured(bench: Bench) {
  const election = (n: number, ids: "random" | "increasing" | "decreasing", trials: number, params = {}) => {
    bench.step(`chang-roberts: n = ${n}, ids ${ids}`);
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

export const changRoberts: Reproduction = {
  paper: "lecture",
  name: "chang-roberts",
  title: "Chang and Roberts: worst, best and average case",
  async run(bench): Promise<Part> {
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
        {
          section: '"Worst-case Message Complexity"',
          statement: "Ids in decreasing order are the worst case: n + (n-1) + ... + 1 messages",
          paper: `n(n+1)/2 = ${numberText(changRobertsWorst(n))} at n = ${n}`,
          ...exactly(electionAt(worst[last]).y!),
          verdict: verdictIf(equals(worst, changRobertsWorst) && most === changRobertsWorst(COUNTED)),
          note: `Exactly, for n = 4 to ${n}; no arrangement of ${COUNTED} ids costs more (all counted). Decreasing in the direction in which messages travel; the announcement adds n.`,
        },
        {
          section: '"Best-case Message Complexity"',
          statement: "Ids in increasing order are the best case: 2n - 1 messages",
          paper: `${numberText(changRobertsBest(n))} at n = ${n}`,
          ...exactly(electionAt(best[last]).y!),
          verdict: verdictIf(equals(best, changRobertsBest) && fewest === changRobertsBest(COUNTED)),
          note: `Exactly, for n = 4 to ${n}; no arrangement of ${COUNTED} ids costs less. The announcement adds n.`,
        },
        {
          section: '"Average Case Analysis"',
          statement: "On average n(1 + 1/2 + ... + 1/n) messages",
          paper: `${changRobertsMean(n).toFixed(1)} at n = ${n}`,
          ours: average.y,
          interval: [average.low!, average.high!],
          verdict: verdictIf(
            mean.every((report) => {
              const { y, high } = electionAt(report);
              return Math.abs(y! - changRobertsMean(report.n)) <= 1.7 * (high! - y!);
            }),
          ),
          note: "Random arrangements; each of the five sizes is within 1.7 half-widths of its 95% interval, which the truth leaves once in a thousand.",
        },
        {
          section: '"Average Case Analysis"',
          statement: "With ids 0, 1, ..., n-1, id i makes exactly k steps with the probability P(i, k) of the slide",
          paper: `P(3, 2) = ${slideChance(5, 3, 2).toFixed(3)} for n = 5`,
          ...exactly(chanceOfSteps(5, 4, 2)),
          verdict: verdictOr(agree(1), agree(0)),
          note: "All arrangements counted. The slide computes with i - 1 smaller ids and n - i larger ones, which is true of ids 1 to n: with these P(i, k) is exact. With ids from 0, as it numbers them, the one called 3 has three smaller ones.",
        },
        {
          section: '"Average Case Analysis"',
          statement: "n + Σ Σ k·P(i, k) simplifies to n(1 + 1/2 + ... + 1/n)",
          paper: `${(50 * harmonic(50)).toFixed(6)} at n = 50`,
          ...exactly(slideAverage(50).toFixed(6)),
          verdict: verdictIf(
            [2, 3, 10, 50, 200].every((size) => Math.abs(slideAverage(size) / changRobertsMean(size) - 1) < 1e-9),
          ),
          note: "The double sum as printed, evaluated for n = 2 to 200.",
        },
        {
          section: '"Chang and Roberts Algorithm"',
          statement: "Every process sends max(own id, received id) to the next one, at the costs above",
          paper: `2n - 1 = ${changRobertsBest(256)} in the best case at n = 256`,
          ...exactly(inBest.y!),
          verdict: verdictOr(inBest.y === changRobertsBest(256), equals(best, changRobertsBest)),
          note: "Taken literally nobody ever swallows a message, and every arrangement costs n². The repair is the rule of the 1979 paper: pass a larger id on, swallow a smaller one.",
        },
        {
          section: '"Correctness"',
          statement: "The process with the largest id is elected",
          paper: "always",
          ...exactly(
            `${leads.events} of ${trials} when all start, ${leads.join} when ten of 100 do and the others join`,
          ),
          verdict: verdictIf(leads.events === trials && leads.join === trials),
          note: `By the slide's rule a process that is reached by a smaller id sends its own. If the others only relay, as is our default (passive=relay), the largest of those that started leads: the largest of all in ${leads.relay} of ${trials}.`,
        },
        {
          section: '"Chang and Roberts Algorithm"',
          statement: "The algorithm works both in synchronous and asynchronous models",
          paper: "both",
          ...exactly(`${leads.lockstep} and ${leads.events} of ${trials}`),
          verdict: verdictIf(leads.lockstep === trials && leads.events === trials),
          note: "n = 100, in lockstep and with exponentially distributed delays: the largest id leads.",
        },
      ],
      figures: [
        await lineFigure("lecture-chang-roberts", {
          title: "Chang and Roberts: messages of the election",
          caption: `without the announcement; random ids: ${mean[0].trials} elections a point, seed 1, 95% intervals`,
          x: { label: "n (processes)", log: true },
          y: { label: "messages", log: true },
          series: [
            ...(
              [
                ["decreasing ids", worst, changRobertsWorst],
                ["random ids", mean, changRobertsMean],
                ["increasing ids", best, changRobertsBest],
              ] as const
            ).flatMap(([name, reports, theory]) => [
              { name, kind: "measured" as const, points: reports.map(electionAt) },
              { name, kind: "theory" as const, points: SIZES.map((x) => ({ x, y: theory(x) })) },
            ]),
            { name: "max(own, received), literally", kind: "measured", points: literal.map(electionAt) },
          ],
        }),
      ],
      text:
        "The three cases of the slides come out to the message. What does not is the rule itself: if every process sends the maximum of its own and the received " +
        "id, no message ever ends before it has gone around, and the best case costs as much as the worst (upper line). The algorithm that has " +
        "the slides' costs swallows smaller ids. The slide numbers ids from 0 and computes with ids from 1; with these, its probabilities are exact, and its double sum is n·H_n.",
    };
  },
};
