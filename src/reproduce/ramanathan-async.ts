/** Ramanathan et al., Theorems 6, 7 and 9 about the asynchronous protocol. */
import { wilson } from "../statistics/intervals.ts";
import type { Report } from "../statistics/report.ts";
import { expectedContenders } from "../theory/ramanathan.ts";
import { defaultRounds } from "../theory/sigma.ts";
import type { Part, Reproduction } from "./claim.ts";
import { exponentOf, meanAt, panelFigure, ratioOf } from "./draw.ts";
import { design } from "./ramanathan-design.ts";
import { exactly, verdictIf } from "./verdict.ts";

const UNIFORM = { kind: "uniform", min: 0, max: 1 } as const;
const ALPHAS = [2, 3];
const SIZES = [256, 512, 1024, 2048, 4096, 8192];

export const asynchronous: Reproduction = {
  paper: "ramanathan",
  name: "theorems6to9",
  title: "Theorems 6, 7 and 9: the asynchronous protocol",
  async run(bench): Promise<Part> {
    const n = 2048;
    const alphas: Report[] = [];
    for (const alpha of ALPHAS) {
      bench.step(`Theorem 6: alpha = ${alpha}`);
      const params = { sigma: "alpha", alpha };
      alphas.push(
        await bench.simulate({ protocol: "tournament-async", n, params, delay: UNIFORM }, bench.trials(20, 200)),
      );
    }
    const growth: Report[] = [];
    for (const size of SIZES) {
      bench.step(`Theorem 7: n = ${size}`);
      growth.push(
        await bench.simulate(
          { protocol: "tournament-async", n: size, delay: UNIFORM },
          bench.trials(size < 4000 ? 8 : 3, size < 4000 ? 60 : 15),
        ),
      );
    }
    bench.step("Theorem 9: as printed");
    const printed = await bench.simulate(
      { protocol: "tournament-async", n, delay: UNIFORM, params: { reading: "printed" } },
      bench.trials(8, 60),
    );
    const slope = exponentOf(growth.map(({ n, messages }) => meanAt(n, messages)));
    const roundsOf = (size: number) => defaultRounds(design(size), 1 / size);
    const slowest = growth.map(({ n, rounds }) => ({ n, rounds: rounds.max! }));
    // Contenders that enter the second phase, relative to what the synchronous rule would leave.
    const excess = growth.map(
      ({ n, measures }) => measures.survivors.mean! / expectedContenders(design(n), roundsOf(n))[roundsOf(n)],
    );
    bench.step("section 4.1: the better solution");
    const spread = (mediator: string) =>
      bench.simulate(
        { protocol: "tournament-async", n: 512, params: { mediator, spread: 10 } },
        bench.trials(100, 1000),
      );
    const first = await spread("first");
    const eager = await spread("eager");
    const failing = (report: Report) => wilson(report.trials - report.outcomes.one, report.trials);
    // How far the contenders that follow round j exceed n/alpha^j, at most.
    const above = alphas.map(({ series, parameters }) =>
      Math.max(...series.contenders.slice(1).map((x, j) => (x * (parameters.alpha as number) ** (j + 1)) / n)),
    );
    const alphaRounds = alphas.map(({ series }) => series.contenders.length - 1);
    const contenders = (i: number) => alphas[i].series.contenders.map((y, j) => ({ x: j + 1, y }));
    const fewer = ratioOf(eager.measures.survivors, first.measures.survivors);
    return {
      claims: [
        {
          section: "Theorem 6",
          statement: "With σ_j = α^(j/2), at most n/α^j contenders follow round j, so rounds are O(log n)",
          paper: "E[X_(j+1)]·α^j/n ≤ 1",
          ...exactly(Math.max(...above)),
          verdict: verdictIf(
            above.every((ratio) => ratio <= 1) && alphaRounds.every((J, i) => J <= Math.log(n) / Math.log(ALPHAS[i])),
          ),
          note: `The largest ratio over the rounds, n = ${n}, delays uniform in 0..τ; ${alphaRounds.join(" and ")} rounds with α = ${ALPHAS.join(" and ")}, fewer than log_α n.`,
        },
        {
          section: "section 4.1",
          statement: "More contenders go on than in the synchronous phase, which does not affect the complexity",
          paper: "more, but no other order",
          ...exactly(`${excess.map((ratio) => ratio.toFixed(1)).join(", ")} times as many for n = 2^8 to 2^13`),
          verdict: verdictIf(
            excess.every((ratio) => ratio > 1) && excess[excess.length - 1] < 1.5 * excess[0],
            "holds after repair",
          ),
          note: "Survivors of the first phase, σ_j as in the synchronous protocol, relative to the recursion of Lemma 1: of two that collide one goes on. The factor does not grow with n (the fixed point of c = 2(1 - 2^-c) / ln 2 is 2.3). With the repaired number of rounds.",
        },
        {
          section: "Theorem 7",
          statement: "The total number of messages is O(n)",
          paper: "exponent at most 1",
          ...slope,
          verdict: verdictIf(slope.interval[0] <= 1, "holds after repair"),
          note: `Fitted over n = 2^8 to 2^13, ${(growth[growth.length - 1].messages.mean! / 8192).toFixed(1)} messages a process at the end. With the number of rounds repaired as for Theorem 5 (as printed, see there: O(n) in the limit), and the second phase as below.`,
        },
        {
          section: "Theorem 9",
          statement: "A contender knows whether it has won within O(τ log n)",
          paper: "2τ a round, and 7τ",
          ...exactly(`${slowest.map(({ rounds }) => rounds.toFixed(1)).join(", ")} τ for n = 2^8 to 2^13`),
          verdict: verdictIf(
            slowest.every((row) => row.rounds <= 2 * roundsOf(row.n) + 11) &&
              printed.rounds.max! <= 2 * roundsOf(n) + 8,
          ),
          note: `The last message of any election. Both readings of the tables: at most 2J + 11 τ repaired, where the second phase takes up to 10τ and a decline one more; 2J + 8 τ as printed (${printed.rounds.max!.toFixed(1)} τ at n = ${n}, J = ${roundsOf(n)}).`,
        },
        {
          section: "section 4.1",
          statement:
            "Refusing requests below the highest set entry of V reduces the contenders and keeps the correctness",
          paper: "fewer contenders",
          ...fewer,
          verdict: verdictIf(fewer.interval[1] < 1 && failing(eager).low! <= failing(first).high!),
          note: `Survivors of the first phase with mediator=eager relative to the default, n = 512, starts spread over 10τ; ${eager.outcomes.one} of ${eager.trials} elections have one leader, ${first.outcomes.one} with the default. When all start together it changes little.`,
        },
      ],
      figures: [
        await panelFigure("ramanathan-theorems6to9", {
          title: "The asynchronous first phase, and all messages",
          caption: `delays uniform in 0..τ, seed 1; left ${alphas[0].trials}, right ${growth[0].trials} elections a point (fewer from 4096 on), 95% intervals`,
          columns: 2,
          panels: [
            {
              title: `contenders of round j, n = ${n}`,
              x: { label: "round j" },
              y: { label: "contenders", log: true },
              series: [
                { name: "α = 2", kind: "measured", points: contenders(0) },
                { name: "α = 2", kind: "bound", points: contenders(0).map(({ x }) => ({ x, y: n / 2 ** (x - 1) })) },
                { name: "α = 3", kind: "measured", points: contenders(1) },
                { name: "α = 3", kind: "bound", points: contenders(1).map(({ x }) => ({ x, y: n / 3 ** (x - 1) })) },
              ],
            },
            {
              title: "messages, σ as in the synchronous protocol",
              x: { label: "n (processes)", log: true },
              y: { label: "messages", log: true },
              series: [
                {
                  name: "tournament-async",
                  kind: "measured",
                  points: growth.map(({ n, messages }) => meanAt(n, messages)),
                },
                { name: "10 n", kind: "reference", points: SIZES.map((x) => ({ x, y: 10 * x })) },
              ],
            },
          ],
        }),
      ],
      text:
        "In the asynchronous first phase the first request for a slot gets it, so that one of two colliding contenders goes on. The left panel has the contenders below the paper's n/α^j (dotted) in " +
        "each round, the right one the messages along a line of slope 1. Section 4.1 says that the numbers of mediators are those of the synchronous protocol, the proof of Theorem 6 " +
        "takes α^(j/2); both are built, and both work.",
    };
  },
};
