/** Raz et al., sections V-A and V-B, Figs. 10 and 11: Skip-Reset and choice. */
import { basicCost, choiceCost, naiveCost, type Range, skipResetCost } from "../theory/raz.ts";
import { Descent } from "../theory/raz-descent.ts";
import type { Claim } from "./claim.ts";
import { claim, item, percent } from "./raz-claim.ts";
import { type Curve, drawn, printedAt, tunedCurve } from "./raz-figure.ts";
import { type CostOf, council, N, OPEN, RANGES, SINGLE, SIZES, spaced, tuned, WIDE } from "./raz-setting.ts";

export const fig10 = item("fig10", async (bench) => {
  const { figure, agreement } = await drawn(bench, "Fig. 10", "raz-fig10", {
    curves: [
      { ...tunedCurve("basic", "basic", basicCost, WIDE), jackpot: (n) => n },
      tunedCurve("Skip-Reset", "skip-reset", skipResetCost, WIDE),
    ],
    ...SIZES,
    paper: { messages: printedAt([N, 9.2]) },
  });
  const at = (cost: CostOf) => cost(500, { ...WIDE, c: 5.8 }).rounds;
  const [basic, better] = [at(basicCost), at(skipResetCost)];
  const own = 1 - tuned(skipResetCost, 500, WIDE).rounds / tuned(basicCost, 500, WIDE).rounds;
  const messages = [300, N, 1e6].map((n) => tuned(skipResetCost, n, WIDE).messages);
  const others = RANGES.slice(1).map(([name, range]) => {
    const [slow, quick] = [tuned(basicCost, 100_000, range), tuned(skipResetCost, 100_000, range)];
    return { name, T: 1 - quick.rounds / slow.rounds, N: slow.messages / quick.messages };
  });
  return {
    claims: [
      agreement,
      claim("skip-reset-gain", 100 * (1 - better / basic), (x) => Math.abs(x - 13) < 1, {
        rounds: basic - better,
        own,
      }),
      claim("skip-reset-messages", messages[1], (x) => Math.abs(x - 9.2) < 0.1, {
        messages: skipResetCost(N, { ...WIDE, c: 6.6 }).messages,
        gain: 1 - skipResetCost(500, { ...WIDE, c: 6.6 }).rounds / basicCost(500, { ...WIDE, c: 6.6 }).rounds,
      }),
      claim("skip-reset-linear", Math.max(...messages) - Math.min(...messages), (x) => x < 0.1),
      claim(
        "skip-reset-others",
        Math.min(...others.map(({ N }) => N)),
        (x) => x > 100 && others.every(({ T }) => T > 0),
        { others: others.map(({ name, T }) => `${percent(T, 0)} (${name})`) },
      ),
      proportional(),
      basicAbove(),
    ],
    figures: [figure],
  };
});

/** Section VI on Skip-Reset: N = cT. */
function proportional(): Claim {
  const off = RANGES.flatMap(([, range]) =>
    [0.3, 0.6, 0.9].map((share) => {
      const c = range.L + share * (range.U + 1 - range.L);
      const { rounds, messages } = skipResetCost(1000, { ...range, c });
      return Math.abs(messages / (c * rounds) - 1);
    }),
  );
  return claim("skip-reset-proportional", Math.max(...off) < 1e-10 ? "equal to 10 digits" : "different", (words) =>
    words.startsWith("equal"),
  );
}

/** Section VI on the basic algorithm: N > cT, for every number m of active hosts. */
function basicAbove(): Claim {
  const n = 500;
  const plan = { ...WIDE, c: 5.8 };
  const least = (reading: "repaired" | "printed") => {
    const whole = basicCost(n, { ...plan, reading });
    const descent = new Descent({ ...plan, draws: 1, history: false });
    const ratios = spaced(WIDE.U + 1, n, 1).map((m) => {
      const { rounds, messages, under, underMean } = descent.at(m);
      const poll = reading === "printed" ? underMean : n * under;
      return (messages + poll + under * whole.messages) / (plan.c * (rounds + under * (1 + whole.rounds)));
    });
    return Math.min(...ratios);
  };
  return claim("basic-above", least("repaired"), (x) => x > 1, { printed: least("printed") });
}

export const fig11 = item("fig11", async (bench) => {
  const plan = { ...WIDE, c: 5.6 };
  const curve = (name: string, protocol: string, cost: CostOf): Curve => ({
    name,
    cost: (n) => cost(n, plan),
    request: (n) => council(protocol, n, plan),
  });
  const { figure, agreement } = await drawn(bench, "Fig. 11", "raz-fig11", {
    curves: [curve("Skip-Reset", "skip-reset", skipResetCost), curve("choice", "choice", choiceCost)],
    ...SIZES,
    paper: { rounds: printedAt([N, 1.1]) },
  });
  const [skip, choice] = [skipResetCost(N, plan), choiceCost(N, plan)];
  const naive = naiveCost(N, { ...WIDE, c: 5.8 });
  const [plain, chosen] = [basicCost(500, { ...WIDE, c: 5.8 }), choiceCost(500, { ...WIDE, c: 5.8, base: "basic" })];
  const typical = [100, 1000, N, 1e6].map((n) => tuned(choiceCost, n, OPEN));
  const atOnce = (range: Range) => {
    const { c } = tuned(choiceCost, N, range);
    return new Descent({ ...range, c, draws: 2, history: false }).outcomes(N, c / N).within;
  };
  const narrow = tuned(skipResetCost, N, { L: 8, U: 8 }).messages;
  return {
    claims: [
      agreement,
      claim("five-ninths", 1 - (1 - 1 / 3) ** 2, (x) => Math.abs(x - 5 / 9) < 1e-12),
      claim("skip-reset-rounds", skip.rounds, (x) => x < 1.4, { best: tuned(skipResetCost, N, WIDE).rounds }),
      claim("choice-rounds", choice.rounds, (x) => x.toFixed(1) === "1.1"),
      claim("choice-messages", choice.messages / skip.messages, (x) => x > 1.8),
      claim("naive-between", naive.messages / skip.messages, (x) => x > 1 && naive.messages < choice.messages, {
        skipReset: tuned(skipResetCost, N, WIDE).messages,
        naive,
      }),
      claim("choice-on-basic", chosen.messages / plain.messages, (x) => x < 1 && chosen.rounds < plain.rounds, {
        plain,
        chosen,
      }),
      claim("choice-at-once", atOnce(WIDE), (x) => x > 0.9),
      claim("choice-typical", atOnce(OPEN), (x) => x > 0.99, { typical, single: atOnce(SINGLE) }),
      claim("choice-1001", typical[2].rounds, () => typical.every(({ rounds }) => rounds.toFixed(3) === "1.001"), {
        typical,
      }),
      claim("choice-not-optimal", typical[2].messages / tuned(skipResetCost, N, OPEN).messages, (x) => x > 1),
      claim("leader-skip-reset", tuned(skipResetCost, N, SINGLE).rounds, (x) => x < 2.6),
      claim("leader-choice", tuned(choiceCost, N, SINGLE).rounds, (x) => x < 1.6),
      claim("one-to-fourteen", narrow, (x) => x <= 14, { narrow, naive: tuned(naiveCost, N, { L: 8, U: 8 }).messages }),
    ],
    figures: [figure],
  };
});
