/** Raz et al., section V, Figs. 5 and 6: the basic algorithm, its equations, and how it grows with n. */
import { basicCost, type Range } from "../theory/raz.ts";
import { Descent } from "../theory/raz-descent.ts";
import { bestForMessages } from "../theory/raz-optimum.ts";
import type { Bench, Claim } from "./claim.ts";
import { claim, deviation, item, SIGMAS } from "./raz-claim.ts";
import { type Curve, drawn } from "./raz-figure.ts";
import { council, logSpaced, N, RANGES, RUNS, remembered, spaced, tuned, WIDE } from "./raz-setting.ts";
import { afterRepair } from "./verdict.ts";

/** The n of Figs. 5 and 7. */
export const HOSTS = 500;
const basicAt = (c: number) => council("basic", HOSTS, { ...WIDE, c });

export const BASIC: Curve = {
  name: "basic",
  cost: (c) => basicCost(HOSTS, { ...WIDE, c }),
  request: basicAt,
  jackpot: () => HOSTS,
};

export const fig5 = item("fig5", async (bench) => {
  const { figure, agreement, runs } = await drawn(bench, "Fig. 5", "raz-fig5", {
    curves: [BASIC],
    dense: spaced(3, 8, 0.05),
    sparse: spaced(3, 8, 0.5),
    quick: RUNS,
  });
  const points = [...runs.get("basic")!].map(([c, { rounds }]) => ({ c, ...rounds }));
  const widths = points.map(({ mean, high }) => high! / mean! - 1);
  const width = Math.max(...widths);
  const chosen = points.reduce((least, point) => (point.mean! < least.mean! ? point : least)).c;
  const best = tuned(basicCost, HOSTS, WIDE);
  const excess = BASIC.cost(chosen).rounds / best.rounds - 1;
  return {
    claims: [
      agreement,
      claim("confidence", Number((100 * width).toFixed(2)), (x) => x < 1, {
        thousands: Math.round(10 * (100 * width) ** 2),
      }),
      claim("select-c", excess, (x) => x < 0.01, { chosen, best }),
      await equation4(bench),
      ...solving(),
    ],
    figures: [figure],
    values: { narrowest: Math.min(...widths), width },
  };
});

async function equation4(bench: Bench): Promise<Claim> {
  const plan = { ...WIDE, c: 5.8 };
  const cost = basicCost(HOSTS, plan).messages;
  const printed = basicCost(HOSTS, { ...plan, reading: "printed" }).messages;
  const { messages } = await bench.simulate(basicAt(plan.c), [4000, 20_000]);
  return claim(
    "equation4",
    messages,
    afterRepair(deviation(messages, cost) < SIGMAS && deviation(messages, printed) > SIGMAS),
    { printed, cost },
  );
}

/** What section V says about solving its linear systems. */
function solving(): Claim[] {
  const plan = { ...WIDE, c: 5.8 };
  const descent = new Descent({ ...plan, draws: 1, history: false });
  const { messages, under } = descent.at(100);
  const inner = messages + under * (HOSTS + basicCost(HOSTS, plan).messages);
  const own = basicCost(100, plan).messages;
  const large = 100_000;
  const row = descent.outcomes(large, plan.c / large);
  const reach = row.first + row.over.length - 1;
  const left = spaced(WIDE.U + 1, reach, 1).map((m) => descent.outcomes(m, plan.c / m).over.length);
  const terms = left.reduce((sum, length) => sum + length, row.over.length);
  const draws = RUNS * basicCost(large, plan).rounds;
  return [
    claim("inner-system", inner, (x) => Math.abs(x / own - 1) > 0.01, { own }),
    claim("simulation-faster", terms / draws, (x) => x > 1, { reach, terms, draws }),
  ];
}

export const fig6 = item("fig6", async (bench) => {
  const bests = new Map(RANGES.map(([name, range]) => [name, remembered((n) => tuned(basicCost, n, range))]));
  const best = (name: string, n: number) => bests.get(name)!(n);
  const { figure, agreement } = await drawn(bench, "Fig. 6", "raz-fig6", {
    curves: RANGES.map(([name, range]) => ({
      name,
      cost: (n) => best(name, n),
      request: (n) => council("basic", n, { ...range, c: best(name, n).c }),
      jackpot: (n) => n,
    })),
    dense: logSpaced(20, 100_000, 6),
    sparse: logSpaced(20, 100_000, 2),
  });
  const wider = RANGES.slice(0, 3);
  const slowest = Math.max(...wider.map(([name]) => best(name, 100_000).rounds));
  const drift = Math.max(...RANGES.map(([name]) => best(name, 100_000).rounds - best(name, 100).rounds));
  const shares = wider.map(([, range]) => cheapestShare(100_000, range));
  const [before, after] = [1e8, 1e9].map((n) => cheapestShare(n, WIDE));
  const share = best("[4, 8]", 100_000).messages / 100_000;
  return {
    claims: [
      agreement,
      claim("basic-two-rounds", slowest, (x) => x < 2, { single: best("[1, 1]", N).rounds }),
      claim("basic-drift", drift, (x) => x < 0.05),
      claim("basic-tenth", Math.max(...shares), (x) => x < 0.05, { share, single: cheapestShare(1e9, RANGES[3][1]) }),
      claim("basic-sublinear", 1 + Math.log10(after / before), (x) => x < 0.99, {
        after,
        exponent: 1 + Math.log10(shares[0] / cheapestShare(N, WIDE)),
      }),
    ],
    figures: [figure],
    values: { single: best("[1, 1]", N).rounds, share },
  };
});

/** N/n where c is the best for N. */
function cheapestShare(n: number, range: Range): number {
  const cost = (c: number) => basicCost(n, { ...range, c });
  return cost(bestForMessages({ ...range, cost, messagesUnbounded: false })).messages / n;
}
