/** Kutten et al., section 4: the lower bound, with Lemma 2 and equation (5). */

import type { Params } from "../protocols/parameters.ts";
import { HostStream } from "../random/streams.ts";
import { rateOf } from "../statistics/intervals.ts";
import type { Report } from "../statistics/report.ts";
import { disjointSuccess, lowerBounds } from "../theory/kutten.ts";
import type { Bench } from "./claim.ts";
import { computed, lineFigure, plotted, rateAt } from "./draw.ts";
import { textsOf } from "./texts.ts";

const { claim, item } = textsOf("kutten");

const SIZES = [1000, 10_000, 100_000];
/** Referees of each candidate, with 2 ln n candidates. */
const BUDGETS = [1, 2, 5, 10, 20, 40, 80, 150, 300, 600];
/** Candidates on average, among whom a budget of √n messages is shared out. */
const FEW = [1, 2, 4, 8];
const N = 10_000;

/** Of all ways to spend √n messages that are tried, those that did best at each n. */
async function starved(bench: Bench, trials: number): Promise<Report[]> {
  const best = await bench.each(SIZES, async (n) => {
    const reports = await bench.each(FEW, async (candidates) => {
      // Every request is answered once at most.
      const referees = Math.max(1, Math.floor(Math.sqrt(n) / (2 * candidates)));
      return bench.simulate({ protocol: "referees", n, params: { candidates, referees } }, trials);
    });
    return reports.reduce((most, one) => (one.success.rate! > most.success.rate! ? one : most));
  });
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

export const theorem3 = item("theorem3", async (bench) => {
  const trials = bench.trials(300, 2000);
  const run = (protocol: string, params: Params) => bench.simulate({ protocol, n: N, params }, trials);
  const reports = await bench.each(BUDGETS, (referees) => run("referees", { referees }));
  const poor = await starved(bench, trials);
  const lonely = await run("referees", { candidates: 1, referees: 1 });
  // Many rounds and few messages: walks go on until n^(1/3) messages are spent.
  const patient = await run("random-walks", { candidates: 1, walks: 1, tau: 10 });
  const { anyTime } = lowerBounds(N);
  const rich = reports[reports.length - 1];
  const highest = Math.max(...poor.map(({ success }) => success.high!));
  const last = poor[poor.length - 1];
  bench.step("Lemma 2: disjoint clouds");
  const clouds = F.map((f) => rateOf(disjoint(f, f / 2, trials), trials));
  const printed = F.map((f) => 1 - (2 * f * f) / (N - f));
  const largest = [2, 3, 10, 100].map((c) => disjointSuccess(c, 1 / c));
  return {
    claims: [
      claim("sqrt-bound", last.success, highest < 0.5 && rich.success.low! > 0.98, {
        rates: poor.map(({ success }) => success.rate),
        rich,
      }),
      claim("cube-root-bound", patient.success, patient.success.high! < 0.5 && patient.messages.mean! < anyTime, {
        patient,
        anyTime,
      }),
      claim("clouds", clouds[clouds.length - 1], () => clouds.every(({ high }, i) => high! >= printed[i]), {
        printed,
        F,
        largest: F[F.length - 1],
        rates: clouds.map(({ rate }) => rate),
      }),
      claim("one-over-e", largest[0], () => largest.every((value) => value <= 1 / Math.E), {
        most: 1 / Math.E,
        largest,
      }),
      claim(
        "independent-candidates",
        lonely.success,
        lonely.success.low! < 1 / Math.E && lonely.success.high! > 1 / Math.E,
        { most: 1 / Math.E },
      ),
    ],
    figures: [
      await lineFigure("kutten-theorem3", { N, trials }, [
        plotted("measured", "2 ln n candidates", reports, ({ messages, success }) => rateAt(messages.mean!, success)),
        plotted("measured", "few candidates", [lonely, poor[1]], ({ messages, success }) =>
          rateAt(messages.mean!, success),
        ),
        computed("reference", "1/e", [lonely.messages.mean!, rich.messages.mean!], () => 1 / Math.E),
      ]),
    ],
  };
});
