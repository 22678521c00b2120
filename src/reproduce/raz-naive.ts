/** Raz et al., section IV, Figs. 1 and 2: the naive algorithm. */
import { naiveCost, type Range } from "../theory/raz.ts";
import type { Bench, Claim, Part } from "./claim.ts";
import { lineFigure, meanAt } from "./draw.ts";
import { agreement, decimal, deviation, item, percent, value } from "./raz-claim.ts";
import { council, N, printedAt, RUNS, SINGLE, spaced, tuned, WIDE } from "./raz-setting.ts";

/** The runs of the naive algorithm at each c, and that they meet theory. */
async function measured(bench: Bench, section: string, range: Range, cs: readonly number[]) {
  const trials = bench.trials(2000, RUNS);
  const points = [];
  let worst = 0;
  for (const c of cs) {
    bench.step(`Raz, ${section}: c = ${c}`);
    const { rounds, messages } = await bench.simulate(council("naive", N, { ...range, c }), trials);
    const exact = naiveCost(N, { ...range, c });
    worst = Math.max(worst, deviation(rounds, exact.rounds), deviation(messages, exact.messages));
    points.push(meanAt(c, rounds));
  }
  const claim: Claim = agreement(section, worst, "T = 1/p and N = cT against runs of the protocol.");
  return { points, claim, runs: `${trials.toLocaleString("en-GB")} runs` };
}

async function fig1(bench: Bench): Promise<Part> {
  const p = (c: number) => 1 / naiveCost(N, { ...WIDE, c }).rounds;
  const { points, claim, runs } = await measured(bench, "Fig. 1", WIDE, [2, 3, 4, 5, 5.8, 7, 8, 8.9]);
  const figure = await lineFigure("raz-fig1", {
    title: "Raz et al., Fig. 1: chance of a council in one round, naive algorithm",
    caption: `[4, 8], n = 10,000; dashed: exact; points: one over the mean rounds of ${runs}, 95% bands`,
    x: { label: "c" },
    y: { label: "p" },
    series: [
      { name: "naive", kind: "theory", points: spaced(0.5, 14, 0.1).map((x) => ({ x, y: p(x) })) },
      {
        name: "naive",
        kind: "measured",
        points: points.map(({ x, y, low, high }) => ({ x, y: 1 / y!, low: 1 / high!, high: 1 / low! })),
      },
      printedAt([5.8, 0.697365]),
    ],
  });
  const { rounds, messages } = naiveCost(N, { ...WIDE, c: 5.8 });
  const best = tuned(naiveCost, N, WIDE);
  return {
    claims: [
      claim,
      decimal("section IV", "[4, 8], n = 10,000: p = 0.697365 at c = 5.8", "0.697365", 1 / rounds),
      decimal(
        "section IV",
        "c = 5.8 is the optimum",
        "5.8",
        best.c,
        `At the exact optimum p = ${(1 / best.rounds).toFixed(6)}, so the six digits of "p_opt" are those of the rounded c.`,
      ),
      decimal("section IV", "T(10,000) = 1.43397", "1.43397", rounds),
      decimal("section IV", "N(10,000) = 8.31702", "8.31702", messages, "The paper multiplied a rounded T."),
    ],
    figures: [figure],
    text: `The example is right to the last digit but one: p = 0.697365, T = 1.43397, N = 8.31702 at c = 5.8 (N is 8.31703, since the paper multiplied the rounded T). The optimum itself lies at c = ${best.c.toFixed(4)}, where p is 0.00003 higher. Exact values are from the binomial distribution in full precision, and runs of the protocol with 10,000 hosts lie on the curve.`,
  };
}

async function fig2(bench: Bench): Promise<Part> {
  const T = (c: number) => naiveCost(N, { ...SINGLE, c }).rounds;
  const { points, claim, runs } = await measured(bench, "Fig. 2", SINGLE, spaced(0.25, 1.75, 0.25));
  const figure = await lineFigure("raz-fig2", {
    title: "Raz et al., Fig. 2: rounds of the naive algorithm for a single leader",
    caption: `[1, 1], n = 10,000; dashed: exact; points: ${runs} each, 95% bands`,
    x: { label: "c" },
    y: { label: "T (rounds)" },
    series: [
      { name: "naive", kind: "theory", points: spaced(0.2, 4, 0.05).map((x) => ({ x, y: T(x) })) },
      { name: "naive", kind: "measured", points },
      printedAt([1, 2.71815]),
    ],
  });
  const best = tuned(naiveCost, N, SINGLE);
  const limit = 1 / naiveCost(1e9, { ...SINGLE, c: 1 }).rounds;
  const late = (1 - 1 / best.rounds) ** 3;
  return {
    claims: [
      claim,
      decimal(
        "section IV",
        "[1, 1], n = 10,000: p = 0.367898 at best",
        "0.367898",
        1 / best.rounds,
        `At c = ${best.c.toFixed(2)}. Said again in section V-B.`,
      ),
      decimal("section IV", "T(10,000) = 2.71815", "2.71815", best.rounds, "Said again in section V-B."),
      value(
        "section IV",
        "p tends to 1/e as n grows",
        "1/e",
        limit,
        (x) => Math.abs(x - 1 / Math.E) < 1e-8,
        "At n = 10^9, to eight digits.",
      ),
      value(
        "section IV",
        "Too often more than three rounds are needed",
        '"too often"',
        late,
        (x) => x > 0.1,
        "The probability of more than three rounds, (1 - p)^3; we call one in ten often.",
      ),
      value(
        "Fig. 2",
        "T is sensitive to the choice of c: T at c = 3 over T at c = 1",
        '"significant drawback"',
        T(3) / T(1),
        (x) => x > 2,
        "We call it sensitive where a c three times too large doubles T.",
      ),
    ],
    figures: [figure],
    text: `For a single leader the naive algorithm needs e rounds at best, and one election in four (${percent(late)}) takes more than three; c = 3 instead of 1 makes it ${T(3).toFixed(1)} rounds. All numbers of the text are right to the last digit.`,
  };
}

export const razNaive = [
  item("fig1", "Fig. 1: the naive algorithm, council of 4 to 8", fig1),
  item("fig2", "Fig. 2: the naive algorithm, a single leader", fig2),
];
