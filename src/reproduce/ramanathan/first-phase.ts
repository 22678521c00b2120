/** Ramanathan et al., the first phase: Figs. 1 and 2, played move by move, and Lemma 1, the halving of the contenders. */
import type { ExploreRequest } from "../../explorer/explore.ts";
import { predict } from "../../registry/all.ts";
import { questionOf } from "../../simulation/question.ts";
import { scaled } from "../../statistics/fits.ts";
import { rateOf } from "../../statistics/intervals.ts";
import type { Report } from "../../statistics/report.ts";
import { aloneInBins, halvingRatios } from "../../theory/ramanathan/printed.ts";
import { expectedContenders, survivorsOfCollisions } from "../../theory/ramanathan/ramanathan.ts";
import { defaultRounds, design, expectedSurvivors, quorumSize, roundedSigma } from "../../theory/ramanathan/sigma.ts";
import { binomialProbability } from "../../theory/raz/replies.ts";
import { type PlayedTrace, play } from "../../trace/played.ts";
import { type DeclaredRun, over } from "../claim.ts";
import { afterRepair, all, atMost, enoughRuns, equalTo, failsAtMost, given, is, near, verdictOr } from "../criteria.ts";
import { measured, reference, theory } from "../draw.ts";
import { drawn, movesOf } from "../play.ts";
import { ramanathan } from "../texts.ts";

/** Large enough for the share to have settled. */
const LARGER = 512;

/** By round of a synchronous run: who sends each request, or receives it, numbered from 1 as in the figure. */
function asking({ events }: PlayedTrace, does: "send" | "deliver"): number[][] {
  const rounds: number[][] = [];
  for (const event of events) {
    if (event.do !== does) continue;
    const { kind, round } = event.message as { kind: string; round: number };
    if (kind !== "ask") continue;
    rounds[round - 1] ??= [];
    rounds[round - 1].push(event.node + 1);
  }
  return rounds;
}

const nobodyIn = ({ outcomes, trials }: Report) => rateOf(outcomes.none, trials);
const afterRounds = (n: number, J: number): DeclaredRun[0] => ({ protocol: "tournament", n, params: { J } });

ramanathan("fig1", {
  rounds: over([0, 1, 2], (J) => [afterRounds(8, J), [2000, 20_000]]),
  larger: [{ protocol: "tournament", n: LARGER }, [200, 2000]],
})(({ rounds, larger }, { tell, claims, draw }) => {
  const n = 8;
  const request: ExploreRequest = { n, ids: [1, 2, 3, 4, 5, 6, 7, 8], params: { J: 2 }, choices: 2 };
  const played = play("tournament", request, movesOf("ramanathan-fig1"), "12345678".split(""));
  const leader = played.verdicts.indexOf("elected") + 1;
  const [sent, received] = (["send", "deliver"] as const).map((does) => asking(played, does));
  const contenders = sent.map((some) => [...new Set(some)].sort((a, b) => a - b));
  const gone = [...contenders.slice(1), [leader]].map((some) => some.join(" ")).join("; ");
  const nested = contenders.every((some, j) => j === 0 || some.every((one) => contenders[j - 1].includes(one)));
  const sizes = [...[1, 2].map((j) => roundedSigma(design(n), j).least), quorumSize(n)].join(", ");
  const nobody = nobodyIn(larger);
  tell({ LARGER, J: defaultRounds(design(LARGER), 1 / LARGER), empty: nobodyIn(rounds[2]).rate });
  claims({
    "fig1-rounds": [gone.split("; ").length - 1, (x) => x === Math.log2(n) - 1],
    "table2-sets": [
      received.map(({ length }) => length).join(", "),
      given(
        { nested, sent, received },
        (sets) => sets.nested && sets.sent.every(({ length }, j) => length === sets.received[j].length),
      ),
    ],
    "fig1-balls": [sizes, is(sizes, "1, 2, 5")],
    "fig1-contenders": [gone, is(gone, "2 4 5 6; 5 6; 6")],
    "fig1-somebody-left": [nobody, failsAtMost(nobody, 1 / Math.log2(LARGER))],
  });
  draw("ramanathan-fig1", drawn(played));
  draw("ramanathan-fig1-rounds", [
    measured("no leader", rounds, nobodyIn),
    theory("no leader", rounds.xs, (J) => predict(questionOf(afterRounds(8, J))).pNone),
  ]);
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

ramanathan("fig2")((_ran, { claims, draw }) => {
  const request: ExploreRequest = {
    n: 4,
    ids: [1, 2, 3, 4],
    initiators: [0, 1, 2],
    // So that one request a round is enough, sigma is little more than 1; the coin that rounds it says 0.
    params: { J: 3, s: 2, sigma: "alpha", alpha: 1.01, rounding: "stochastic" },
    choices: 2,
  };
  const ahead = (node: number, last: string) =>
    ["", " with 0 3", "", ` with ${last}`].map((draws) => `deliver ${node}->${node}${draws}`);
  const moves = ["start 1 2 with 0 3 0 3", ...ahead(1, "0 1"), ...ahead(2, "0 0"), "start 0 with 0 2", "deliver 0->3"];
  const stages = [[], ["deliver 1->3"], ["deliver 1->3", "deliver 2->3", "deliver 3->2"]];
  const played = stages.map((more) => play("tournament-async", request, [...moves, ...more], ["A", "B", "C", "M"]));
  const vectors = played.map((one) => (one.state(3) as { winners: readonly (number | null)[] }).winners);
  const shown = vectors
    .map((winners) => `[${winners.map((port) => (port === null ? "0" : "ABC"[port])).join(" ")}]`)
    .join(", ");
  const race = Object.entries(RACE)
    .map(([order, moves]) => {
      const { verdicts } = play("tournament-async", RACERS, ["start 0 1 with 3 0", ...moves]);
      const left = [0, 1].filter((node) => verdicts[node] !== "not-elected").map((node) => "AB"[node]);
      return `${order}: ${left.join() || "nobody"}`;
    })
    .join("; ");
  claims({
    "fig2-vector": [
      shown,
      given(
        { shown, third: played[2].verdicts[2] },
        (found) => found.shown === "[A], [A 0 B], [A 0 B]" && found.third === "not-elected",
      ),
    ],
    "fig2-race": [race, is(race, "different orders: nobody; same order: A")],
  });
  draw("ramanathan-fig2", drawn(played[2]));
});

const N = 1024;
/** n = 2^64: Lemma 1 has a range of 28 rounds. */
const LARGE = 64;
const LAST = defaultRounds(design(N), 1 / N);

/** After 1, 2, ... rounds. Short of the last, the second phase would cost most and tell nothing: a small quorum is enough. */
const afterEach = (rounding: "ceil" | "stochastic") =>
  over(
    Array.from({ length: LAST }, (_, j) => j + 1),
    (J) => [{ protocol: "tournament", n: N, params: { J, rounding, s: 1 } }, [40, 1000]],
  );

ramanathan("lemma1", { roundedUp: afterEach("ceil"), byCoin: afterEach("stochastic") })(
  ({ roundedUp, byCoin }, { tell, claims, draw }) => {
    const J = LAST;
    const [{ trials }] = roundedUp;
    const [up, coin] = [roundedUp, byCoin].map((reports) => reports.map(({ measures }) => measures.survivors));
    const halved = (i: number) => N / 2 ** i;
    // Entry k belongs to X_(k+2).
    const ratio = (some: typeof up, k: number) => scaled(some[k], (x) => x / halved(k + 1));
    const ratios = up.map((_, k) => ratio(up, k).mean!);
    const least = ratios.indexOf(Math.min(...ratios));
    // The lemma's factors (1 ± O(1/log² n))^(i-1), with the constant 1.
    const allowed = (k: number) => (1 + 1 / Math.log2(N) ** 2) ** (k + 1) - 1;
    // The lemma speaks of 1 < i <= log n - 6 log log n, which is empty at n = 1024.
    const [whole, computed] = (["whole", "computed"] as const).map((sigma) => halvingRatios(LARGE, sigma));
    const allows = (ratio: number, i: number) => Math.abs(ratio - 1) <= (1 + LARGE ** -2) ** (i + 1) - 1;
    const varied = up.map(({ sd, mean }) => sd! ** 2 / mean!);
    // The relative error of a variance is about sqrt(2 / trials).
    const spreadError = 1.96 * Math.sqrt(2 / (trials - 1));
    const widest = Math.max(...varied);
    const off = Math.max(
      ...up.map((_, j) => {
        const sigma = roundedSigma(design(N), j + 1).least;
        return Math.abs(
          survivorsOfCollisions(N, sigma, halved(j)) / expectedSurvivors(design(N), j + 1, halved(j)) - 1,
        );
      }),
    );
    const afterFirst = expectedContenders(design(N), 1)[1];
    const four = aloneInBins(4);
    const p = four.mean / 4;
    const early = [0, 1].map((k) => ratio(coin, k).mean!.toFixed(2)).join(" and ");
    const counted = (some: typeof up) => [{ x: 1, y: N }, ...some.map((s, i) => ({ ...s, x: i + 2, y: s.mean }))];
    const expected = (rounding: "ceil" | "stochastic") =>
      expectedContenders(design(N, { rounding }), J).map((y, i) => ({ x: i + 1, y }));
    tell({
      LARGE,
      last64: whole.length + 1,
      exactly: computed[computed.length - 1],
      N,
      J,
      trials,
      i: least + 2,
      small: ratios[least],
      last: J + 1,
      early,
      allowed: 100 * allowed(J - 1),
      atEnd: ratios[J - 1],
    });
    tell({ afterFirst, off: 100 * off, chance: 4 * p ** 3 * (1 - p), varied });
    claims({
      halving: [
        Math.min(...whole),
        given([whole, computed], ([rounded, exact]) => verdictOr(rounded.every(allows), exact.every(allows))),
      ],
      "halving-at-end": [ratio(coin, J - 1), afterRepair(near(ratio(coin, J - 1), 1, allowed(J - 1)))],
      "one-round": [up[0], all(equalTo(up[0], afterFirst, 0.02 * afterFirst), off < 0.01)],
      "more-than-one": [
        Math.min(...up.slice(0, -1).map(({ min }) => min!)),
        afterRepair(
          all(
            up.slice(0, -1).every(({ min }) => min! > 1),
            enoughRuns(roundedUp, 40),
          ),
        ),
      ],
      binomial: [
        four.chances[3],
        four.chances.every((chance, k) => Math.abs(chance - binomialProbability(k, 4, p)) < 1e-9),
      ],
      variance: [
        { ours: widest, interval: [widest * (1 - spreadError), widest * (1 + spreadError)] },
        atMost({ interval: [widest * (1 - spreadError), widest * (1 + spreadError)] }, 1 + 1 / Math.log2(N) ** 2, 1.25),
      ],
    });
    draw("ramanathan-lemma1", [
      measured("σ rounded up", counted(up)),
      theory("σ rounded up", expected("ceil")),
      measured("σ rounded by a coin", counted(coin)),
      theory("σ rounded by a coin", expected("stochastic")),
      reference("n/2^(i-1)", expected("ceil"), ({ x }) => ({ x, y: halved(x - 1) })),
    ]);
  },
);
