/** Raz et al., section VII, Fig. 15: an n that is wrong, and one that changes. */
import { skipResetCost } from "../theory/raz.ts";
import { replies } from "../theory/raz-replies.ts";
import { claim, item } from "./raz-claim.ts";
import { drawn } from "./raz-figure.ts";
import { council, logSpaced, N, OPEN, RANGES, remembered, tuned, WIDE } from "./raz-setting.ts";

export const fig15 = item("fig15", async (bench) => {
  const plan = { ...OPEN, c: 5.6 };
  const wrong = remembered((estimate) => skipResetCost(N, { ...plan, estimate }));
  const factors = (perDecade: number) => logSpaced(1, 1000, perDecade).map((x) => x / 10);
  const { figure, agreement } = await drawn(bench, "Fig. 15", "raz-fig15", {
    curves: [
      { name: "Skip-Reset", cost: wrong, request: (estimate) => council("skip-reset", N, { ...plan, estimate }) },
    ],
    dense: [...new Set([...factors(30), ...logSpaced(10, 1000, 40).map((x) => x / 100)])].sort((a, b) => a - b),
    sparse: [0.1, 0.2, 0.5, 1, 2, 5, 10, 20],
  });
  const added = (factor: number) => wrong(factor).rounds - wrong(1).rounds;
  const { under, underMean } = replies(N, plan.c / (10 * N), WIDE.L, WIDE.U);
  const { within, over } = replies(N, plan.c / (10 * N), OPEN.L, OPEN.U);
  const loud = over.reduce((sum, p) => sum + p, 0) / (1 - within);
  const churn = Math.max(
    ...RANGES.flatMap(([, range]) => {
      const { c, rounds } = tuned(skipResetCost, N, range);
      return [1 / 1.1, 1.1].map((estimate) => skipResetCost(N, { ...range, c, estimate }).rounds / rounds - 1);
    }),
  );
  const dearest = Math.max(...logSpaced(11, 1000, 20).map((x) => wrong(x / 10).messages / wrong(1).messages));
  return {
    claims: [
      agreement,
      claim("too-small", added(0.1), (x) => x <= 1),
      claim("too-large", added(10), (x) => x <= 1),
      claim("too-small-messages", wrong(0.1).messages / wrong(1).messages, (x) => Math.abs(x - 10) < 0.5),
      claim("overestimate", dearest, (x) => x < 1, {
        factor: paysUpTo(added),
        five: wrong(5).rounds,
        ten: wrong(10).rounds,
        hundred: wrong(100).rounds,
        right: wrong(1).rounds,
      }),
      claim("overestimate-silent", loud, (x) => x < 1e-6, { replies: underMean / under }),
      claim("churn", churn, (x) => x < 0.05),
    ],
    figures: [figure],
    values: { added: added(10), factor: paysUpTo(added) },
  };
});

/** Where T is what it is with the right n once more, by bisection. */
function paysUpTo(added: (factor: number) => number): number {
  let [low, high] = [1.5, 10];
  while (high - low > 1e-6) {
    const middle = (low + high) / 2;
    if (added(middle) <= 0) low = middle;
    else high = middle;
  }
  return low;
}
