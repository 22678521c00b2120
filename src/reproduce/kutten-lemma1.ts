/** Kutten et al., Lemma 1: two candidates throw balls into bins, and no bin has balls of both. */
import { noCollision } from "../theory/kutten.ts";
import type { Part, Reproduction } from "./claim.ts";
import { lineFigure } from "./draw.ts";
import { exactly, verdictIf } from "./verdict.ts";

const even = (n: number) => Array<number>(n).fill(1 / n);
/** The paper's number of walks. */
const rho = (n: number) => 2 * Math.ceil(Math.sqrt(n * Math.log(n)));

/** Distributions other than the uniform one: tilted ones, and those in which some bins share a part of their own. */
function others(n: number): number[][] {
  const tilted = [0.01, 0.1, 0.5, 2, 10, 100].map((tilt) => {
    const weights = Array.from({ length: n }, (_, i) => 1 + tilt * ((i * 7) % n));
    const sum = weights.reduce((a, b) => a + b);
    return weights.map((weight) => weight / sum);
  });
  const SHARES = 20;
  for (let used = 1; used < n; used++) {
    for (let i = 1; i <= SHARES; i++) {
      const share = used / n + (1 - used / n) * (i / SHARES);
      tilted.push([
        ...Array<number>(used).fill(share / used),
        ...Array<number>(n - used).fill((1 - share) / (n - used)),
      ]);
    }
  }
  return tilted;
}

/** Whether some distribution that we try avoids collisions more often than the uniform one. */
const beaten = (n: number, probability: (bins: readonly number[]) => number): boolean =>
  others(n).some((bins) => probability(bins) > probability(even(n)) * (1 + 1e-12));

/** The proof's Poisson case: the numbers of balls in the bins are independent, with means ρ·p_i. */
const poisson = (bins: readonly number[], balls: number): number =>
  bins.reduce((product, p) => product * (1 - (1 - Math.exp(-p * balls)) ** 2), 1);

const SIZES = [3, 4, 5, 6, 7, 8, 9, 10];
const LARGE = [100, 1000, 10_000, 100_000, 1_000_000];
const BALLS = Array.from({ length: 12 }, (_, i) => i + 1);
const WITNESS = [0.41, 0.41, 0.18];

export const lemma1: Reproduction = {
  paper: "kutten",
  name: "lemma1",
  title: "Lemma 1: the uniform distribution is the worst",
  async run(bench): Promise<Part> {
    bench.step("Lemma 1: exact probabilities");
    const [uniform, uneven] = [noCollision(even(3), 5), noCollision(WITNESS, 5)];
    const sound = SIZES.every((n) => !beaten(n, (bins) => noCollision(bins, rho(n))));
    const poissonSound = SIZES.every((n) =>
      [1, 3, 10, 30].every((balls) => !beaten(n, (bins) => poisson(bins, balls))),
    );
    // In units of n^-2: four times the Poisson probability, as a power so that it does not underflow.
    const granted = LARGE.map((n) => 4 * (1 - (1 - Math.exp(-rho(n) / n)) ** 2) ** n * n ** 2);
    const grid = Array.from({ length: 40 }, (_, i) => (i + 1) / 10);
    const chain = (x: number) => 1 - (1 - Math.exp(-x)) ** 2;
    const ratio = (bins: readonly number[]) =>
      BALLS.map((x) => ({ x, y: noCollision(bins, x) / noCollision(even(3), x) }));
    return {
      claims: [
        {
          section: "Lemma 1",
          statement:
            "The probability that two candidates' balls never meet is largest for the uniform distribution, for any numbers of balls and bins",
          paper: "maximal for the uniform distribution",
          ...exactly(
            `three bins, five balls each: ${uniform.toFixed(5)} uniform, ${uneven.toFixed(5)} with ${WITNESS.join(", ")}`,
          ),
          verdict: verdictIf(uneven <= uniform),
          note: `Exact, by inclusion and exclusion. From ten balls on it is even better to leave one of the three bins empty.`,
        },
        {
          section: "Lemma 1, as Theorem 2 uses it",
          statement: "With the paper's number of balls, 2⌈√(n log n)⌉, the uniform distribution is the worst",
          paper: "maximal for the uniform distribution",
          ...exactly(`no counterexample for n = ${SIZES[0]} to ${SIZES[SIZES.length - 1]}`),
          verdict: verdictIf(sound, "holds after repair"),
          note: "Exact probabilities of tilted and two-level distributions, of the kind that refutes the lemma above; a search and not a proof.",
        },
        {
          section: "proof of Lemma 1",
          statement: "In the Poisson case the uniform distribution is the worst for any number of balls",
          paper: "maximal for the uniform distribution",
          ...exactly("no counterexample for 1, 3, 10 and 30 balls"),
          verdict: verdictIf(poissonSound && granted.every((share) => share <= 1), "holds after repair"),
          note: `With the right reason: each bin contributes x - ln(2 - e^-x) to the negative logarithm, x = pρ (the text has means ρ/n, which is the uniform case), and that is convex. Two colours of balls cost a factor of 4, not 2, for the return from the Poisson case; even so two candidates miss each other with less than n^-2 (${granted[0].toFixed(2)} of it at n = 100, and less for larger n), which is all that Theorem 2 needs of the lemma.`,
        },
        {
          section: "proof of Lemma 1",
          statement: "1 - (1 - e^(-pρ))² ≤ 1 - (pρ)²",
          paper: "at most 0.75 at pρ = 0.5",
          ...exactly(chain(0.5)),
          verdict: verdictIf(grid.every((x) => chain(x) <= 1 - x * x)),
          note: `1 - e^-x is smaller than x, so the inequality goes the other way for every x > 0: it fails at ${grid.filter((x) => chain(x) > 1 - x * x).length} of ${grid.length} values tried.`,
        },
      ],
      figures: [
        await lineFigure("kutten-lemma1", {
          title: "Two candidates, three bins: how much more often they miss each other",
          caption: "exact probability that no bin has balls of both, relative to three equally likely bins",
          x: { label: "balls of each candidate" },
          y: { label: "relative to uniform" },
          series: [
            { name: WITNESS.join(", "), kind: "theory", points: ratio(WITNESS) },
            { name: "0.5, 0.5, 0", kind: "theory", points: ratio([0.5, 0.5, 0]) },
            { name: "uniform", kind: "reference", points: BALLS.map((x) => ({ x, y: 1 })) },
          ],
        }),
      ],
      text:
        "The lemma has no condition on the number of balls, and without one it is false: with five balls or more in three bins, two candidates miss each other more often if two of the bins " +
        "are preferred (the lines rise above 1). Its proof goes wrong where it bounds 1 - (1 - e^-x)² from above by 1 - x². What Theorem 2 needs survives: " +
        "in the Poisson case the uniform distribution is the worst by convexity, whatever the number of balls, and the way back to the exact case costs a constant factor.",
    };
  },
};
