/** Raz et al., section VII-A, Fig. 17: an unknown n, and the algorithm of Bolot et al. */
import { masksCost, smaller, unknownCost } from "../theory/raz.ts";
import type { Cost } from "../theory/raz-restarts.ts";
import type { Bench, Claim } from "./claim.ts";
import { bitMasks } from "./raz-bolot.ts";
import { claim, deviation, item, SIGMAS } from "./raz-claim.ts";
import { drawn, printedAt } from "./raz-figure.ts";
import { AGGRESSIVE, CONSERVATIVE, council, logSpaced, N, OPEN, remembered, SINGLE, searched } from "./raz-setting.ts";
import { afterRepair } from "./verdict.ts";

export const fig17 = item("fig17", async (bench) => {
  const plan = { ...OPEN, c: 5.6 };
  const [conservative, aggressive] = [CONSERVATIVE, AGGRESSIVE].map((search) => remembered((n) => searched(n, search)));
  const masks = remembered((n) => masksCost(n, 16));
  const ns = logSpaced(10, 100_000, 50);
  const { figure, agreement } = await drawn(bench, "Fig. 17", "raz-fig17", {
    curves: [
      { name: "conservative", cost: conservative, request: (n) => council("unknown", n, { ...plan, ...CONSERVATIVE }) },
      { name: "aggressive", cost: aggressive, request: (n) => council("unknown", n, { ...plan, ...AGGRESSIVE }) },
      { name: "Bolot et al.", cost: masks, request: (n) => council("masks", n, {}) },
    ],
    dense: ns,
    paper: { rounds: printedAt([10, 13], [10, 10], [10, 4]) },
    sparse: logSpaced(10, 100_000, bench.effort === "quick" ? 4 : 6),
  });
  const fewer = ns.every((n) => [conservative, aggressive].every((search) => search(n).rounds < masks(n).rounds));
  const large = [1000, N, 100_000].map((n) => ({ ours: [conservative(n), aggressive(n)], theirs: masks(n) }));
  const behind = Math.max(...ns.map((n) => aggressive(n).rounds - conservative(n).rounds));
  const slower = leastSlower(ns, (n) => aggressive(n).rounds > conservative(n).rounds);
  return {
    claims: [
      agreement,
      ...bitMasks(ns),
      claim("conservative", conservative(10).rounds, (x) => Math.round(x) === 10),
      ...nearSixty(),
      ...aggressiveClaims(ns, ns.map(aggressive)),
      claim("aggressive-rounds", slower, (x) => x > 100_000, {
        aggressive: aggressive(N).rounds,
        conservative: conservative(N).rounds,
      }),
      claim("aggressive-messages", aggressive(N).messages / conservative(N).messages, (x) => x > 1),
      claim(
        "fewer-than-bolot",
        aggressive(N).messages / masks(N).messages,
        () => fewer && large.every(({ ours, theirs }) => ours.every(({ messages }) => messages > theirs.messages)),
        { conservative: conservative(N).messages / masks(N).messages },
      ),
      await afterOvershoot(bench),
    ],
    figures: [figure],
    values: { slower, behind },
  };
});

/** Halving from 100,000, n = 10. */
function nearSixty(): Claim[] {
  const silent = (estimate: number) => (1 - 5.6 / estimate) ** 10;
  let none = 1;
  let estimate = CONSERVATIVE.guess;
  while (estimate > 60) {
    none *= silent(estimate);
    estimate /= CONSERVATIVE.beta;
  }
  none *= silent(estimate);
  return [
    claim("estimate-60", 5.6 / 60, (x) => x.toFixed(1) === "0.1"),
    claim("elected-by-60", 1 - none, (x) => x > 0.9, { alone: 1 - silent(estimate), sixty: 1 - silent(60) }),
  ];
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

function aggressiveClaims(ns: readonly number[], costs: readonly Cost[]): Claim[] {
  const humps = (of: (cost: Cost) => number) =>
    costs.filter((cost, i) => i > 0 && i < costs.length - 1 && [i - 1, i + 1].every((j) => of(cost) > of(costs[j])));
  const maxima = humps(({ messages }) => messages).length;
  const longest = Math.max(...costs.map(({ rounds }) => rounds));
  const most = Math.max(...costs.map(({ messages }) => messages));
  const where = ns[costs.findIndex(({ messages }) => messages === most)];
  const estimates = [AGGRESSIVE.guess];
  for (let next = smaller(AGGRESSIVE.guess, OPEN, AGGRESSIVE); next !== null; ) {
    estimates.push(next);
    next = smaller(next, OPEN, AGGRESSIVE);
  }
  return [
    claim("never-within", estimates[estimates.length - 1], (x) => x > OPEN.U, {
      later: estimates.slice(1).map((x) => (x < 100 ? x.toFixed(1) : x.toFixed(0))),
    }),
    claim("aggressive-four", longest, (x) => Math.round(x) <= 4, { single: searched(1, AGGRESSIVE).rounds }),
    claim("aggressive-fifteen", most, (x) => x <= 15 && x > 14, { where }),
    claim("humps", maxima, (x) => x === Math.round(longest) - 1, {
      estimates,
      inRounds: humps(({ rounds }) => rounds).length,
    }),
  ];
}

async function afterOvershoot(bench: Bench): Promise<Claim> {
  const plan = { ...SINGLE, c: 1.1 };
  const n = 5000;
  const real = unknownCost(n, plan, AGGRESSIVE).messages;
  const printed = unknownCost(n, { ...plan, reading: "printed" }, AGGRESSIVE).messages;
  const { messages } = await bench.simulate(council("unknown", n, { ...plan, ...AGGRESSIVE }), [10_000, 40_000]);
  return claim(
    "after-overshoot",
    messages,
    afterRepair(deviation(messages, real) < SIGMAS && deviation(messages, printed) > SIGMAS),
    { printed, real },
  );
}
