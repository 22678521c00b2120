/** Ramanathan et al., Tables 5 to 7: the second phase under every schedule at small n, and at large n with random delays. */

import { type ExploreRequest, explore } from "../explorer/explore.ts";
import { quorum } from "../protocols/complete/quorum.ts";
import { rateOf } from "../statistics/intervals.ts";
import { slowestDecision } from "./decision-time.ts";
import { lineFigure, plotted, rateAt } from "./draw.ts";
import { textsOf } from "./texts.ts";
import { afterRepair } from "./verdict.ts";

const { claim, item, worded } = textsOf("ramanathan");

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

export const table5 = item("table5", async (bench) => {
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
  const rows = await bench.each(settings, async ([what, request]) => ({
    what,
    printed: await bench.simulate({ ...request, delay: UNIFORM, params: { reading: "printed" } }, trials),
    repaired: await bench.simulate({ ...request, delay: UNIFORM }, trials),
  }));
  const fixed = await bench.simulate({ protocol: "tournament-async", n: 1000, params: { reading: "printed" } }, trials);
  const large = rows[1];
  const lost = rateOf(large.printed.outcomes.none, trials);
  const several = rateOf(rows[2].printed.outcomes.many, trials);
  const unled = rows.reduce((sum, { repaired }) => sum + repaired.outcomes.none, 0);
  const bars = (outcome: "none" | "many", reading: "printed" | "repaired") =>
    rows.map((row) => rateAt(row.what, rateOf(row[reading].outcomes[outcome], trials)));
  return {
    claims: [
      claim(
        "tables-printed",
        nobody.violation === null
          ? "no schedule found"
          : `nobody leads after ${nobody.violation.steps.length} steps, three processes`,
        nobody.violation === null && two.violation === null,
        { nobody, two: two.violation === null ? "nothing else breaks" : "two lead" },
      ),
      claim("tables-random-delays", lost, lost.low! <= 1 / Math.log2(1000), { fixed: fixed.outcomes.none / trials }),
      claim("tables-pq", several, several.low! <= 1 / Math.log2(100)),
      worded("tables-repaired", afterRepair(sound), { unled, elections: rows.length * trials, states }),
      worded("seven-tau", printedTime.slowest <= 7 * TAU, { printedTime, slowest: printedTime.slowest / TAU }),
      worded("seven-tau-repaired", repairedTime.slowest <= 7 * TAU, { slowest: repairedTime.slowest / TAU }),
    ],
    figures: [
      await lineFigure("ramanathan-table5", { trials }, [
        plotted("measured", "printed: nobody leads", bars("none", "printed")),
        plotted("measured", "printed: several lead", bars("many", "printed")),
        plotted("measured", "repaired: nobody leads", bars("none", "repaired")),
        plotted("measured", "repaired: several lead", bars("many", "repaired")),
      ]),
    ],
  };
});
