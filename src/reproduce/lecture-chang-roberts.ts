/** The lecture on Chang and Roberts: worst, best and average case, and the rule as the slide words it. */
import type { Report } from "../campaign/report.ts";
import { changRobertsBest, changRobertsMean, changRobertsWorst, harmonic } from "../theory/rings.ts";
import type { Part, Reproduction } from "./claim.ts";
import { intervalOf, lineFigure, meanAt } from "./draw.ts";

const SIZES = [4, 16, 64, 256, 1024];

/** The slide's sum for the average case, with ids 1..n: n + sum over i and k of k P(i, k). */
export function slideAverage(n: number): number {
  let sum = n;
  for (let i = 1; i < n; i++) {
    // C(i-1, k-1) / C(n-1, k-1), one factor at a time.
    let smaller = 1;
    for (let k = 1; k < n && smaller > 0; k++) {
      sum += k * smaller * ((n - i) / (n - k));
      smaller *= (i - k) / (n - k);
    }
  }
  return sum;
}

export const changRoberts: Reproduction = {
  paper: "lecture",
  name: "chang-roberts",
  title: "Chang and Roberts: worst, best and average case",
  async run(bench): Promise<Part> {
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
    const few = { protocol: "chang-roberts", n: 100, initiators: 10, host: "lockstep" } as const;
    const trials = bench.trials(200, 2000);
    const relay = await bench.simulate(few, trials);
    const without = (n: number, messages: number | null) => messages! - n;
    const last = SIZES.length - 1;
    const n = SIZES[last];
    const electionMean = mean[last].messages;
    const shifted = intervalOf(electionMean)!.map((bound) => bound - n) as [number, number];
    const exact = (reports: typeof worst, of: (n: number) => number) =>
      reports.every(({ messages }, i) => without(SIZES[i], messages.mean) === of(SIZES[i]));
    const slide = slideAverage(50);
    return {
      claims: [
        {
          section: "«Worst-case Message Complexity»",
          statement: "Ids in decreasing order: n + (n-1) + ... + 1 messages",
          paper: `n(n+1)/2 = ${changRobertsWorst(n).toLocaleString("en-GB")} at n = ${n}`,
          ours: without(n, worst[last].messages.mean),
          interval: null,
          verdict: exact(worst, changRobertsWorst) ? "holds" : "does not hold",
          note: "Exactly, for n = 4 to 1024; decreasing in the direction in which messages travel. The announcement adds n.",
        },
        {
          section: "«Best-case Message Complexity»",
          statement: "Ids in increasing order: 2n - 1 messages",
          paper: `${changRobertsBest(n).toLocaleString("en-GB")} at n = ${n}`,
          ours: without(n, best[last].messages.mean),
          interval: null,
          verdict: exact(best, changRobertsBest) ? "holds" : "does not hold",
          note: "Exactly, for n = 4 to 1024; the announcement adds n.",
        },
        {
          section: "«Average Case Analysis»",
          statement: "On average n(1 + 1/2 + ... + 1/n) messages",
          paper: `${changRobertsMean(n).toFixed(1)} at n = ${n}`,
          ours: without(n, electionMean.mean),
          interval: shifted,
          verdict:
            shifted[0] - 3 * (shifted[1] - shifted[0]) < changRobertsMean(n) &&
            changRobertsMean(n) < shifted[1] + 3 * (shifted[1] - shifted[0])
              ? "holds"
              : "does not hold",
          note: "Random arrangements; a 95% interval misses the truth once in twenty, so the verdict allows three more widths.",
        },
        {
          section: "«Average Case Analysis»",
          statement: "The sum over P(i, k) with ids 0, 1, ..., n-1 is that average",
          paper: "n·H_n",
          ours: `${slide.toFixed(6)} against ${(50 * harmonic(50)).toFixed(6)} at n = 50`,
          interval: null,
          verdict: "holds after repair",
          note: "The formulas say that i - 1 ids are smaller than i, which is true of ids 1 to n. With ids from 0, as the slide numbers them, the largest id n - 1 would be counted twice and id 0 not at all.",
        },
        {
          section: "«Chang and Roberts Algorithm»",
          statement: "Every process sends max(own id, received id) to the next one",
          paper: "leads to the costs above",
          ours: `${without(256, literal[literal.length - 1].messages.mean).toLocaleString("en-GB")} messages in the best case at n = 256, not ${changRobertsBest(256)}`,
          interval: null,
          verdict: "holds after repair",
          note: "Taken literally nobody ever swallows a message, and every arrangement costs n². The repair is the rule of the 1979 paper: pass a larger id on, swallow a smaller one.",
        },
        {
          section: "«Correctness»",
          statement: "The process with the largest id is elected",
          paper: "always",
          ours: `${mean.reduce((sum, { outcomes }) => sum + outcomes.one, 0)} of ${mean.reduce((sum, { trials }) => sum + trials, 0)} elections with one leader`,
          interval: null,
          verdict: mean.every(({ outcomes, trials }) => outcomes.one === trials) ? "holds" : "does not hold",
          note: `When all start. If only some do and the others relay, the largest of those that started leads (${relay.outcomes.one} of ${trials} elections end with one leader); passive=join makes the claim true then, too.`,
        },
      ],
      figures: [
        await lineFigure("lecture-chang-roberts", {
          title: "Chang and Roberts: messages of the election",
          caption: `without the announcement; random ids: ${mean[0].trials} elections a point, seed 1, 95% intervals`,
          x: { label: "n (processes)", log: true },
          y: { label: "messages", log: true },
          series: [
            {
              name: "decreasing ids",
              kind: "measured",
              points: worst.map(({ n, messages }) => ({ x: n, y: without(n, messages.mean) })),
            },
            { name: "decreasing ids", kind: "theory", points: SIZES.map((n) => ({ x: n, y: changRobertsWorst(n) })) },
            {
              name: "random ids",
              kind: "measured",
              points: mean.map(({ n, messages }) => {
                const { y, low, high } = meanAt(n, messages);
                return { x: n, y: without(n, y), low: without(n, low!), high: without(n, high!) };
              }),
            },
            { name: "random ids", kind: "theory", points: SIZES.map((n) => ({ x: n, y: changRobertsMean(n) })) },
            {
              name: "increasing ids",
              kind: "measured",
              points: best.map(({ n, messages }) => ({ x: n, y: without(n, messages.mean) })),
            },
            { name: "increasing ids", kind: "theory", points: SIZES.map((n) => ({ x: n, y: changRobertsBest(n) })) },
            {
              name: "max(own, received), literally",
              kind: "measured",
              points: literal.map(({ n, messages }) => ({ x: n, y: without(n, messages.mean) })),
            },
          ],
        }),
      ],
      text:
        "The three cases of the slides come out to the message. What does not is the rule itself: if every process sends the maximum of its own and the received " +
        "id, no message ever ends before it has gone around, and the best case costs as much as the worst (upper line). The algorithm that has " +
        "the slides' costs swallows smaller ids. The slide numbers ids from 0 and computes with ids from 1; with these, its double sum is n·H_n exactly.",
    };
  },
};
