/** Raz et al., sections V-A, V-B and VI: Skip-Reset (Fig. 10), choice (Fig. 11), history (Fig. 14) and the bound of section VI-A. */

import { Descent } from "../../theory/raz/descent.ts";
import { type CostOf, tuned } from "../../theory/raz/optimum.ts";
import {
  basicCost,
  chernoff,
  choiceCost,
  historyBound,
  historyCost,
  naiveCost,
  type Range,
  skipResetCost,
} from "../../theory/raz/raz.ts";
import type { Judged } from "../claim.ts";
import { given } from "../criteria.ts";
import { bound } from "../draw.ts";
import { curves, type Line, printedAt, tunedLine } from "./figure.ts";
import { councilRequest, N, OPEN, RANGES, rangesUpTo, SINGLE, SIZES, spaced, WIDE } from "./setting.ts";

/** Section VI on Skip-Reset and history: the largest relative difference between N and cT. */
const offProportion = (cost: CostOf, ns: (range: Range) => readonly number[], shares: readonly number[]) =>
  Math.max(
    ...RANGES.flatMap(([, range]) =>
      ns(range).flatMap((n) =>
        shares.map((share) => {
          const c = range.L + share * (range.U + 1 - range.L);
          const { rounds, messages } = cost(n, { ...range, c });
          return Math.abs(messages / (c * rounds) - 1);
        }),
      ),
    ),
  );

/** Section VI on the basic algorithm: the least N/(cT) over every number m of active hosts. */
function leastAbove(reading: "repaired" | "printed"): number {
  const n = 500;
  const plan = { ...WIDE, c: 5.8 };
  const whole = basicCost(n, { ...plan, reading });
  const descent = new Descent({ ...plan, draws: 1, history: false });
  const ratios = spaced(WIDE.U + 1, n, 1).map((m) => {
    const { rounds, messages, under, underMean } = descent.at(m);
    const poll = reading === "printed" ? underMean : n * under;
    return (messages + poll + under * whole.messages) / (plan.c * (rounds + under * (1 + whole.rounds)));
  });
  return Math.min(...ratios);
}

curves("fig10", {
  section: "Fig. 10",
  lines: {
    basic: { ...tunedLine("basic", basicCost, WIDE), jackpot: (n) => n },
    "Skip-Reset": tunedLine("skip-reset", skipResetCost, WIDE),
  },
  ...SIZES,
  paper: { messages: printedAt([N, 9.2]), rounds: printedAt([N, 0.87 * tuned(basicCost, N, WIDE).rounds]) },
})((_ran, { tell, claims }) => {
  const at = (cost: CostOf, c: number) => cost(500, { ...WIDE, c }).rounds;
  const [basic, better] = [basicCost, skipResetCost].map((cost) => tuned(cost, 500, WIDE).rounds);
  const messages = [300, N, 1e6].map((n) => tuned(skipResetCost, n, WIDE).messages);
  const others = RANGES.slice(1).map(([name, range]) => {
    const [slow, quick] = [tuned(basicCost, 100_000, range), tuned(skipResetCost, 100_000, range)];
    return { name, T: 1 - quick.rounds / slow.rounds, N: slow.messages / quick.messages };
  });
  const off = offProportion(skipResetCost, () => [1000], [0.3, 0.6, 0.9]);
  tell({ rounds: basic - better });
  tell({ same: 1 - at(skipResetCost, 5.8) / at(basicCost, 5.8), apart: at(basicCost, 5.8) - at(skipResetCost, 5.8) });
  tell({ messages: skipResetCost(N, { ...WIDE, c: 6.6 }).messages });
  tell({ gain: 1 - at(skipResetCost, 6.6) / at(basicCost, 6.6) });
  tell({ others: others.map(({ name, T }) => `${(100 * T).toFixed(0)}% (${name})`), printed: leastAbove("printed") });
  claims({
    "skip-reset-gain": [100 * (1 - better / basic), (x) => Math.abs(x - 13) < 1],
    "skip-reset-messages": [messages[1], (x) => Math.abs(x - 9.2) < 0.1],
    "skip-reset-linear": [Math.max(...messages) - Math.min(...messages), (x) => x < 0.1],
    "skip-reset-others": [Math.min(...others.map(({ N }) => N)), (x) => x > 100 && others.every(({ T }) => T > 0)],
    "skip-reset-proportional": [off < 1e-10 ? "equal to 10 digits" : "different", given(off, (x) => x < 1e-10)],
    "basic-above": [leastAbove("repaired"), (x) => x > 1],
  });
});

const AT_56 = { ...WIDE, c: 5.6 };
const lineOf = (protocol: string, cost: CostOf): Line => ({
  cost: (n) => cost(n, AT_56),
  request: (n) => councilRequest(protocol, n, AT_56),
});

curves("fig11", {
  section: "Fig. 11",
  lines: { "Skip-Reset": lineOf("skip-reset", skipResetCost), choice: lineOf("choice", choiceCost) },
  ...SIZES,
  paper: { rounds: printedAt([N, 1.1]) },
})((_ran, { tell, claims }) => {
  const [skip, choice] = [skipResetCost(N, AT_56), choiceCost(N, AT_56)];
  const naive = naiveCost(N, { ...WIDE, c: 5.8 });
  const [plain, chosen] = [basicCost(500, { ...WIDE, c: 5.8 }), choiceCost(500, { ...WIDE, c: 5.8, base: "basic" })];
  const typical = [100, 1000, N, 1e6].map((n) => tuned(choiceCost, n, OPEN));
  const atOnce = (range: Range) => {
    const { c } = tuned(choiceCost, N, range);
    return new Descent({ ...range, c, draws: 2, history: false }).outcomes(N, c / N).within;
  };
  const [own, narrow] = [WIDE, { L: 8, U: 8 }].map((range) => tuned(skipResetCost, N, range));
  tell({ best: own.rounds, skipReset: own.messages, naive, plain, chosen, typical, single: atOnce(SINGLE) });
  tell({ narrow: narrow.messages, narrowNaive: tuned(naiveCost, N, { L: 8, U: 8 }).messages });
  claims({
    "five-ninths": [1 - (1 - 1 / 3) ** 2, (x) => Math.abs(x - 5 / 9) < 1e-12],
    "skip-reset-rounds": [skip.rounds, (x) => x < 1.4],
    "choice-rounds": [choice.rounds, (x) => x.toFixed(1) === "1.1"],
    "choice-messages": [choice.messages / skip.messages, (x) => x > 1.8],
    "naive-between": [naive.messages / skip.messages, (x) => x > 1 && naive.messages < choice.messages],
    "choice-on-basic": [chosen.messages / plain.messages, (x) => x < 1 && chosen.rounds < plain.rounds],
    "choice-at-once": [atOnce(WIDE), (x) => x > 0.9],
    "choice-typical": [atOnce(OPEN), (x) => x > 0.99],
    "choice-1001": [
      typical[2].rounds,
      given(
        typical.map(({ rounds }) => rounds),
        (some) => some.every((rounds) => rounds.toFixed(3) === "1.001"),
      ),
    ],
    "choice-not-optimal": [typical[2].messages / tuned(skipResetCost, N, OPEN).messages, (x) => x > 1],
    "leader-skip-reset": [tuned(skipResetCost, N, SINGLE).rounds, (x) => x < 2.6],
    "leader-choice": [tuned(choiceCost, N, SINGLE).rounds, (x) => x < 1.6],
    "one-to-fourteen": [narrow.messages, (x) => x <= 14],
  });
});

/** The motivation of section VI: what history adds to T at the best c of Skip-Reset, at most. */
const mostAdded = () =>
  Math.max(
    ...[...rangesUpTo(8), ...[1, 2, 4, 8].map((U) => ({ L: U, U }))].map((range) => {
      const { c, rounds } = tuned(skipResetCost, N, range);
      return historyCost(N, { ...range, c }).rounds - rounds;
    }),
  );

/** Section VI-A: the numbers of the bound, the bound, and its proof. */
function boundClaims(): Record<string, Judged> {
  const plan = { ...SINGLE, c: 1.1 };
  const T = (m: number) => historyCost(m, plan).rounds;
  const monotone = Array.from({ length: 400 }, (_, i) => i + 3).every((m) => T(m) > T(m - 1));
  const large = 1e7;
  const one = 1 / naiveCost(large, plan).rounds;
  const { under: none, over, first } = new Descent({ ...plan, draws: 1, history: true }).outcomes(large, 1.1 / large);
  const tail = over.reduce((sum, p, k) => sum + (first + k > 6.6 ? p : 0), 0);
  const rare = chernoff(5, 1.1);
  const printed = historyBound(large, 1.1, 5);
  const repaired = (1 + (1 - rare - one - none) * T(6)) / (1 - rare - none);
  return {
    chernoff: [rare, "digits", { tail }],
    "bound-t6": [T(6), "digits"],
    "bound-monotone": [monotone ? "increasing to m = 402" : "not increasing", given(monotone, (grows) => grows)],
    "bound-one": [one, "digits"],
    "bound-evaluates": [printed, (x) => Math.ceil(1000 * x) === 2467],
    "bound-rounds": [T(large), (x) => monotone && x <= 2.467, { above: printed / T(large) - 1 }],
    "bound-messages": [historyCost(large, plan).messages, (x) => x <= 1.1 * 2.467, { bound: 1.1 * 2.467 }],
    "bound-proof": [repaired, (x) => x <= 2.467, { none }],
  };
}

curves("fig14", {
  section: "Fig. 14",
  lines: {
    "Skip-Reset": tunedLine("skip-reset", skipResetCost, SINGLE),
    choice: tunedLine("choice", choiceCost, SINGLE),
    history: tunedLine("history", historyCost, SINGLE),
  },
  ...SIZES,
  paper: { rounds: bound("bound 2.467", [SIZES.dense[0], 100_000], () => 2.467) },
})((_ran, { tell, claims }) => {
  const [skip, history, choice] = [skipResetCost, historyCost, choiceCost].map((cost) => tuned(cost, N, SINGLE));
  const same = (cost: CostOf, c = 1.1) => cost(N, { ...SINGLE, c });
  const [ownT, ownN] = [1 - history.rounds / skip.rounds, 1 - history.messages / skip.messages];
  const wide = (cost: CostOf) => cost(N, AT_56).messages;
  tell({ ownT, gain: 1 - same(historyCost).rounds / same(skipResetCost).rounds });
  tell({ wide: 1 - wide(historyCost) / wide(skipResetCost) });
  tell({ apart: same(skipResetCost).rounds - same(historyCost).rounds });
  tell({ same: same(choiceCost).messages / same(skipResetCost).messages - 1 });
  tell({ more: same(historyCost, 1.9).rounds - same(skipResetCost, 1.9).rounds });
  claims({
    "history-rounds": [100 * ownT, (x) => x >= 5 && x <= 6],
    "history-messages": [100 * ownN, (x) => Math.abs(x - 0.25) < 0.1],
    "history-choice-rounds": [100 * (1 - choice.rounds / skip.rounds), (x) => Math.abs(x - 40) < 5],
    "history-choice-messages": [100 * (choice.messages / skip.messages - 1), (x) => Math.abs(x - 5) < 2.5],
    "history-proportional": [
      offProportion(historyCost, ({ U }) => [2, 10, 50, 1000].map((above) => U + above), [0.6]),
      (x) => x < 1e-10,
    ],
    "history-never-slower": [mostAdded(), (x) => x <= 0],
    ...boundClaims(),
  });
});
