/** Kutten et al., Lemma 1: two candidates throw balls into bins, and no bin has balls of both. */
import { noCollision } from "../theory/kutten.ts";
import { reference, theory } from "./draw.ts";
import { textsOf } from "./texts.ts";
import { afterRepair } from "./verdict.ts";

const { item } = textsOf("kutten");

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

export const lemma1 = item("lemma1", {}, () => {
  const [uniform, uneven] = [noCollision(even(3), 5), noCollision(WITNESS, 5)];
  const sound = SIZES.every((n) => !beaten(n, (bins) => noCollision(bins, rho(n))));
  const poissonSound = SIZES.every((n) => [1, 3, 10, 30].every((balls) => !beaten(n, (bins) => poisson(bins, balls))));
  // In units of n^-2: four times the Poisson probability, as a power so that it does not underflow.
  const granted = LARGE.map((n) => 4 * (1 - (1 - Math.exp(-rho(n) / n)) ** 2) ** n * n ** 2);
  const grid = Array.from({ length: 40 }, (_, i) => (i + 1) / 10);
  const chain = (x: number) => 1 - (1 - Math.exp(-x)) ** 2;
  const failing = grid.filter((x) => chain(x) > 1 - x * x).length;
  const ratio = (bins: readonly number[]) => (x: number) => noCollision(bins, x) / noCollision(even(3), x);
  return {
    values: [
      { uniform, uneven, WITNESS, SIZES, largest: SIZES[SIZES.length - 1], granted },
      { failing, all: grid.length },
    ],
    claims: {
      "uniform-worst": uneven <= uniform,
      "uniform-worst-paper": afterRepair(sound),
      "uniform-worst-poisson": afterRepair(poissonSound && granted.every((share) => share <= 1)),
      "square-bound": [chain(0.5), failing === 0],
    },
    figures: {
      "kutten-lemma1": [
        theory(WITNESS.join(", "), BALLS, ratio(WITNESS)),
        theory("0.5, 0.5, 0", BALLS, ratio([0.5, 0.5, 0])),
        reference("uniform", BALLS, () => 1),
      ],
    },
  };
});
