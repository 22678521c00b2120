/** Raz et al., section VII, Fig. 15: an n that is wrong, and one that changes. */
import { skipResetCost } from "../theory/raz.ts";
import { replies } from "../theory/raz-replies.ts";
import type { Bench, Part } from "./claim.ts";
import { item, value } from "./raz-claim.ts";
import { council, drawn, logSpaced, N, OPEN, RANGES, remembered, tuned, WIDE } from "./raz-setting.ts";

async function fig15(bench: Bench): Promise<Part> {
  const plan = { ...OPEN, c: 5.6 };
  const wrong = remembered((estimate) => skipResetCost(N, { ...plan, estimate }));
  const factors = (perDecade: number) => logSpaced(1, 1000, perDecade).map((x) => x / 10);
  const { figure, agreement } = await drawn(bench, "Fig. 15", "raz-fig15", {
    title: "Raz et al., Fig. 15: Skip-Reset with a wrong estimate of n",
    setting: "[1, 8], c = 5.6, n = 10,000",
    x: { label: "estimate over n", log: true },
    curves: [
      {
        name: "Skip-Reset",
        cost: wrong,
        request: (estimate) => council("skip-reset", N, { ...plan, estimate }),
      },
    ],
    dense: [...new Set([...factors(30), ...logSpaced(10, 1000, 40).map((x) => x / 100)])].sort((a, b) => a - b),
    sparse: [0.1, 0.2, 0.5, 1, 2, 5, 10, 20],
    rounds: { log: true },
    messages: { log: true },
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
  return {
    claims: [
      agreement,
      value("Fig. 15", "An n ten times too small costs no more than one round", "at most 1", added(0.1), (x) => x <= 1),
      value(
        "Fig. 15",
        "An n ten times too large costs no more than one round",
        "at most 1",
        added(10),
        (x) => x <= 1,
        "More than an n ten times too small.",
      ),
      value(
        "Fig. 15",
        "An n ten times too small may generate ten times the messages",
        "10",
        wrong(0.1).messages / wrong(1).messages,
        (x) => Math.abs(x - 10) < 0.5,
      ),
      value(
        "section VII",
        "It always pays to overestimate: the largest factor up to which it costs no rounds",
        "any",
        paysUpTo(added),
        (x) => added(10 * x) <= 0,
        `In messages it pays at any factor. In rounds up to this one, since c = 5.6 is too large for [1, 8] anyway (3.8 is best); beyond it fewer and fewer draws are heard: T is ${wrong(5).rounds.toFixed(2)} at a factor of 5, ${wrong(10).rounds.toFixed(2)} at 10 and ${wrong(100).rounds.toFixed(1)} at 100, against ${wrong(1).rounds.toFixed(2)}.`,
      ),
      value(
        "section VII",
        "Overestimating costs rounds in which no message is sent: share of the failed draws with replies, [1, 8], factor 10",
        "0",
        loud,
        (x) => x < 1e-6,
        `For L = 1, where every undershoot is silent. For [4, 8] a failed draw brings ${(underMean / under).toFixed(2)} replies on average.`,
      ),
      value(
        "section VII-A",
        "A small number of hosts that join or leave causes a very small degradation: the largest increase of T where n is off by a tenth",
        "very small",
        churn,
        (x) => x < 0.05,
        "[4, 8], [1, 8], [2, 4] and [1, 1], each at its best c; either way.",
      ),
    ],
    figures: [figure],
    text: `Skip-Reset is robust against a wrong n, within limits that the text states too widely. Ten times too small costs one round and ten times the messages, as it says. Ten times too large costs ${added(10).toFixed(2)} rounds, more than the "one round", and more than the error in the other direction, while it does save messages. So overestimating pays in messages always, in rounds up to a factor of ${paysUpTo(added).toFixed(1)}. Values are exact (the centre's later corrections of its estimate included), and the runs meet them.`,
  };
}

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

export const razWrong = [item("fig15", "Fig. 15: a wrong estimate of n", fig15)];
