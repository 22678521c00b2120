/** Raz et al., section VI, Fig. 14: history, and the bound of section VI-A. */
import { chernoff, choiceCost, historyBound, historyCost, naiveCost, skipResetCost } from "../theory/raz.ts";
import { Descent } from "../theory/raz-descent.ts";
import type { Claim } from "./claim.ts";
import { computed } from "./draw.ts";
import { claim, decimal, item } from "./raz-claim.ts";
import { drawn, tunedCurve } from "./raz-figure.ts";
import { type CostOf, N, RANGES, rangesUpTo, SINGLE, SIZES, tuned, WIDE } from "./raz-setting.ts";

export const fig14 = item("fig14", async (bench) => {
  const { figure, agreement } = await drawn(bench, "Fig. 14", "raz-fig14", {
    curves: [
      tunedCurve("Skip-Reset", "skip-reset", skipResetCost, SINGLE),
      tunedCurve("choice", "choice", choiceCost, SINGLE),
      tunedCurve("history", "history", historyCost, SINGLE),
    ],
    ...SIZES,
    paper: { rounds: computed("bound", "bound 2.467", [SIZES.dense[0], 100_000], () => 2.467) },
  });
  const [skip, history, choice] = [skipResetCost, historyCost, choiceCost].map((cost) => tuned(cost, N, SINGLE));
  const same = (cost: CostOf) => cost(N, { ...SINGLE, c: 1.1 });
  const gain = 1 - same(historyCost).rounds / same(skipResetCost).rounds;
  const [ownT, ownN] = [1 - history.rounds / skip.rounds, 1 - history.messages / skip.messages];
  const wide = (cost: CostOf) => cost(N, { ...WIDE, c: 5.6 }).messages;
  const apart = same(skipResetCost).rounds - same(historyCost).rounds;
  return {
    claims: [
      agreement,
      claim("history-rounds", 100 * ownT, (x) => x >= 5 && x <= 6, { gain, apart }),
      claim("history-messages", 100 * ownN, (x) => Math.abs(x - 0.25) < 0.1, {
        gain,
        wide: 1 - wide(historyCost) / wide(skipResetCost),
      }),
      claim("history-choice-rounds", 100 * (1 - choice.rounds / skip.rounds), (x) => Math.abs(x - 40) < 5),
      claim("history-choice-messages", 100 * (choice.messages / skip.messages - 1), (x) => Math.abs(x - 5) < 2.5, {
        same: same(choiceCost).messages / same(skipResetCost).messages - 1,
      }),
      proportional(),
      neverSlower(),
      ...bound(),
    ],
    figures: [figure],
    values: { ownT },
  };
});

/** Equation (12). */
function proportional(): Claim {
  const off = RANGES.flatMap(([, range]) =>
    [2, 10, 50, 1000].map((above) => {
      const c = range.L + 0.6 * (range.U + 1 - range.L);
      const { rounds, messages } = historyCost(range.U + above, { ...range, c });
      return Math.abs(messages / (c * rounds) - 1);
    }),
  );
  return claim("history-proportional", Math.max(...off), (x) => x < 1e-10);
}

/** The motivation of section VI. */
function neverSlower(): Claim {
  const added = [...rangesUpTo(8), ...[1, 2, 4, 8].map((U) => ({ L: U, U }))].map((range) => {
    const { c, rounds } = tuned(skipResetCost, N, range);
    return historyCost(N, { ...range, c }).rounds - rounds;
  });
  const large = { ...SINGLE, c: 1.9 };
  return claim("history-never-slower", Math.max(...added), (x) => x <= 0, {
    more: historyCost(N, large).rounds - skipResetCost(N, large).rounds,
  });
}

/** Section VI-A: the numbers of the bound, the bound, and its proof. */
function bound(): Claim[] {
  const T = (m: number) => historyCost(m, { ...SINGLE, c: 1.1 }).rounds;
  const monotone = Array.from({ length: 400 }, (_, i) => i + 3).every((m) => T(m) > T(m - 1));
  const large = 1e7;
  const one = 1 / naiveCost(large, { ...SINGLE, c: 1.1 }).rounds;
  const {
    under: none,
    over,
    first,
  } = new Descent({ ...SINGLE, c: 1.1, draws: 1, history: true }).outcomes(large, 1.1 / large);
  const tail = over.reduce((sum, p, k) => sum + (first + k > 6.6 ? p : 0), 0);
  const rare = chernoff(5, 1.1);
  const printed = historyBound(large, 1.1, 5);
  const repaired = (1 + (1 - rare - one - none) * T(6)) / (1 - rare - none);
  return [
    decimal("chernoff", rare, { tail }),
    decimal("bound-t6", T(6)),
    claim("bound-monotone", monotone ? "increasing to m = 402" : "not increasing", () => monotone),
    decimal("bound-one", one),
    decimal("bound-evaluates", printed),
    claim("bound-rounds", T(large), (x) => monotone && x <= 2.467, { above: printed / T(large) - 1 }),
    claim("bound-messages", historyCost(large, { ...SINGLE, c: 1.1 }).messages, (x) => x <= 1.1 * 2.467, {
      bound: 1.1 * 2.467,
    }),
    claim("bound-proof", repaired, (x) => x <= 2.467, { none }),
  ];
}
