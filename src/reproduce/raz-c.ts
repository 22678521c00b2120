/** Raz et al., section V, Fig. 7: how T and N of the basic algorithm depend on c, and the rules of thumb for it. */
import { basicCost, naiveCost, type Range } from "../theory/raz.ts";
import { Descent } from "../theory/raz-descent.ts";
import { bestForMessages, heuristicMessages, heuristicRounds } from "../theory/raz-optimum.ts";
import { probability } from "../theory/raz-replies.ts";
import type { Claim } from "./claim.ts";
import { BASIC, HOSTS } from "./raz-basic.ts";
import { claim, item } from "./raz-claim.ts";
import { drawn } from "./raz-figure.ts";
import { N, RANGES, rangesUpTo, spaced, type Tuned, tuned, WIDE } from "./raz-setting.ts";

export const fig7 = item("fig7", async (bench) => {
  const { figure, agreement } = await drawn(bench, "Fig. 7", "raz-fig7", {
    curves: [BASIC],
    dense: spaced(3, 8.8, 0.05),
    sparse: [3, 4, 5, 6, 6.67, 7.5, 8, 8.5, 8.8],
  });
  const best = tuned(basicCost, HOSTS, WIDE);
  const excess = (c: number) => BASIC.cost(c).rounds / best.rounds - 1;
  const optima = [100, HOSTS, 1e6].map((n) => tuned(basicCost, n, WIDE).c);
  return {
    claims: [
      agreement,
      claim("flat-optimum", excess(3), (x) => x > 0.5 && excess(best.c - 0.7) < 0.05 && excess(best.c + 0.7) < 0.05, {
        near: Math.max(excess(best.c - 0.7), excess(best.c + 0.7)),
      }),
      claim("stable-c", Math.max(...optima) - Math.min(...optima), (x) => x < 0.1),
      ...misses(),
      ...rulesForRounds(best, excess),
      ruleForMessages(),
      sensitivity(),
      claim("worse-than-naive", tuned(basicCost, N, WIDE).rounds, (x) => x > tuned(naiveCost, N, WIDE).rounds),
    ],
    figures: [figure],
  };
});

/** Where misses fall, and what they cost: the paper's reason for its rules. */
function misses(): Claim[] {
  const rising = (m: number, c: number, { L, U }: Range) => {
    const p = (i: number) => probability(i, m, c / m);
    return p(L - 1) >= (L > 1 ? p(L - 2) : 0) && p(U + 1) >= p(U + 2);
  };
  const tried = rangesUpTo(8).flatMap((range) =>
    spaced(0.1, 0.9, 0.1).map((share) => ({ range, c: range.L + share * (range.U - range.L) })),
  );
  const nearest = tried.filter(({ range, c }) => [20, HOSTS, N].every((m) => rising(m, c, range)));
  const { c, rounds } = tuned(basicCost, HOSTS, WIDE);
  const { rounds: down, under } = new Descent({ ...WIDE, c, draws: 1, history: false }).at(WIDE.U + 1);
  const overshoot = down + under * (1 + rounds);
  return [
    claim("nearest-misses", nearest.length / tried.length, (x) => x === 1),
    claim("miss-costs", (1 + rounds) / overshoot, (x) => Math.abs(x - 2) < 0.5, { undershoot: 1 + rounds, overshoot }),
  ];
}

function rulesForRounds(best: Tuned, excess: (c: number) => number): Claim[] {
  const all = rangesUpTo(8).map((range) => ({ ...range, excess: excessOfRule(range) }));
  const worst = all.reduce((most, one) => (one.excess > most.excess ? one : most));
  const flat = all.filter((one) => one.excess < 0.05).length / all.length;
  return [
    claim("rule-rounds", best.c, () => excess(heuristicRounds(4, 8)) < 0.001),
    claim("rule-rounds-all", flat, (x) => x > 0.5, {
      worst,
      one: excessOfRule({ L: 1, U: 1 }),
      eight: excessOfRule({ L: 8, U: 8 }),
    }),
  ];
}

function excessOfRule(range: Range): number {
  const { rounds } = basicCost(HOSTS, { ...range, c: heuristicRounds(range.L, range.U) });
  return rounds / tuned(basicCost, HOSTS, range).rounds - 1;
}

function ruleForMessages(): Claim {
  const cost = (c: number) => basicCost(N, { ...WIDE, c });
  const cheapest = bestForMessages({ ...WIDE, cost, messagesUnbounded: false });
  const heuristic = heuristicMessages(N, WIDE.L, WIDE.U);
  return claim("rule-messages", cost(heuristic).messages / cost(cheapest).messages - 1, (x) => x < 0.1, {
    heuristic,
    cheapest,
  });
}

/** Excess of T where c is off by a quarter, either way, the worse of the two. */
function offByQuarter(of: typeof basicCost, range: Range): number {
  const { c, rounds } = tuned(of, HOSTS, range);
  return Math.max(...[0.75, 1.25].map((factor) => of(HOSTS, { ...range, c: factor * c }).rounds / rounds - 1));
}

function sensitivity(): Claim {
  const [basic, naive] = [basicCost, naiveCost].map((of) => RANGES.map(([, range]) => offByQuarter(of, range)));
  return claim("sensitivity", basic[0], () => basic.every((x, i) => x < naive[i]), {
    naive,
    others: RANGES.slice(1).map(([name], i) => `${name} (${basic[i + 1].toFixed(3)}, ${naive[i + 1].toFixed(3)})`),
  });
}
