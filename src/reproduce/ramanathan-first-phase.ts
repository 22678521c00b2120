/** Ramanathan et al., the drawn examples of the first phase: Figs. 1 and 2, played move by move. */

import type { ExploreRequest } from "../explorer/explore.ts";
import { rateOf } from "../statistics/intervals.ts";
import { noSurvivor } from "../theory/ramanathan.ts";
import { quorumSize, roundedSigma } from "../theory/sigma.ts";
import { lineFigure, plotted, rateAt } from "./draw.ts";
import { drawn, movesOf, type Played, play } from "./play.ts";
import { design } from "./ramanathan-design.ts";
import { textsOf } from "./texts.ts";

const { claim, item } = textsOf("ramanathan");

/** Large enough for the share to have settled. */
const LARGER = 512;

/** Who asks in round 1, 2, ... of a synchronous run, numbered from 1 as in the figure. */
function contendersOf({ events }: Played): number[][] {
  const rounds: Set<number>[] = [];
  for (const event of events) {
    if (event.do !== "send") continue;
    const { kind, round } = event.message as { kind: string; round: number };
    if (kind !== "ask") continue;
    rounds[round - 1] ??= new Set();
    rounds[round - 1].add(event.node + 1);
  }
  return rounds.map((some) => [...some].sort((a, b) => a - b));
}

export const fig1 = item("fig1", async (bench) => {
  const n = 8;
  const request: ExploreRequest = { n, ids: [1, 2, 3, 4, 5, 6, 7, 8], params: { J: 2 }, choices: 2 };
  const played = play("tournament", request, movesOf("ramanathan-fig1"));
  const leader = played.verdicts.indexOf("elected") + 1;
  const gone = [...contendersOf(played).slice(1), [leader]].map((some) => some.join(" "));
  const sizes = [...[1, 2].map((j) => roundedSigma(design(n), j).least), quorumSize(n)].join(", ");
  const nobodyAfter = async (size: number, J: number, trials: number) => {
    const report = await bench.simulate({ protocol: "tournament", n: size, params: { J } }, trials);
    return { J, report, nobody: rateOf(report.outcomes.none, report.trials) };
  };
  const rounds = await bench.each([0, 1, 2], (J) => nobodyAfter(n, J, bench.trials(2000, 20_000)));
  const larger = await nobodyAfter(LARGER, Math.log2(LARGER) - 1, bench.trials(200, 2000));
  const { nobody } = rounds[2];
  return {
    claims: [
      claim("fig1-balls", sizes, sizes === "1, 2, 5"),
      claim("fig1-contenders", gone.join("; "), gone.join("; ") === "2 4 5 6; 5 6; 6"),
      claim(
        "fig1-somebody-left",
        nobody,
        nobody.low! <= 1 / Math.log2(n) && larger.nobody.low! <= 1 / Math.log2(LARGER),
        { larger, LARGER, formula: Math.log2(n) - 6 * Math.log2(Math.log2(n)) + 1 },
      ),
    ],
    figures: [
      drawn("ramanathan-fig1", played),
      await lineFigure("ramanathan-fig1-rounds", { rounds }, [
        plotted("measured", "no leader", rounds, ({ J, nobody }) => rateAt(J, nobody)),
        plotted("theory", "no leader", rounds, ({ J, report }) => ({
          x: J,
          y: noSurvivor(report.measures.survivors.mean!),
        })),
      ]),
    ],
  };
});

/** A and B are nodes 0 and 1, with 2 and 3 as mediators of both. */
const RACERS: ExploreRequest = {
  n: 4,
  ids: [1, 2, 3, 4],
  initiators: [0, 1],
  params: { J: 1, s: 2, sigma: "alpha", alpha: 4 },
  choices: 8,
};
const ANSWERS = ["deliver 2->1", "deliver 3->1", "deliver 2->0"];
const RACE = {
  "different orders": ["deliver 0->2", "deliver 1->2", "deliver 1->3", "deliver 0->3", ...ANSWERS, "deliver 3->0"],
  // A draws its rank and its quorum when it goes on.
  "same order": ["deliver 0->2", "deliver 1->2", "deliver 0->3", "deliver 1->3", ...ANSWERS, "deliver 3->0 with 0 0 0"],
};

export const fig2 = item("fig2", async (_bench) => {
  const request: ExploreRequest = {
    n: 4,
    ids: [1, 2, 3, 4],
    initiators: [0, 1, 2],
    // So that one request a round is enough, sigma is little more than 1; the coin that rounds it says 0.
    params: { J: 3, s: 2, sigma: "alpha", alpha: 1.01, rounding: "stochastic" },
    choices: 2,
  };
  const ahead = (node: number, last: string) => [
    `deliver ${node}->${node}`,
    `deliver ${node}->${node} with 0 3`,
    `deliver ${node}->${node}`,
    `deliver ${node}->${node} with ${last}`,
  ];
  const moves = ["start 1 2 with 0 3 0 3", ...ahead(1, "0 1"), ...ahead(2, "0 0"), "start 0 with 0 2"];
  const stages = [
    ["deliver 0->3"],
    ["deliver 0->3", "deliver 1->3"],
    ["deliver 0->3", "deliver 1->3", "deliver 2->3", "deliver 3->2"],
  ];
  const played = stages.map((more) => play("tournament-async", request, [...moves, ...more], ["A", "B", "C", "M"]));
  const vectors = played.map((one) => (one.state(3) as { winners: readonly (number | null)[] }).winners);
  const shown = vectors.map((winners) => `[${winners.map((port) => (port === null ? "0" : "ABC"[port])).join(" ")}]`);
  const refused = played[2].verdicts[2];
  const race = Object.entries(RACE).map(([order, moves]) => {
    const { verdicts } = play("tournament-async", RACERS, ["start 0 1 with 3 0", ...moves]);
    return `${order}: ${
      [0, 1]
        .filter((node) => verdicts[node] !== "not-elected")
        .map((node) => "AB"[node])
        .join() || "nobody"
    }`;
  });
  return {
    claims: [
      claim("fig2-vector", shown.join(", "), shown.join() === "[A],[A 0 B],[A 0 B]" && refused === "not-elected"),
      claim("fig2-race", race.join("; "), race.join("; ") === "different orders: nobody; same order: A"),
    ],
    figures: [drawn("ramanathan-fig2", played[2])],
  };
});
