/** Ramanathan et al., Table 1: the rows whose algorithms we have. */
import { rateOf } from "../statistics/intervals.ts";
import type { Report } from "../statistics/report.ts";
import { quorumMiss } from "../theory/ramanathan.ts";
import { quorumSize } from "../theory/sigma.ts";
import type { Bench } from "./claim.ts";
import { computed, exponentOf, lineFigure, meanAt, plotted } from "./draw.ts";
import { textsOf } from "./texts.ts";
import { afterRepair } from "./verdict.ts";

const { claim, item, worded } = textsOf("ramanathan");

const QUORUMS = [64, 128, 256, 512];
const GROUPS = [100, 1000, 5000];
const TOURNAMENTS = [256, 1024, 4096];
const RING = 256;

async function measured(bench: Bench, request: Parameters<Bench["simulate"]>[0], trials: number): Promise<Report> {
  return bench.simulate(request, trials);
}

/** Both ends of a row of sizes, with ids 100 times as large for the ring that counts in them. */
async function rings(bench: Bench) {
  const ids = (factor: number) => Array.from({ length: RING }, (_, node) => factor * (node + 1));
  const inStep = { n: RING, host: "lockstep" } as const;
  const bounded = await bench.each(
    [
      ["chang-roberts", "decreasing"],
      ["hirschberg-sinclair", "decreasing"],
      ["peterson", "random"],
    ] as const,
    ([protocol, order]) => measured(bench, { protocol, ids: order, ...inStep }, 10),
  );
  const [small, large] = [
    await measured(bench, { protocol: "time-slice", n: RING, ids: ids(1) }, 1),
    await measured(bench, { protocol: "time-slice", n: RING, ids: ids(100) }, 1),
  ];
  return { bounded, small, large };
}

export const table1 = item("table1", async (bench) => {
  const quorum = await bench.each(QUORUMS, (n) =>
    measured(bench, { protocol: "quorum", n, params: { timing: "sync" } }, bench.trials(3, 10)),
  );
  const slope = exponentOf(quorum.map(({ n, messages }) => meanAt(n, messages)));
  const small = await measured(
    bench,
    { protocol: "quorum", n: 64, params: { timing: "sync" } },
    bench.trials(1000, 10_000),
  );
  const failing = rateOf(small.trials - small.outcomes.one, small.trials);
  const relays = await bench.each(GROUPS, (n) =>
    measured(bench, { protocol: "filter-relay", n, params: { K: 10 } }, bench.trials(30, 200)),
  );
  const unicasts = relays.map(({ measures }) => measures.unicasts);
  const growth = exponentOf(unicasts.map((summary, i) => meanAt(GROUPS[i], summary)));
  const { bounded, small: early, large: late } = await rings(bench);
  const least = Math.min(...bounded.map(({ messages }) => (messages.max! - RING) / (RING * Math.log2(RING))));
  const re = await bench.each(TOURNAMENTS, (n) => measured(bench, { protocol: "tournament", n }, bench.trials(6, 40)));
  const linear = exponentOf(re.map(({ n, messages }) => meanAt(n, messages)));
  const rounds = Math.max(...re.map(({ n, rounds }) => rounds.max! / Math.log2(n)));
  const one = re.reduce((sum, { outcomes }) => sum + outcomes.one, 0);
  const all = re.reduce((sum, { trials }) => sum + trials, 0);
  return {
    claims: [
      claim("quorum-messages", slope, slope.interval[0] <= 1.5, {
        smallest: quorum[0].messages.mean! / 64 ** 1.5,
        largest: quorum[3].messages.mean! / 512 ** 1.5,
      }),
      worded(
        "quorum-direct",
        () =>
          quorum.every(
            ({ n, messages, rounds }) =>
              messages.mean === 2 * n * quorumSize(n) && messages.sd === 0 && rounds.max === 1,
          ),
        { quorum, rounds: Math.max(...quorum.map(({ rounds }) => rounds.max!)) },
      ),
      claim(
        "quorum-correct",
        failing,
        // Two leaders need the second largest rank to miss the largest, or a smaller one to miss two.
        failing.low! <= quorumMiss(64, quorumSize(64)) && small.outcomes.none === 0,
        { miss: quorumMiss(64, quorumSize(64)) },
      ),
      claim("gupta-misquoted", growth, growth.interval[1] > 0.5, {
        unicasts: unicasts.map(({ mean }) => Math.round(mean!)),
      }),
      worded("ring-bound", least >= 0.5 && late.rounds.max! > 50 * early.rounds.max!, { RING, least, early, late }),
      claim(
        "election-cost",
        linear,
        afterRepair(linear.interval[0] <= 1 && rounds <= 1 && rateOf(all - one, all).low! <= Math.log(256) / 256),
        { TOURNAMENTS, rounds, one, all },
      ),
    ],
    figures: [
      await lineFigure("ramanathan-table1", {}, [
        plotted("measured", "probabilistic quorum", quorum, ({ n, messages }) => meanAt(n, messages)),
        computed("theory", "probabilistic quorum", QUORUMS, (n) => 2 * n * quorumSize(n)),
        plotted("measured", "randomized leader election", re, ({ n, messages }) => meanAt(n, messages)),
        plotted("measured", "Gupta et al., unicasts", unicasts, (summary, i) => meanAt(GROUPS[i], summary)),
        computed("bound", "Gupta et al., K^4·n as quoted", GROUPS, (n) => 10 ** 4 * n),
      ]),
    ],
  };
});
