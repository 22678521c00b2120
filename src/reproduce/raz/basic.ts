/** Raz et al., sections IV and V: the naive algorithm (Figs. 1, 2) and the basic one, against n and against c (Figs. 5 to 7). */
import { remembering } from "../../theory/memo.ts";
import { Descent } from "../../theory/raz/descent.ts";
import { bestForMessages, heuristicMessages, heuristicRounds, tuned } from "../../theory/raz/optimum.ts";
import { basicCost, naiveCost, type Range } from "../../theory/raz/raz.ts";
import { binomialProbability } from "../../theory/raz/replies.ts";
import { over } from "../claim.ts";
import { afterRepair, all, enoughRuns, given } from "../criteria.ts";
import { measured, pointAt, theory } from "../draw.ts";
import { type ItemPage, raz } from "../texts.ts";
import { curves, deviation, type Line, printedAt, SIGMAS, theoryIsMet } from "./figure.ts";
import { councilRequest, logSpaced, N, RANGES, RUNS, rangesUpTo, SINGLE, spaced, WIDE } from "./setting.ts";

/** An item on the naive algorithm at each c, with that its runs meet theory. */
function naive(
  name: string,
  range: Range,
  cs: readonly number[],
  judge: (points: readonly ReturnType<typeof pointAt>[], page: ItemPage) => void,
): void {
  const runs = over(cs, (c) => [councilRequest("naive", N, { ...range, c }), [2000, RUNS]]);
  raz(name, { runs })(({ runs: reports }, page) => {
    const off = reports.flatMap(({ rounds, messages }, i) => {
      const exact = naiveCost(N, { ...range, c: cs[i] });
      return [deviation(rounds, exact.rounds), deviation(messages, exact.messages)];
    });
    page.tell({ trials: reports[0].trials });
    page.claims({
      [`agreement-naive/${name}`]: theoryIsMet(`Fig. ${name.slice(3)}`, Math.max(...off), enoughRuns(reports, 1000)),
    });
    judge(
      cs.map((c, i) => pointAt(c, reports[i].rounds)),
      page,
    );
  });
}

naive("fig1", WIDE, [2, 3, 4, 5, 5.8, 7, 8, 8.9], (points, { tell, claims, draw }) => {
  const { rounds, messages } = naiveCost(N, { ...WIDE, c: 5.8 });
  const best = tuned(naiveCost, N, WIDE);
  tell({ best, p: 1 / best.rounds });
  claims({
    "naive-p": [1 / rounds, "digits"],
    "naive-c": [best.c, "digits"],
    "naive-rounds": [rounds, "digits"],
    "naive-messages": [messages, "digits"],
  });
  draw("raz-fig1", [
    theory("naive", spaced(0.5, 14, 0.1), (c) => 1 / naiveCost(N, { ...WIDE, c }).rounds),
    measured("naive", points, ({ x, y, low, high }) => ({ x, y: 1 / y!, low: 1 / high!, high: 1 / low! })),
    printedAt([5.8, 0.697365]),
  ]);
});

naive("fig2", SINGLE, spaced(0.25, 1.75, 0.25), (points, { tell, claims, draw }) => {
  const T = (c: number) => naiveCost(N, { ...SINGLE, c }).rounds;
  const best = tuned(naiveCost, N, SINGLE);
  const late = (1 - 1 / best.rounds) ** 3;
  tell({ best, late, triple: T(3) });
  claims({
    "single-p": [1 / best.rounds, "digits"],
    "single-rounds": [best.rounds, "digits"],
    "single-limit": [1 / naiveCost(1e9, { ...SINGLE, c: 1 }).rounds, (x) => Math.abs(x - 1 / Math.E) < 1e-8],
    "single-late": [late, (x) => x > 0.1],
    sensitive: [T(3) / T(1), (x) => x > 2],
  });
  draw("raz-fig2", [theory("naive", spaced(0.2, 4, 0.05), T), measured("naive", points), printedAt([1, 2.71815])]);
});

/** The n of Figs. 5 and 7. */
const HOSTS = 500;
const AT_58 = { ...WIDE, c: 5.8 };
const BASIC: Line = {
  cost: (c) => basicCost(HOSTS, { ...WIDE, c }),
  request: (c) => councilRequest("basic", HOSTS, { ...WIDE, c }),
  jackpot: () => HOSTS,
};

/** What section V says about solving its linear systems. */
function solving() {
  const descent = new Descent({ ...AT_58, draws: 1, history: false });
  const { messages, under } = descent.at(100);
  const inner = messages + under * (HOSTS + basicCost(HOSTS, AT_58).messages);
  const large = 100_000;
  const row = descent.outcomes(large, AT_58.c / large);
  const reach = row.first + row.over.length - 1;
  const left = spaced(WIDE.U + 1, reach, 1).map((m) => descent.outcomes(m, AT_58.c / m).over.length);
  const terms = left.reduce((sum, length) => sum + length, row.over.length);
  return { inner, reach, terms, draws: RUNS * basicCost(large, AT_58).rounds };
}

curves("fig5", {
  section: "Fig. 5",
  lines: { basic: BASIC },
  dense: spaced(3, 8, 0.05),
  sparse: spaced(3, 8, 0.5),
  quick: RUNS,
  runs: { polled: [BASIC.request(5.8), [4000, 20_000]] },
})(({ polled }, { tell, claims }, { basic }) => {
  const points = basic.map(({ rounds }, i) => ({ c: basic.xs[i], ...rounds }));
  const widths = points.map(({ mean, high }) => high! / mean! - 1);
  const width = Math.max(...widths);
  const chosen = points.reduce((least, point) => (point.mean! < least.mean! ? point : least)).c;
  const best = tuned(basicCost, HOSTS, WIDE);
  const excess = BASIC.cost(chosen).rounds / best.rounds - 1;
  const cost = basicCost(HOSTS, AT_58).messages;
  const printed = basicCost(HOSTS, { ...AT_58, reading: "printed" }).messages;
  const { inner, terms, draws, reach } = solving();
  const own = basicCost(100, AT_58).messages;
  const repaired = deviation(polled.messages, cost) < SIGMAS && deviation(polled.messages, printed) > SIGMAS;
  tell({ narrowest: Math.min(...widths), width, thousands: Math.round(10 * (100 * width) ** 2), chosen, best });
  tell({ printed, cost, own, reach, terms, draws });
  claims({
    confidence: [Number((100 * width).toFixed(2)), (x) => x < 1],
    "select-c": [excess, all(excess < 0.01, enoughRuns(basic, 10_000))],
    equation4: [polled.messages, afterRepair(repaired)],
    "inner-system": [inner, given({ inner, own }, (cost) => Math.abs(cost.inner / cost.own - 1) > 0.01)],
    "simulation-faster": [100_000 ** 2 / 2 / draws, (x) => x > 10],
  });
});

const bests = new Map(RANGES.map(([name, range]) => [name, remembering((n: number) => tuned(basicCost, n, range))]));
const best = (name: string, n: number) => bests.get(name)!(n);

/** N/n where c is the best for N. */
function cheapestShare(n: number, range: Range): number {
  const cost = (c: number) => basicCost(n, { ...range, c });
  return cost(bestForMessages({ ...range, cost, messagesUnbounded: false })).messages / n;
}

curves("fig6", {
  section: "Fig. 6",
  lines: Object.fromEntries(
    RANGES.map(([name, range]): [string, Line] => [
      name,
      {
        cost: (n) => best(name, n),
        request: (n) => councilRequest("basic", n, { ...range, c: best(name, n).c }),
        jackpot: (n) => n,
      },
    ]),
  ),
  dense: logSpaced(20, 100_000, 6),
  sparse: logSpaced(20, 100_000, 2),
})((_ran, { tell, claims }) => {
  const wider = RANGES.slice(0, 3);
  const slowest = Math.max(...wider.map(([name]) => best(name, 100_000).rounds));
  const drift = Math.max(...RANGES.map(([name]) => best(name, 100_000).rounds - best(name, 100).rounds));
  const shares = wider.map(([, range]) => cheapestShare(100_000, range));
  const [before, after] = [1e8, 1e9].map((n) => cheapestShare(n, WIDE));
  const share = best("[4, 8]", 100_000).messages / 100_000;
  const exponent = 1 + Math.log10(shares[0] / cheapestShare(N, WIDE));
  const single = best("[1, 1]", N).rounds;
  tell({ single, share, never: cheapestShare(1e9, SINGLE), after, exponent });
  claims({
    "basic-two-rounds": [slowest, (x) => x < 2],
    "basic-drift": [drift, (x) => x < 0.05],
    "basic-tenth": [Math.max(...shares), (x) => x < 0.05],
    "basic-sublinear": [1 + Math.log10(after / before), (x) => x < 0.99],
  });
});

/** The share of ranges and c in which misses fall where the paper has them: its reason for its rules. */
function nearestMisses(): number {
  const rising = (m: number, c: number, { L, U }: Range) => {
    const p = (i: number) => binomialProbability(i, m, c / m);
    return p(L - 1) >= (L > 1 ? p(L - 2) : 0) && p(U + 1) >= p(U + 2);
  };
  const tried = rangesUpTo(8).flatMap((range) =>
    spaced(0.1, 0.9, 0.1).map((share) => ({ range, c: range.L + share * (range.U - range.L) })),
  );
  return tried.filter(({ range, c }) => [20, HOSTS, N].every((m) => rising(m, c, range))).length / tried.length;
}

function excessOfRule(range: Range): number {
  const { rounds } = basicCost(HOSTS, { ...range, c: heuristicRounds(range.L, range.U) });
  return rounds / tuned(basicCost, HOSTS, range).rounds - 1;
}

/** Excess of T where c is off by a quarter, either way, the worse of the two. */
function offByQuarter(of: typeof basicCost, range: Range): number {
  const { c, rounds } = tuned(of, HOSTS, range);
  return Math.max(...[0.75, 1.25].map((factor) => of(HOSTS, { ...range, c: factor * c }).rounds / rounds - 1));
}

curves("fig7", {
  section: "Fig. 7",
  lines: { basic: BASIC },
  dense: spaced(3, 8.8, 0.05),
  sparse: [3, 4, 5, 6, 6.67, 7.5, 8, 8.5, 8.8],
})((_ran, { tell, claims }) => {
  const best = tuned(basicCost, HOSTS, WIDE);
  const excess = (c: number) => BASIC.cost(c).rounds / best.rounds - 1;
  const optima = [100, HOSTS, 1e6].map((n) => tuned(basicCost, n, WIDE).c);
  const near = Math.max(excess(best.c - 0.7), excess(best.c + 0.7));
  const { rounds: down, under } = new Descent({ ...WIDE, c: best.c, draws: 1, history: false }).at(WIDE.U + 1);
  const [undershoot, overshoot] = [1 + best.rounds, down + under * (1 + best.rounds)];
  const all = rangesUpTo(8).map((range) => ({ ...range, excess: excessOfRule(range) }));
  const cost = (c: number) => basicCost(N, { ...WIDE, c }).messages;
  const full = (c: number) => basicCost(N, { ...WIDE, c });
  const cheapest = bestForMessages({ ...WIDE, cost: full, messagesUnbounded: false });
  const heuristic = heuristicMessages(N, WIDE.L, WIDE.U);
  const [basic, naive] = [basicCost, naiveCost].map((of) => RANGES.map(([, range]) => offByQuarter(of, range)));
  const others = RANGES.slice(1).map(([name], i) => `${name} (${basic[i + 1].toFixed(3)}, ${naive[i + 1].toFixed(3)})`);
  tell({ near, undershoot, overshoot, worst: all.reduce((most, one) => (one.excess > most.excess ? one : most)) });
  tell({ naive, one: excessOfRule({ L: 1, U: 1 }), eight: excessOfRule({ L: 8, U: 8 }), heuristic, cheapest, others });
  claims({
    "flat-optimum": [excess(3), (x) => x > 0.5 && near < 0.05],
    "stable-c": [Math.max(...optima) - Math.min(...optima), (x) => x < 0.1],
    "nearest-misses": [nearestMisses(), (x) => x === 1],
    "miss-costs": [undershoot / overshoot, (x) => Math.abs(x - 2) < 0.5],
    "rule-rounds": [best.c, given(excess(heuristicRounds(4, 8)), (x) => x < 0.001)],
    "rule-rounds-all": [all.filter((one) => one.excess < 0.05).length / all.length, (x) => x > 0.5],
    "rule-messages": [cost(heuristic) / cost(cheapest) - 1, (x) => x < 0.1],
    sensitivity: [basic[0], basic.every((x, i) => x < naive[i])],
    "worse-than-naive": [tuned(basicCost, N, WIDE).rounds, (x) => x > tuned(naiveCost, N, WIDE).rounds],
  });
});
