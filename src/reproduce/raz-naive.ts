/** Raz et al., section IV, Figs. 1 and 2: the naive algorithm. */
import { naiveCost } from "../theory/raz.ts";
import type { Bench, Part, Reproduction } from "./claim.ts";
import { lineFigure, meanAt } from "./draw.ts";
import { council, N, SINGLE, spaced, tuned, WIDE } from "./raz-setting.ts";
import { exactly, verdictIf } from "./verdict.ts";

const near = (value: number, printed: number, digits: number) => Math.abs(value - printed) < 1.1 * 10 ** -digits;

async function fig1(bench: Bench): Promise<Part> {
  const trials = bench.trials(2000, 10_000);
  const p = (c: number) => 1 / naiveCost(N, { ...WIDE, c }).rounds;
  const points = [];
  for (const c of [2, 3, 4, 5, 5.8, 7, 8, 8.9]) {
    bench.step(`Raz, Fig. 1: c = ${c}`);
    const { mean, low, high } = (await bench.simulate(council("naive", N, { ...WIDE, c }), trials)).rounds;
    points.push({ x: c, y: 1 / mean!, low: 1 / high!, high: 1 / low! });
  }
  const figure = await lineFigure("raz-fig1", {
    title: "Raz et al., Fig. 1: chance of a council in one round, naive algorithm",
    caption: `[4, 8], n = 10,000; dashed: exact; points: one over the mean of ${trials.toLocaleString("en-GB")} runs, 95% bands`,
    x: { label: "c" },
    y: { label: "p" },
    series: [
      { name: "naive", kind: "theory", points: spaced(0.5, 14, 0.1).map((x) => ({ x, y: p(x) })) },
      { name: "naive", kind: "measured", points },
    ],
  });
  const { rounds, messages } = naiveCost(N, { ...WIDE, c: 5.8 });
  const best = tuned(naiveCost, N, WIDE);
  return {
    claims: [
      {
        section: "Fig. 1",
        statement: "[4, 8], n = 10,000: p = 0.697365 at c = 5.8",
        paper: "0.697365",
        ...exactly(1 / rounds),
        verdict: verdictIf(near(1 / rounds, 0.697365, 6)),
        note: "",
      },
      {
        section: "section IV",
        statement: "c = 5.8 is the optimum",
        paper: "5.8",
        ...exactly(best.c),
        verdict: verdictIf(near(best.c, 5.8, 1)),
        note: `To the one digit given. At the exact optimum p = ${(1 / best.rounds).toFixed(6)}, so the six digits of «p_opt» are those of the rounded c.`,
      },
      {
        section: "section IV",
        statement: "T(10,000) = 1.43397",
        paper: "1.43397",
        ...exactly(rounds),
        verdict: verdictIf(near(rounds, 1.43397, 5)),
        note: "",
      },
      {
        section: "section IV",
        statement: "N(10,000) = 8.31702",
        paper: "8.31702",
        ...exactly(messages),
        verdict: verdictIf(near(messages, 8.31702, 5)),
        note: "",
      },
    ],
    figures: [figure],
    text: `Every digit of the example is right: p = 0.697365, T = 1.43397, N = 8.31702 at c = 5.8. The optimum itself lies at c = ${best.c.toFixed(4)}, where p is 0.00003 higher. Exact values are from the binomial distribution in full precision, and runs of the protocol with 10,000 hosts lie on the curve.`,
  };
}

async function fig2(bench: Bench): Promise<Part> {
  const trials = bench.trials(2000, 10_000);
  const T = (c: number) => naiveCost(N, { ...SINGLE, c }).rounds;
  const points = [];
  for (const c of spaced(0.25, 1.75, 0.25)) {
    bench.step(`Raz, Fig. 2: c = ${c}`);
    points.push(meanAt(c, (await bench.simulate(council("naive", N, { ...SINGLE, c }), trials)).rounds));
  }
  const figure = await lineFigure("raz-fig2", {
    title: "Raz et al., Fig. 2: rounds of the naive algorithm for a single leader",
    caption: `[1, 1], n = 10,000; dashed: exact; points: ${trials.toLocaleString("en-GB")} runs each, 95% bands`,
    x: { label: "c" },
    y: { label: "T (rounds)" },
    series: [
      { name: "naive", kind: "theory", points: spaced(0.2, 4, 0.05).map((x) => ({ x, y: T(x) })) },
      { name: "naive", kind: "measured", points },
    ],
  });
  const best = tuned(naiveCost, N, SINGLE);
  const limit = 1 / naiveCost(1e9, { ...SINGLE, c: 1 }).rounds;
  const late = (1 - 1 / best.rounds) ** 3;
  return {
    claims: [
      {
        section: "section IV",
        statement: "[1, 1], n = 10,000: p = 0.367898 at best",
        paper: "0.367898",
        ...exactly(1 / best.rounds),
        verdict: verdictIf(near(1 / best.rounds, 0.367898, 6)),
        note: `At c = ${best.c.toFixed(3)}.`,
      },
      {
        section: "section IV",
        statement: "T(10,000) = 2.71815",
        paper: "2.71815",
        ...exactly(best.rounds),
        verdict: verdictIf(near(best.rounds, 2.71815, 5)),
        note: "",
      },
      {
        section: "section IV",
        statement: "p tends to 1/e as n grows",
        paper: "1/e",
        ...exactly(limit),
        verdict: verdictIf(near(limit, 1 / Math.E, 8)),
        note: "At n = 10^9.",
      },
      {
        section: "section IV",
        statement: "Too often more than three rounds are needed",
        paper: "«too often»",
        ...exactly(late),
        verdict: verdictIf(late > 0.1),
        note: "The probability of more than three rounds.",
      },
      {
        section: "Fig. 2",
        statement: "T is sensitive to the choice of c: T at c = 3 over T at c = 1",
        paper: "«significant drawback»",
        ...exactly(T(3) / T(1)),
        verdict: verdictIf(T(3) / T(1) > 2),
        note: "",
      },
    ],
    figures: [figure],
    text: "For a single leader the naive algorithm needs e rounds at best, and one election in four takes more than three; c = 3 instead of 1 makes it 6.7 rounds. All numbers of the text are right to the last digit.",
  };
}

export const razFig1: Reproduction = {
  paper: "raz",
  name: "fig1",
  title: "Fig. 1: the naive algorithm, council of 4 to 8",
  run: fig1,
};

export const razFig2: Reproduction = {
  paper: "raz",
  name: "fig2",
  title: "Fig. 2: the naive algorithm, a single leader",
  run: fig2,
};
