/** Ramanathan et al., the drawn examples of the first phase: Figs. 1 and 2, played move by move. */

import type { ExploreRequest } from "../explorer/explore.ts";
import { wilson } from "../statistics/intervals.ts";
import { noSurvivor } from "../theory/ramanathan.ts";
import { quorumSize, roundedSigma } from "../theory/sigma.ts";
import type { Part, Reproduction } from "./claim.ts";
import { lineFigure, rateAt } from "./draw.ts";
import { drawn, type Played, play } from "./play.ts";
import { design } from "./ramanathan-design.ts";
import { exactly, measuredRate, verdictIf } from "./verdict.ts";

/** Large enough for the share to have settled. */
const LARGER = 512;

const FIG1_MOVES = [
  "start with 1 6 7 5 6 7 0 7",
  "round",
  "round with 27 25 6 0",
  "round",
  "round with 55 0 0 19 1 0",
  "round",
  "round",
];

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

export const fig1: Reproduction = {
  paper: "ramanathan",
  name: "fig1",
  title: "Fig. 1: the synchronous protocol for n = 8",
  async run(bench): Promise<Part> {
    bench.step("Fig. 1");
    const n = 8;
    const request: ExploreRequest = { n, ids: [1, 2, 3, 4, 5, 6, 7, 8], params: { J: 2 }, choices: 2 };
    const played = play("tournament", request, FIG1_MOVES);
    const leader = played.verdicts.indexOf("elected") + 1;
    const gone = [...contendersOf(played).slice(1), [leader]].map((some) => some.join(" "));
    const sizes = [...[1, 2].map((j) => roundedSigma(design(n), j).least), quorumSize(n)].join(", ");
    const nobodyAfter = async (size: number, J: number, trials: number) => {
      const report = await bench.simulate({ protocol: "tournament", n: size, params: { J } }, trials);
      return { J, report, nobody: wilson(report.outcomes.none, report.trials) };
    };
    const rounds = [];
    for (const J of [0, 1, 2]) rounds.push(await nobodyAfter(n, J, bench.trials(2000, 20_000)));
    const larger = await nobodyAfter(LARGER, Math.log2(LARGER) - 1, bench.trials(200, 2000));
    const { nobody } = rounds[2];
    return {
      claims: [
        {
          section: "Fig. 1",
          statement: "Contenders cast 1, then 2 balls, and 5 in the second phase",
          paper: "1, 2, 5",
          ...exactly(sizes),
          verdict: verdictIf(sizes === "1, 2, 5"),
          note: "σ_j = √(n ln 2 / (E_j - 1)) with the design value E_j = n/2^(j-1) is 0.89 and 1.36, √(n ln n) is 4.08: rounded up, all of them.",
        },
        {
          section: "Fig. 1",
          statement: "Contenders 2, 4, 5, 6 go on, then 5 and 6, and 6 leads",
          paper: "2 4 5 6; 5 6; 6",
          ...exactly(gone.join("; ")),
          verdict: verdictIf(gone.join("; ") === "2 4 5 6; 5 6; 6"),
          note: "Played with the figure's balls (examples/scenarios/ramanathan-fig1.txt).",
        },
        {
          section: "Fig. 1, section 3",
          statement:
            "log2 n - 1 rounds, 2 for n = 8, leave a small, nonzero number of contenders with high probability",
          paper: "somebody is left",
          ...measuredRate(nobody),
          verdict: verdictIf(nobody.low! <= 1 / Math.log2(n) && larger.nobody.low! <= 1 / Math.log2(LARGER)),
          note: `The share of elections in which these two rounds leave nobody (criterion: not more than 1/log n); ${larger.nobody.rate!.toFixed(2)} of those with n = ${LARGER} and ${larger.J} rounds. The formula of section 3.1 would give w = ${(Math.log2(n) - 6 * Math.log2(Math.log2(n)) + 1).toFixed(1)}, no first phase at all; ours has none at this size either, and the second phase decides alone.`,
        },
      ],
      figures: [
        drawn(
          "ramanathan-fig1",
          "Fig. 1: eight contenders, two rounds and a quorum",
          "node k - 1 is contender k of the paper",
          played,
        ),
        await lineFigure("ramanathan-fig1-rounds", {
          title: "n = 8: elections without a leader, by rounds of the first phase",
          caption: `${rounds[0].report.trials} elections a point, seed 1, 95% intervals (Wilson); dashed: e^-x for a mean of x survivors`,
          x: { label: "J (rounds of the first phase)" },
          y: { label: "share without a leader" },
          series: [
            {
              name: "no leader",
              kind: "measured",
              points: rounds.map(({ J, nobody }) => rateAt(J, nobody)),
            },
            {
              name: "no leader",
              kind: "theory",
              points: rounds.map(({ J, report }) => ({ x: J, y: noSurvivor(report.measures.survivors.mean!) })),
            },
          ],
        }),
      ],
      text:
        "The example of the paper runs as drawn when its balls fall as drawn. As a recipe it is unlucky: two rounds halve eight contenders to about one " +
        "expected survivor, and in almost half of all elections to none. The number of rounds is the one thing in the synchronous protocol that has to be repaired (see section 3.1 below).",
    };
  },
};

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

export const fig2: Reproduction = {
  paper: "ramanathan",
  name: "fig2",
  title: "Fig. 2: a mediator's vector V",
  async run(bench): Promise<Part> {
    bench.step("Fig. 2");
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
        {
          section: "Fig. 2",
          statement: "A gets round 1, B gets round 3, and the next request for round 3 is refused; entry 2 stays empty",
          paper: "[A], [A 0 B], [A 0 B]",
          ...exactly(shown.join(", ")),
          verdict: verdictIf(shown.join() === "[A],[A 0 B],[A 0 B]" && refused === "not-elected"),
          note: "The text calls the refused contender C, the caption D; one of them is a slip.",
        },
        {
          section: "section 4.1",
          statement:
            "A and B ask C and D: neither goes on if the two hear them in different orders, one goes on if in the same",
          paper: "nobody, one",
          ...exactly(race.join("; ")),
          verdict: verdictIf(race.join("; ") === "different orders: nobody; same order: A"),
          note: "Played move by move; round 1, two mediators each.",
        },
      ],
      figures: [
        drawn(
          "ramanathan-fig2",
          "Fig. 2: mediator M and contenders A, B and C",
          "time is the number of the step",
          played[2],
        ),
      ],
      text:
        "The vector of a mediator in the asynchronous first phase: the first request for each round gets the entry, whatever the other entries say. The run shows the paper's " +
        "four states (examples/scenarios/ramanathan-fig2.txt).",
    };
  },
};
