/** Ramanathan et al., section 4: Theorems 6, 7 and 9, Tables 5 to 7 under every schedule and with random delays, Figs. 6 to 8. */
import { type ExploreRequest, explore } from "../../explorer/explore.ts";
import { slowestDecision } from "../../explorer/search/schedules.ts";
import { quorum } from "../../protocols/complete/quorum.ts";
import { ratioOf } from "../../statistics/fits.ts";
import { rateOf } from "../../statistics/intervals.ts";
import type { Report } from "../../statistics/report.ts";
import { expectedContenders } from "../../theory/ramanathan/ramanathan.ts";
import { defaultRounds, design } from "../../theory/ramanathan/sigma.ts";
import { type PlayedTrace, play } from "../../trace/played.ts";
import { type DeclaredRun, over } from "../claim.ts";
import { above, afterRepair, all, atMost, enoughRuns, failing, failsAtMost, given, verdictOr } from "../criteria.ts";
import { bound, growthOf, measured, reference } from "../draw.ts";
import { drawn, movesOf } from "../play.ts";
import { ramanathan } from "../texts.ts";

const UNIFORM = { kind: "uniform", min: 0, max: 1 } as const;
const ALPHAS = [2, 3];
const SIZES = [256, 512, 1024, 2048, 4096, 8192];
const SIZE = 2048;

const timed = (n: number, params = {}): DeclaredRun[0] => ({ protocol: "tournament-async", n, params, delay: UNIFORM });
const spreadOver = (mediator: string): DeclaredRun => [
  { protocol: "tournament-async", n: 512, params: { mediator, spread: 10 } },
  [100, 1000],
];

ramanathan("theorems6to9", {
  alphas: over(ALPHAS, (alpha) => [timed(SIZE, { sigma: "alpha", alpha }), [20, 200]]),
  growth: over({ quick: [256, 1024, 8192], full: SIZES }, (n) => [timed(n), n < 4000 ? [8, 60] : [3, 15]]),
  printed: [timed(SIZE, { reading: "tables" }), [8, 60]],
  first: spreadOver("first"),
  eager: spreadOver("eager"),
})(({ alphas, growth, printed, first, eager }, { tell, claims, draw }) => {
  const slope = growthOf(growth, ({ messages }) => messages);
  const roundsOf = (size: number) => defaultRounds(design(size), 1 / size);
  // Contenders that enter the second phase, relative to what the synchronous rule would leave.
  const excess = growth.map(
    ({ n, measures }) => measures.survivors.mean! / expectedContenders(design(n), roundsOf(n))[roundsOf(n)],
  );
  // How far the contenders that follow round j exceed n/alpha^j, at most.
  const beyond = alphas.map(({ series }, i) =>
    Math.max(...series.contenders.slice(1).map((x, j) => (x * ALPHAS[i] ** (j + 1)) / SIZE)),
  );
  const rounds = alphas.map(({ series }) => series.contenders.length - 1);
  const contenders = (i: number) => alphas[i].series.contenders.map((y, j) => ({ x: j + 1, y }));
  const fewer = ratioOf(eager.measures.survivors, first.measures.survivors);
  const settled = excess.every((ratio) => ratio > 1) && excess[excess.length - 1] < 1.5 * excess[0];
  const inTime = growth.every((row) => row.rounds.max! <= 2 * roundsOf(row.n) + 11);
  tell({ n: SIZE, J: roundsOf(SIZE), alphaRounds: rounds.join(" and "), bases: ALPHAS.join(" and "), excess });
  tell({ perProcess: growth[growth.length - 1].messages.mean! / 8192, slowest: growth.map((row) => row.rounds.max) });
  claims({
    "async-halving": [
      Math.max(...beyond),
      all(
        beyond.every((ratio) => ratio <= 1),
        rounds.every((J, i) => J <= Math.log(SIZE) / Math.log(ALPHAS[i])),
        enoughRuns(alphas, 20),
      ),
    ],
    "async-more": afterRepair(all(settled, enoughRuns(growth, 3))),
    "async-messages": [slope, afterRepair(atMost(slope, 1))],
    "async-time": all(
      inTime,
      printed.rounds.max! <= 2 * roundsOf(SIZE) + 8,
      enoughRuns(growth, 3),
      enoughRuns([printed], 8),
    ),
    "async-eager": [fewer, all(atMost(fewer, 1), above(failing(eager), failing(first)) !== "holds")],
  });
  draw("ramanathan-theorems6to9", [
    ALPHAS.flatMap((alpha, i) => [
      measured(`α = ${alpha}`, contenders(i)),
      bound(`α = ${alpha}`, contenders(i), ({ x }) => ({ x, y: SIZE / alpha ** (x - 1) })),
    ]),
    [measured("tournament-async", growth, ({ messages }) => messages), reference("10 n", SIZES, (x) => 10 * x)],
  ]);
});

/** Instants in a τ where delays may differ. */
const TAU = 2;
const SETTINGS = [
  ["RE, n = 100", { protocol: "tournament-async", n: 100 }],
  ["RE, n = 1000", { protocol: "tournament-async", n: 1000 }],
  ["PQ, n = 100", { protocol: "quorum", n: 100 }],
] as const;
const read = (reading: string, quick: number) =>
  over(SETTINGS, ([, request]) => [{ ...request, delay: UNIFORM, params: { reading } }, [quick, 1000]]);

/** Any two quorums of two among three meet, so nobody may lead twice, and somebody must lead. */
export const contest = (more: Partial<ExploreRequest>, params: ExploreRequest["params"]): ExploreRequest => ({
  n: 3,
  ids: [1, 2, 3],
  timed: 1,
  choices: 1,
  ...more,
  params: { s: 2, ...params },
});

ramanathan("table5", {
  tables: read("tables", 50),
  prose: read("printed", 150),
  repaired: read("repaired", 50),
  fixed: [{ ...SETTINGS[1][1], params: { reading: "tables" } }, [50, 1000]],
})(({ tables, prose, repaired, fixed }, { tell, claims, draw, ...bench }) => {
  const nobody = explore(quorum, contest({ properties: ["some-leader"] }, { reading: "tables" }));
  const two = explore(quorum, contest({ properties: ["at-most-one-leader"] }, { reading: "tables", spread: 1 }));
  const unled = explore(quorum, contest({ properties: ["some-leader"] }, { reading: "printed", spread: 2 }));
  bench.step("Tables 5 to 7: every schedule, repaired");
  const properties = ["some-leader", "at-most-one-leader"];
  const spread = bench.trials(2, 3);
  const searched = [
    explore(quorum, contest({ properties }, {})),
    explore(quorum, contest({ properties }, { spread })),
    explore(quorum, contest({ properties, timed: 2, initiators: [0, 1] }, {})),
  ];
  bench.step("Theorem 8: every schedule with its time");
  const [printedTime, repairedTime] = ["tables", "repaired"].map((reading) =>
    slowestDecision("quorum", contest({ timed: TAU }, { reading }), bench.effort === "quick" ? "first" : "all"),
  );
  const { trials } = fixed;
  const share = (reports: readonly Report[], i: number, outcome: "none" | "many") =>
    rateOf(reports[i].outcomes[outcome], reports[i].trials);
  const [lost, several] = [share(tables, 1, "none"), share(tables, 2, "many")];
  const [fewerLost, fewerSeveral] = [share(prose, 1, "none"), share(prose, 2, "many")];
  const steps = (found: typeof nobody) =>
    found.violation === null
      ? "no schedule found"
      : `nobody leads after ${found.violation.steps.length} steps, three processes`;
  const bars = (name: string, reports: readonly Report[], outcome: "none" | "many") =>
    measured(name, SETTINGS, ([x], i) => ({ ...share(reports, i, outcome), x, y: share(reports, i, outcome).rate }));
  tell({ trials, nobody, two: two.violation === null ? "nothing else breaks" : "two lead", printedTime });
  tell({ share: fixed.outcomes.none / trials, unled });
  tell({ none: repaired.reduce((sum, { outcomes }) => sum + outcomes.none, 0), elections: SETTINGS.length * trials });
  tell({ searches: searched.length, spread, slowest: printedTime.slowest / TAU });
  tell({ slower: repairedTime.slowest / TAU });
  claims({
    "tables-printed": [steps(nobody), nobody.violation === null && two.violation === null],
    "prose-printed": [steps(unled), unled.violation === null],
    "tables-random-delays": [lost, failsAtMost(lost, 1 / Math.log2(1000))],
    "prose-random-delays": [fewerLost, failsAtMost(fewerLost, 1 / Math.log2(1000))],
    "tables-pq": [several, failsAtMost(several, 1 / Math.log2(100))],
    "prose-pq": [fewerSeveral, failsAtMost(fewerSeveral, 1 / Math.log2(100))],
    "tables-repaired": given(
      searched.map(({ complete, violation }) => ({ complete, sound: violation === null })),
      (found) => afterRepair(found.every(({ complete, sound }) => complete && sound)),
    ),
    "seven-tau": given(printedTime.slowest, (slowest) => slowest <= 7 * TAU),
    "seven-tau-repaired": given(repairedTime.slowest, (slowest) => slowest <= 10 * TAU),
  });
  draw("ramanathan-table5", [
    bars("tables alone: nobody leads", tables, "none"),
    bars("tables alone: several lead", tables, "many"),
    bars("tables with prose: nobody leads", prose, "none"),
    bars("tables with prose: several lead", prose, "many"),
    bars("repaired: nobody leads", repaired, "none"),
    bars("repaired: several lead", repaired, "many"),
  ]);
});

const NAMES = ["C1", "C2", "C3", "M1", "M2", "M3", "C4"];

/** A figure with its first n nodes, played as printed or repaired. */
function played(figure: string, reading: "tables" | "repaired", n: number, timed: number): PlayedTrace {
  const ids = Array.from({ length: n }, (_, node) => node + 1);
  const initiators = [0, 1, 2, 6].filter((node) => node < n);
  const request = { n, ids, initiators, timed, params: { s: 2, reading }, choices: 4 };
  return play("quorum", request, movesOf(figure), NAMES.slice(0, n));
}

const isRefusal = (message: unknown) => (message as { kind: string }).kind === "NAK";

ramanathan("fig6")((_ran, { claims, draw }) => {
  const [printed, repaired] = (["tables", "repaired"] as const).map((one) => played("ramanathan-fig6", one, 7, 3));
  const asDrawn = [printed, repaired].every(
    ({ verdicts, events }) =>
      verdicts.every((status, node) => (status === "elected") === (node === 0)) &&
      verdicts[6] === "not-elected" &&
      events.some(
        (event) => event.do === "deliver" && event.from === 3 && event.node === 6 && isRefusal(event.message),
      ),
  );
  const found = asDrawn ? "C1 wins, the late one is refused, in both readings" : "another one wins";
  claims({ "fig6-winner": [found, given(asDrawn, (drawn) => drawn)] });
  draw("ramanathan-fig6", drawn(repaired));
});

ramanathan("fig7")((_ran, { tell, claims, draw }) => {
  const repaired = played("ramanathan-fig7", "repaired", 5, 2);
  const printed = played("ramanathan-fig7-printed", "tables", 5, 2);
  const leads = repaired.verdicts[1] === "elected";
  const nobody = !printed.verdicts.includes("elected");
  tell({ nobody: nobody ? "nobody leads" : "somebody leads", leads: leads ? "C2 leads" : "C2 does not lead" });
  claims({ "fig7-next": given({ leads, nobody }, (found) => verdictOr(found.leads && !found.nobody, found.leads)) });
  draw("ramanathan-fig7", drawn(repaired));
  draw("ramanathan-fig7-printed", drawn(printed));
});

ramanathan("fig8")((_ran, { tell, claims, draw }) => {
  const [printed, repaired] = (["tables", "repaired"] as const).map((one) => played("ramanathan-fig8", one, 6, 2));
  const both = [repaired, printed].every(({ verdicts }) => verdicts[2] === "elected" && verdicts[0] !== "elected");
  const mediators = [3, 5].map(
    (node) => (printed.state(node) as { member: { mediator: { state: string } | null } }).member.mediator,
  );
  const remembered = mediators.some((mediator) => mediator?.state === "final");
  tell({ remembered: remembered ? "some mediators still remember it" : "no mediator remembers it" });
  claims({ "fig8-winner": [both ? "C3 wins, in both readings" : "another one wins", given(both, (drawn) => drawn)] });
  draw("ramanathan-fig8", drawn(repaired));
});
