/** Kutten et al., section 4: the lower bound, with Lemma 2 and equation (5). */

import type { Params } from "../protocols/parameters.ts";
import { HostStream } from "../random/streams.ts";
import { wilson } from "../statistics/intervals.ts";
import type { Report } from "../statistics/report.ts";
import { disjointSuccess, lowerBounds } from "../theory/kutten.ts";
import type { Bench, Part, Reproduction } from "./claim.ts";
import { lineFigure, rateAt } from "./draw.ts";
import { exactly, measuredRate, verdictIf } from "./verdict.ts";

const SIZES = [1000, 10_000, 100_000];
/** Referees of each candidate, with 2 ln n candidates. */
const BUDGETS = [1, 2, 5, 10, 20, 40, 80, 150, 300, 600];
/** Candidates on average, among whom a budget of √n messages is shared out. */
const FEW = [1, 2, 4, 8];
const N = 10_000;

/** Of all ways to spend √n messages that are tried, those that did best at each n. */
async function starved(bench: Bench, trials: number): Promise<Report[]> {
  const best: Report[] = [];
  for (const n of SIZES) {
    bench.step(`Theorem 3: √n messages, n = ${n}`);
    const reports: Report[] = [];
    for (const candidates of FEW) {
      // Every request is answered once at most.
      const referees = Math.max(1, Math.floor(Math.sqrt(n) / (2 * candidates)));
      reports.push(await bench.simulate({ protocol: "referees", n, params: { candidates, referees } }, trials));
    }
    best.push(reports.reduce((most, one) => (one.success.rate! > most.success.rate! ? one : most)));
  }
  return best;
}

const F = [10, 20, 40];

/** How often the clouds of `f` messages, sent by initiators through random ports, stay disjoint: Lemma 2. */
function disjoint(f: number, initiators: number, trials: number): number {
  let apart = 0;
  for (let trial = 0; trial < trials; trial++) {
    const source = new HostStream(1, trial, "topology");
    const cloud = new Map<number, number>();
    while (cloud.size < initiators) cloud.set(source.choose(N), cloud.size);
    // In each of many rounds one member of each cloud, in turn, sends through a random port.
    const clouds = [...cloud.keys()].map((node) => [node]);
    let met = false;
    for (let sent = 0; sent < f && !met; sent++) {
      const mine = sent % initiators;
      const target = source.choose(N);
      const other = cloud.get(target);
      if (other === undefined) {
        cloud.set(target, mine);
        clouds[mine].push(target);
      } else met = other !== mine;
    }
    if (!met) apart++;
  }
  return apart;
}

export const theorem3: Reproduction = {
  paper: "kutten",
  name: "theorem3",
  title: "Theorem 3: how few messages are too few",
  async run(bench): Promise<Part> {
    const trials = bench.trials(300, 2000);
    const run = (protocol: string, params: Params) => bench.simulate({ protocol, n: N, params }, trials);
    const reports: Report[] = [];
    for (const referees of BUDGETS) {
      bench.step(`Theorem 3: ${referees} referees`);
      reports.push(await run("referees", { referees }));
    }
    const poor = await starved(bench, trials);
    const lonely = await run("referees", { candidates: 1, referees: 1 });
    // Many rounds and few messages: walks go on until n^(1/3) messages are spent.
    bench.step("Theorem 3: many rounds");
    const patient = await run("random-walks", { candidates: 1, walks: 1, tau: 10 });
    const { anyTime } = lowerBounds(N);
    const rich = reports[reports.length - 1];
    const highest = Math.max(...poor.map(({ success }) => success.high!));
    const last = poor[poor.length - 1];
    bench.step("Lemma 2: disjoint clouds");
    const clouds = F.map((f) => wilson(disjoint(f, f / 2, trials), trials));
    const printed = F.map((f) => 1 - (2 * f * f) / (N - f));
    const largest = [2, 3, 10, 100].map((c) => disjointSuccess(c, 1 / c));
    return {
      claims: [
        {
          section: "Theorem 3",
          statement: "With o(√n) messages no algorithm succeeds with high probability in O(1) rounds",
          paper: "Ω(√n) messages are needed",
          ...measuredRate(last.success),
          verdict: verdictIf(highest < 0.5 && rich.success.low! > 0.98),
          note: `The best success of Algorithm 1 with about √n messages at n = 100,000, over 1, 2, 4 and 8 candidates on average who share them; it is ${poor.map(({ success }) => success.rate!.toFixed(2)).join(", ")} for n = 1000, 10,000 and 100,000, and does not rise. With ${Math.round(rich.messages.mean!).toLocaleString("en-GB")} messages and n = 10,000 it is ${rich.success.rate}. One algorithm is no proof for all; it shows the collapse where the theorem has it.`,
        },
        {
          section: "Theorem 3",
          statement: "With o(n^(1/3)) messages none does in any number of rounds",
          paper: "Ω(n^(1/3)) messages are needed",
          ...measuredRate(patient.success),
          verdict: verdictIf(patient.success.high! < 0.5 && patient.messages.mean! < anyTime),
          note: `Success of one walk of ten steps by one candidate on average, ${patient.rounds.max} rounds and ${patient.messages.mean!.toFixed(1)} messages, n = 10,000 (n^(1/3) = ${anyTime.toFixed(1)}): no better than luck. For all algorithms it is a proof, which we have read. It seems to give away a factor: it lets each of f nodes send f messages, but all together send f, so the same union bound would give 2f²/(n - f) and Ω(√n) for any number of rounds, which the paper leaves open. That is our argument, and nobody has reviewed it.`,
        },
        {
          section: "Lemma 2",
          statement:
            "With f = o(√n) messages all influence clouds stay disjoint with probability 1 - 2f²/(n - f) at least",
          paper: `at least ${printed.map((bound) => bound.toFixed(3)).join(", ")} for f = ${F.join(", ")}`,
          ...measuredRate(clouds[clouds.length - 1]),
          verdict: verdictIf(clouds.every(({ high }, i) => high! >= printed[i])),
          note: `At f = ${F[F.length - 1]}, n = 10,000, where f/2 initiators and their clouds send in turn through random ports, one message a round; ${clouds.map(({ rate }) => rate!.toFixed(3)).join(", ")} for the three f. Rounds are not few here, and it holds all the same.`,
        },
        {
          section: "equation (5)",
          statement: "cp(1-p)^(c-1) ≤ 1/e for every c, with its maximum at p = 1/c",
          paper: `at most ${(1 / Math.E).toFixed(4)}`,
          ...exactly(largest[0]),
          verdict: verdictIf(largest.every((value) => value <= 1 / Math.E)),
          note: `The maximum is (1 - 1/c)^(c-1), which is at least 1/e: ${largest.map((value) => value.toFixed(4)).join(", ")} for c = 2, 3, 10, 100 and 1 for c = 1. The proof needs only a constant below 1, and has it, because nearly all n nodes count as initiators: for c ≥ 2 the maximum is at most 1/2.`,
        },
        {
          section: "equation (5)",
          statement: "Many candidates that do not influence each other succeed with probability 1/e at best",
          paper: `${(1 / Math.E).toFixed(4)}`,
          ...measuredRate(lonely.success),
          verdict: verdictIf(lonely.success.low! < 1 / Math.E && lonely.success.high! > 1 / Math.E),
          note: "One candidate on average, with one referee: about two messages, and 37% succeed by luck alone.",
        },
      ],
      figures: [
        await lineFigure("kutten-theorem3", {
          title: `Algorithm 1 with a smaller budget, n = ${N.toLocaleString("en-GB")}`,
          caption: `${trials} elections a point, seed 1, 95% intervals; √n = 100, n^(1/3) = 22; the last point is near the paper's size`,
          x: { label: "messages on average", log: true },
          y: { label: "share with one leader", domain: [0, 1] },
          series: [
            {
              name: "2 ln n candidates",
              kind: "measured",
              points: reports.map(({ messages, success }) => rateAt(messages.mean!, success)),
            },
            {
              name: "few candidates",
              kind: "measured",
              points: [lonely, poor[1]].map(({ messages, success }) => rateAt(messages.mean!, success)),
            },
            {
              name: "1/e",
              kind: "reference",
              points: [lonely.messages.mean!, rich.messages.mean!].map((x) => ({ x, y: 1 / Math.E })),
            },
          ],
        }),
      ],
      text:
        "A lower bound cannot be measured, but its neighbourhood can. The figure gives Algorithm 1 fewer referees than it asks for: below a thousand messages it never " +
        "elects one leader, and it works from about ten thousand on, log^1.5 n above √n. With √n messages or fewer the best there is to do is to let about one candidate " +
        "stand, which succeeds in 1/e of all elections or a little more, at any n. Equation (5) says that 1/e is an upper bound; it is the limit from above. " +
        "The proof survives with 1/2 in its place. Its second half is weaker than its own argument: counting the f messages once, and not once for each of f nodes, it would give Ω(√n) for any number of rounds.",
    };
  },
};
