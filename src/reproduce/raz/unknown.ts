/** Raz et al., section VII: an n that is wrong (Fig. 15) or unknown (Fig. 17), and the algorithm of Bolot et al. */
import { binomialAtLeast } from "../../theory/chance.ts";
import { remembering } from "../../theory/memo.ts";
import { tuned } from "../../theory/raz/optimum.ts";
import { masksCost, skipResetCost, smaller, unknownCost } from "../../theory/raz/raz.ts";
import { freshRounds, moreThan, replies } from "../../theory/raz/replies.ts";
import type { Cost } from "../../theory/raz/restarts.ts";
import type { Judged } from "../claim.ts";
import { afterRepair, given } from "../criteria.ts";
import { curves, deviation, printedAt, SIGMAS } from "./figure.ts";
import {
  AGGRESSIVE,
  CONSERVATIVE,
  councilRequest,
  logSpaced,
  N,
  OPEN,
  RANGES,
  SINGLE,
  searched,
  WIDE,
} from "./setting.ts";

const PLAN = { ...OPEN, c: 5.6 };
const wrong = remembering((estimate: number) => skipResetCost(N, { ...PLAN, estimate }));
const factors = logSpaced(1, 1000, 30).map((x) => x / 10);

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

curves("fig15", {
  section: "Fig. 15",
  lines: {
    "Skip-Reset": { cost: wrong, request: (estimate) => councilRequest("skip-reset", N, { ...PLAN, estimate }) },
  },
  dense: [...new Set([...factors, ...logSpaced(10, 1000, 40).map((x) => x / 100)])].sort((a, b) => a - b),
  sparse: [0.1, 0.2, 0.5, 1, 2, 5, 10, 20],
})((_ran, { tell, claims }) => {
  const added = (factor: number) => wrong(factor).rounds - wrong(1).rounds;
  const { under, underMean } = replies(N, PLAN.c / (10 * N), WIDE.L, WIDE.U);
  const { within, over } = replies(N, PLAN.c / (10 * N), OPEN.L, OPEN.U);
  const loud = over.reduce((sum, p) => sum + p, 0) / (1 - within);
  const churn = RANGES.flatMap(([, range]) => {
    const { c, rounds } = tuned(skipResetCost, N, range);
    return [1 / 1.1, 1.1].map((estimate) => skipResetCost(N, { ...range, c, estimate }).rounds / rounds - 1);
  });
  const dearest = Math.max(...logSpaced(11, 1000, 20).map((x) => wrong(x / 10).messages / wrong(1).messages));
  const [right, five, ten, hundred] = [1, 5, 10, 100].map((factor) => wrong(factor).rounds);
  tell({ added: added(10), factor: paysUpTo(added), right, five, ten, hundred, replies: underMean / under });
  claims({
    "too-small": [added(0.1), (x) => x <= 1],
    "too-large": [added(10), (x) => x <= 1],
    "too-small-messages": [wrong(0.1).messages / wrong(1).messages, (x) => Math.abs(x - 10) < 0.5],
    overestimate: [dearest, (x) => x < 1],
    "overestimate-silent": [loud, (x) => x < 1e-6],
    churn: [Math.max(...churn), (x) => x < 0.05],
  });
});

const [conservative, aggressive] = [CONSERVATIVE, AGGRESSIVE].map((search) =>
  remembering((n: number) => searched(n, search)),
);
const BITS = 16;
const masks = remembering((n: number) => masksCost(n, BITS));
const NS = logSpaced(10, 100_000, 50);
const NARROW = { ...SINGLE, c: 1.1 };

curves("fig17", (effort) => ({
  section: "Fig. 17",
  lines: {
    conservative: { cost: conservative, request: (n) => councilRequest("unknown", n, { ...PLAN, ...CONSERVATIVE }) },
    aggressive: { cost: aggressive, request: (n) => councilRequest("unknown", n, { ...PLAN, ...AGGRESSIVE }) },
    "Bolot et al.": { cost: masks, request: (n) => councilRequest("masks", n, {}) },
  },
  dense: NS,
  paper: { rounds: printedAt([10, 13], [10, 10], [10, 4]) },
  sparse: logSpaced(10, 100_000, effort === "quick" ? 4 : 6),
  runs: { narrow: [councilRequest("unknown", 5000, { ...NARROW, ...AGGRESSIVE }), [10_000, 40_000]] },
}))(({ narrow: { messages } }, { tell, claims }) => {
  const fewer = NS.every((n) => [conservative, aggressive].every((search) => search(n).rounds < masks(n).rounds));
  const dearer = [1000, N, 100_000].every((n) =>
    [conservative(n), aggressive(n)].every((ours) => ours.messages > masks(n).messages),
  );
  const slower = leastSlower(NS, (n) => aggressive(n).rounds > conservative(n).rounds);
  const real = unknownCost(5000, NARROW, AGGRESSIVE).messages;
  const printed = unknownCost(5000, { ...NARROW, reading: "printed" }, AGGRESSIVE).messages;
  tell({ slower, behind: Math.max(...NS.map((n) => aggressive(n).rounds - conservative(n).rounds)), real, printed });
  tell({ quick: aggressive(N).rounds, slow: conservative(N).rounds });
  tell({ ratio: conservative(N).messages / masks(N).messages });
  claims({
    ...bitMasks(),
    conservative: [conservative(10).rounds, (x) => Math.round(x) === 10],
    ...nearSixty(),
    ...aggressiveClaims(NS.map(aggressive)),
    "aggressive-rounds": [slower, (x) => x > 100_000],
    "aggressive-messages": [aggressive(N).messages / conservative(N).messages, (x) => x > 1],
    "fewer-than-bolot": [
      aggressive(N).messages / masks(N).messages,
      given({ fewer, dearer }, (found) => found.fewer && found.dearer),
    ],
    ...lineEleven(),
    "after-overshoot": [
      messages,
      afterRepair(deviation(messages, real) < SIGMAS && deviation(messages, printed) > SIGMAS),
    ],
  });
});

/** Fig. 16, line 11, at the first estimate of the aggressive search that overshoots on average. */
function lineEleven(): Record<string, Judged> {
  const mean = (estimate: number) => (PLAN.c * N) / estimate;
  let estimate = AGGRESSIVE.guess;
  while (mean(estimate) <= OPEN.U) estimate = smaller(estimate, OPEN, AGGRESSIVE)!;
  const kept = Math.max(estimate, mean(estimate));
  // Over all n: the chance that an estimate is reached, and that more hosts reply than it has.
  const changed = NS.map((n) => {
    let [reached, chance] = [1, 0];
    for (let at: number | null = AGGRESSIVE.guess; at !== null; at = smaller(at, OPEN, AGGRESSIVE)) {
      const p = Math.min(1, PLAN.c / at);
      chance += reached * binomialAtLeast(n, p, Math.floor(at) + 1);
      reached *= (1 - p) ** n;
    }
    return chance;
  });
  const hosts = (estimate * mean(estimate)) / PLAN.c / N;
  return {
    "line-eleven": [kept / N, (x) => x >= 1, { estimate, replied: mean(estimate), hosts, most: Math.max(...changed) }],
  };
}

/** What the paper says of Bolot et al.: masks over fixed random vectors of 16 bits, from 16 bits down to none. */
function bitMasks(): Record<string, Judged> {
  const { rounds } = masks(10);
  const fresh = freshRounds(10, BITS);
  return {
    "bolot-rounds": [rounds, (x) => x > 13 && x < 14],
    "bolot-few": [masks(1).rounds, (x) => x <= 15],
    "bolot-responders": [Math.max(...NS.map((n) => moreThan(10, n, BITS))), (x) => x < 0.01],
    "bolot-generalized": [fresh, (x) => afterRepair(Math.abs(x - rounds) > 0.5 && x < rounds), { rounds }],
  };
}

/** Halving from 100,000, n = 10. */
function nearSixty(): Record<string, Judged> {
  const silent = (estimate: number) => (1 - 5.6 / estimate) ** 10;
  let none = 1;
  let estimate = CONSERVATIVE.guess;
  for (; estimate > 60; estimate /= CONSERVATIVE.beta) none *= silent(estimate);
  none *= silent(estimate);
  return {
    "estimate-60": [5.6 / 60, (x) => x.toFixed(1) === "0.1"],
    "elected-by-60": [1 - none, (x) => x > 0.9, { alone: 1 - silent(estimate), sixty: 1 - silent(60) }],
  };
}

/** The least n, by bisection between the points of a curve. */
function leastSlower(ns: readonly number[], isSlower: (n: number) => boolean): number {
  const i = ns.findIndex(isSlower);
  if (i < 0) return Number.POSITIVE_INFINITY;
  let [low, high] = [ns[i - 1] ?? 0, ns[i]];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (isSlower(middle)) high = middle;
    else low = middle;
  }
  return high;
}

function aggressiveClaims(costs: readonly Cost[]): Record<string, Judged> {
  const humps = (of: (cost: Cost) => number) =>
    costs.filter((cost, i) => i > 0 && i < costs.length - 1 && [i - 1, i + 1].every((j) => of(cost) > of(costs[j])));
  const longest = Math.max(...costs.map(({ rounds }) => rounds));
  const most = Math.max(...costs.map(({ messages }) => messages));
  const where = NS[costs.findIndex(({ messages }) => messages === most)];
  const estimates = [AGGRESSIVE.guess];
  for (let next = smaller(AGGRESSIVE.guess, OPEN, AGGRESSIVE); next !== null; ) {
    estimates.push(next);
    next = smaller(next, OPEN, AGGRESSIVE);
  }
  const later = estimates.slice(1).map((x) => (x < 100 ? x.toFixed(1) : x.toFixed(0)));
  const inRounds = humps(({ rounds }) => rounds).length;
  return {
    "never-within": [estimates[estimates.length - 1], (x) => x > OPEN.U, { later }],
    "aggressive-four": [longest, (x) => Math.round(x) <= 4, { single: aggressive(1).rounds }],
    "aggressive-fifteen": [most, (x) => x <= 15 && x > 14, { where }],
    humps: [humps(({ messages }) => messages).length, (x) => x === Math.round(longest) - 1, { estimates, inRounds }],
  };
}
