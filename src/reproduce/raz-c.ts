/** Raz et al., section V, Fig. 7: how T and N of the basic algorithm depend on c, and the rules of thumb for it. */
import { basicCost, naiveCost, type Range } from "../theory/raz.ts";
import { Descent } from "../theory/raz-descent.ts";
import { bestForMessages, heuristicMessages, heuristicRounds } from "../theory/raz-optimum.ts";
import { probability } from "../theory/raz-replies.ts";
import type { Bench, Claim, Part } from "./claim.ts";
import { BASIC, HOSTS } from "./raz-basic.ts";
import { item, percent, value } from "./raz-claim.ts";
import { drawn, N, RANGES, rangesUpTo, spaced, type Tuned, tuned, WIDE } from "./raz-setting.ts";

async function fig7(bench: Bench): Promise<Part> {
  const { figure, agreement } = await drawn(bench, "Fig. 7", "raz-fig7", {
    title: "Raz et al., Fig. 7: the basic algorithm against c",
    setting: "[4, 8], n = 500",
    x: { label: "c" },
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
      value(
        "Fig. 7",
        "T is flat around the optimum and steep farther away: excess at c = 3, the optimum being at 6.67",
        '"quite steep"',
        excess(3),
        (x) => x > 0.5 && excess(best.c - 0.7) < 0.05 && excess(best.c + 0.7) < 0.05,
        `Within 0.7 of the optimum it is below ${percent(Math.max(excess(best.c - 0.7), excess(best.c + 0.7)), 0)}.`,
      ),
      value(
        "section V",
        "The dependency on c is stable for a wide range of n: the change of the best c from n = 100 to 1,000,000",
        '"fairly stable"',
        Math.max(...optima) - Math.min(...optima),
        (x) => x < 0.1,
        "For T and [4, 8]. That of N is not: its best c goes from 7.64 at n = 100 to 8.99.",
      ),
      ...misses(),
      ...rulesForRounds(best, excess),
      ruleForMessages(),
      sensitivity(),
      value(
        "section V-A",
        "The basic algorithm can be worse than the naive one: T for [4, 8], n = 10,000",
        "above 1.434",
        tuned(basicCost, N, WIDE).rounds,
        (x) => x > tuned(naiveCost, N, WIDE).rounds,
        "Each at its best c.",
      ),
    ],
    figures: [figure],
    text: "T is flat around its optimum at c = 6.67, and the rule of thumb for T hits that to two digits; it is within 7% for all ranges with L < U ≤ 8. The rule for N looks for the optimum below U, but it lies beyond: the more an undershoot costs, the nearer c moves to U + 1, and at n = 10,000 the rule pays 68% more than necessary. The remark that the basic algorithm is less sensitive to c than the naive one is the wrong way round, for every range tried.",
  };
}

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
    value(
      "section V",
      "With L < c < U an undershoot is most likely at L - 1 and an overshoot at U + 1: share of the ranges and c tried",
      "1",
      nearest.length / tried.length,
      (x) => x === 1,
      "1 ≤ L < U ≤ 8, nine c in each, 20, 500 and 10,000 hosts.",
    ),
    value(
      "section V",
      "An undershoot costs two rounds where an overshoot costs one: the ratio of the expected additional rounds, [4, 8], n = 500",
      "2",
      (1 + rounds) / overshoot,
      (x) => Math.abs(x - 2) < 0.5,
      `${(1 + rounds).toFixed(2)} rounds from an undershoot on, ${overshoot.toFixed(2)} from U + 1 active hosts on, further misses included.`,
    ),
  ];
}

function rulesForRounds(best: Tuned, excess: (c: number) => number): Claim[] {
  const all = rangesUpTo(8).map((range) => ({ ...range, excess: excessOfRule(range) }));
  const worst = all.reduce((most, one) => (one.excess > most.excess ? one : most));
  const flat = all.filter((one) => one.excess < 0.05).length / all.length;
  return [
    value(
      "section V",
      "c = L + 2(U-L)/3 lies in the flat region around the optimum for T: [4, 8]",
      "6.667",
      best.c,
      () => excess(heuristicRounds(4, 8)) < 0.001,
      "It is as good as the optimum.",
    ),
    value(
      "section V",
      'c = L + 2(U-L)/3 "should most likely" lie in the flat region: share of the ranges 1 ≤ L < U ≤ 8 where T is within 5% of the best',
      "most",
      flat,
      (x) => x > 0.5,
      `n = 500. The worst is [${worst.L}, ${worst.U}] with ${percent(worst.excess)}. For L = U, where no c is between them, it is ${percent(excessOfRule({ L: 1, U: 1 }), 0)} ([1, 1]) to ${percent(excessOfRule({ L: 8, U: 8 }), 0)} ([8, 8]).`,
    ),
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
  return value(
    "section V",
    "c = U - (U-L)(U+1)/(L+U+n+1) approximates the optimum for N: excess of N for [4, 8], n = 10,000",
    '"can be approximated"',
    cost(heuristic).messages / cost(cheapest).messages - 1,
    (x) => x < 0.1,
    `The rule stays below U (${heuristic.toFixed(3)} here), while the optimum goes on to U + 1 (${cheapest.toFixed(3)}): an undershoot costs n, so nearly any number of further rounds is cheaper.`,
  );
}

/** Excess of T where c is off by a quarter, either way, the worse of the two. */
function offByQuarter(of: typeof basicCost, range: Range): number {
  const { c, rounds } = tuned(of, HOSTS, range);
  return Math.max(...[0.75, 1.25].map((factor) => of(HOSTS, { ...range, c: factor * c }).rounds / rounds - 1));
}

function sensitivity(): Claim {
  const [basic, naive] = [basicCost, naiveCost].map((of) => RANGES.map(([, range]) => offByQuarter(of, range)));
  return value(
    "section V-A",
    "The basic algorithm's dependency on the accurate choice of c is better than the naive one's: excess of T where c is off by a quarter",
    "better",
    basic[0],
    () => basic.every((x, i) => x < naive[i]),
    `For [4, 8], n = 500; naive: ${naive[0].toFixed(3)}. Nor is it better for ${RANGES.slice(1)
      .map(([name], i) => `${name} (${basic[i + 1].toFixed(3)}, ${naive[i + 1].toFixed(3)})`)
      .join(
        ", ",
      )}. A c too small leads to undershoots, which cost the basic algorithm two rounds each, and from c = U + 1 on it never ends.`,
  );
}

export const razC = [item("fig7", "Fig. 7: the basic algorithm against c", fig7)];
