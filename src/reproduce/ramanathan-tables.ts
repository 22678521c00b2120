/** Ramanathan et al., Tables 5 to 7: the second phase under every schedule at small n, and at large n with random delays. */

import { type ExploreRequest, explore } from "../explorer/explore.ts";
import { quorum } from "../protocols/complete/quorum.ts";
import { wilson } from "../statistics/intervals.ts";
import type { Report } from "../statistics/report.ts";
import type { Part, Reproduction } from "./claim.ts";
import { slowestDecision } from "./decision-time.ts";
import { lineFigure, rateAt } from "./draw.ts";
import { exactly, measuredRate, verdictIf } from "./verdict.ts";
import { numberText } from "./words.ts";

/** Instants in a τ where delays may differ. */
const TAU = 2;
const UNIFORM = { kind: "uniform", min: 0, max: 1 } as const;

/** Any two quorums of two among three meet, so nobody may lead twice, and somebody must lead. */
const contest = (more: Partial<ExploreRequest>, params: ExploreRequest["params"]): ExploreRequest => ({
  n: 3,
  ids: [1, 2, 3],
  timed: 1,
  choices: 1,
  ...more,
  params: { s: 2, ...params },
});

export const table5: Reproduction = {
  paper: "ramanathan",
  name: "table5",
  title: "Tables 5 to 7 and Theorems 8 and 10: the second phase",
  async run(bench): Promise<Part> {
    bench.step("Tables 5 to 7: every schedule, as printed");
    const nobody = explore(quorum, contest({ properties: ["some-leader"] }, { reading: "printed" }));
    const two = explore(quorum, contest({ properties: ["at-most-one-leader"] }, { reading: "printed", spread: 1 }));
    bench.step("Tables 5 to 7: every schedule, repaired");
    const properties = ["some-leader", "at-most-one-leader"];
    const together = explore(quorum, contest({ properties }, {}));
    const spread = explore(quorum, contest({ properties }, { spread: bench.trials(2, 3) }));
    const slow = explore(quorum, contest({ properties, timed: 2, initiators: [0, 1] }, {}));
    const searched = [together, spread, slow];
    const states = searched.reduce((sum, { states }) => sum + states, 0);
    const sound = searched.every(({ complete, violation }) => complete && violation === null);

    bench.step("Theorem 8: every schedule with its time");
    const [printedTime, repairedTime] = ["printed", "repaired"].map((reading) =>
      slowestDecision("quorum", contest({ timed: TAU }, { reading })),
    );

    const trials = bench.trials(150, 1000);
    const settings = [
      ["RE, n = 100", { protocol: "tournament-async", n: 100 }],
      ["RE, n = 1000", { protocol: "tournament-async", n: 1000 }],
      ["PQ, n = 100", { protocol: "quorum", n: 100 }],
    ] as const;
    const rows: { what: string; printed: Report; repaired: Report }[] = [];
    for (const [what, request] of settings) {
      bench.step(`Tables 5 to 7: ${what}`);
      rows.push({
        what,
        printed: await bench.simulate({ ...request, delay: UNIFORM, params: { reading: "printed" } }, trials),
        repaired: await bench.simulate({ ...request, delay: UNIFORM }, trials),
      });
    }
    const fixed = await bench.simulate(
      { protocol: "tournament-async", n: 1000, params: { reading: "printed" } },
      trials,
    );
    const large = rows[1];
    const lost = wilson(large.printed.outcomes.none, trials);
    const several = wilson(rows[2].printed.outcomes.many, trials);
    const unled = rows.reduce((sum, { repaired }) => sum + repaired.outcomes.none, 0);
    const bars = (outcome: "none" | "many", reading: "printed" | "repaired") =>
      rows.map((row) => rateAt(row.what, wilson(row[reading].outcomes[outcome], trials)));
    return {
      claims: [
        {
          section: "Tables 5 to 7, Theorem 10",
          statement: "As printed: exactly one contender is left at the end, where quorums meet",
          paper: "one leader",
          ours:
            nobody.violation === null
              ? "no schedule found"
              : `nobody leads after ${nobody.violation.steps.length} steps, three processes`,
          interval: null,
          verdict: verdictIf(nobody.violation === null && two.violation === null),
          note: `Found among all schedules (${nobody.states.toLocaleString("en-GB")} configurations visited): no failure, every message within τ, every two quorums meet. In others ${two.violation === null ? "nothing else breaks" : "two lead"}. [Everybody loses](everybody-loses.md) draws the run.`,
        },
        {
          section: "Theorem 10",
          statement: "As printed, with random delays: a unique leader with high probability",
          paper: "with high probability",
          ...measuredRate(lost),
          verdict: verdictIf(lost.low! <= 1 / Math.log2(1000)),
          note: `Share of elections in which nobody leads: RE, n = 1000, delays uniform in 0..τ (criterion: not more than 1/log n). With one fixed delay for all messages it is ${fixed.outcomes.none / trials}: then requests reach all mediators in the same order.`,
        },
        {
          section: "Tables 5 to 7",
          statement: "As printed, the quorum alone (PQ): a unique leader with high probability",
          paper: "with high probability",
          ...measuredRate(several),
          verdict: verdictIf(several.low! <= 1 / Math.log2(100)),
          note: "Share of elections with several leaders, PQ, n = 100, same criterion: a DEC from anybody frees the lock of the holder.",
        },
        {
          section: "Theorem 10, repaired",
          statement: "Exactly one leader in every schedule in which quorums meet",
          paper: "one leader",
          ours: `no violation in ${states.toLocaleString("en-GB")} configurations`,
          interval: null,
          verdict: verdictIf(sound, "holds after repair"),
          note: `Keep the waiter through close-safe and promote it on DEC; hear DEC only from holder or waiter. Complete searches: three contenders together, with starts apart, and two with delays of 1 or 2. With random delays nobody leads in ${unled} of ${rows.length * trials} elections.`,
        },
        {
          section: "Theorem 8",
          statement: "A contender knows after at most 7τ whether it has won: tables as printed",
          paper: "7τ",
          ...exactly(`${printedTime.slowest / TAU}τ`),
          verdict: verdictIf(printedTime.slowest <= 7 * TAU),
          note: `The slowest of all schedules, three contenders that start together, every message after τ/2 or τ (${numberText(printedTime.visited)} configurations at their instants). True of tables that may elect nobody.`,
        },
        {
          section: "Theorem 8",
          statement: "A contender knows after at most 7τ whether it has won: tables that elect somebody",
          paper: "7τ",
          ...exactly(`${repairedTime.slowest / TAU}τ`),
          verdict: verdictIf(repairedTime.slowest <= 7 * TAU),
          note: `The same schedules, repaired tables. The proof forgets that a contender may wait through close-safe as well: τ for the request, 3τ in safe, 3τ in close-safe, τ for the answer and 2τ for POTW are 10τ.`,
        },
      ],
      figures: [
        await lineFigure("ramanathan-table5", {
          title: "Elections that fail, as printed and repaired",
          caption: `delays uniform in 0..τ, no failures, ${trials} elections each, seed 1, 95% intervals (Wilson)`,
          x: { label: "protocol" },
          y: { label: "share of elections", domain: [0, 1] },
          series: [
            { name: "printed: nobody leads", kind: "measured", points: bars("none", "printed") },
            { name: "printed: several lead", kind: "measured", points: bars("many", "printed") },
            { name: "repaired: nobody leads", kind: "measured", points: bars("none", "repaired") },
            { name: "repaired: several lead", kind: "measured", points: bars("many", "repaired") },
          ],
        }),
      ],
      text:
        "The state machines of Tables 5 to 7 are the weak spot of the paper. A mediator that hears a potential winner refuses the contender that waits, although the potential winner may just have been " +
        "pre-empted elsewhere, and a DEC frees a lock whoever sent it. So with random delays nobody leads in most elections, or several do. The explorer finds the shortest such run, and finds none " +
        "once the two rules are repaired. Other slips had to be mended before the printed tables could run at all: row 1 of Table 6 forgets the ACK and the last init of Table 7 has its arguments swapped. What is left of failures after the repair are quorums that miss each other, which the paper accepts.",
    };
  },
};
