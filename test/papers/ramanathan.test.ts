/**
 * Ramanathan, Ferreira, Jagannathan, Grama, Szpankowski, "Randomized leader election" (2007), sections 3 and 5: what the
 * reproduction does not assert, the exact mean of every round given the one before. Seeds are fixed; "5 errors" means five
 * standard errors of the mean, which another seed would exceed with probability 6e-7. Section 4: ramanathan-timed.test.ts.
 */
import { describe, expect, test } from "vitest";
import type { Trial } from "../../src/simulation/trial.ts";
import { lnDisjoint, survivorsOfCollisions } from "../../src/theory/ramanathan/ramanathan.ts";
import { defaultRounds, design, roundedSigma } from "../../src/theory/ramanathan/sigma.ts";
import { error, mean, runs } from "../support/samples.ts";

const entering = ({ series }: Trial, round: number): number => series.contenders[round - 1] ?? 0;

/** How far X_(j+1) lies from its exact mean given X_j, summed over the rounds: its mean over runs is 0. */
function surprise(trial: Trial, J: number, exact: (j: number, x: number) => number): number {
  let sum = 0;
  for (let j = 1; j <= J; j++) sum += entering(trial, j + 1) - exact(j, entering(trial, j));
  return sum;
}

describe("Lemma 1", () => {
  const n = 1024;
  const J = defaultRounds(design(n), 1 / n);
  const ceil = runs({ protocol: "tournament", n }, 80);
  const stochastic = runs({ protocol: "tournament", n, params: { rounding: "stochastic" } }, 80);

  test("E[X_(j+1) | X_j] is that of balls and bins, sigma rounded up (fails beyond 5 errors)", () => {
    const exact = (j: number, x: number) => survivorsOfCollisions(n, roundedSigma(design(n), j).least, x);
    const surprises = ceil.map((trial) => surprise(trial, J, exact));
    expect(Math.abs(mean(surprises))).toBeLessThan(5 * error(surprises));
  });

  test("E[X_(j+1) | X_j] is that of balls and bins, sigma rounded by a coin (fails beyond 5 errors)", () => {
    const sizes = design(n, { rounding: "stochastic" });
    const rounds = Math.max(...stochastic.map(({ series }) => series.contenders.length)) - 1;
    const exact = (j: number, x: number) => {
      const { least, fraction } = roundedSigma(sizes, j);
      const mixed = (of: (k: number) => number) => (1 - fraction) * of(least) + fraction * of(least + 1);
      return x * mixed((mine) => mixed((other) => Math.exp(lnDisjoint(n, mine, other))) ** (x - 1));
    };
    const surprises = stochastic.map((trial) => surprise(trial, rounds, exact));
    expect(Math.abs(mean(surprises))).toBeLessThan(5 * error(surprises));
  });
});

describe("Theorems 4 and 5: rounds and messages", () => {
  test("Theorem 4: J + 1 exchanges, with J within 2 of log2(n / ln n)", () => {
    for (const trial of runs({ protocol: "tournament", n: 500 }, 20)) {
      expect(trial.rounds).toBe(defaultRounds(design(500), 1 / 500) + 1);
    }
    for (let n = 256; n <= 2 ** 20; n *= 2) {
      expect(Math.abs(defaultRounds(design(n), 1 / n) - Math.log2(n / Math.log(n)))).toBeLessThan(2);
    }
  });
});

describe("Theorems 11 and 12: failed mediators", () => {
  const n = 512;
  const gamma = 0.05;

  test("Theorem 11: each round loses a further (1-gamma)^sigma, a little more than the printed e^-(gamma sigma)", () => {
    const J = 3;
    const sample = runs({ protocol: "tournament", n, params: { J, gamma } }, 150);
    const exact = (j: number, x: number) => {
      const sigma = roundedSigma(design(n), j).least;
      expect((1 - gamma) ** sigma).toBeLessThan(Math.exp(-gamma * sigma));
      return survivorsOfCollisions(n, sigma, x) * (1 - gamma) ** sigma;
    };
    const surprises = sample.map((trial) => surprise(trial, J, exact));
    expect(Math.abs(mean(surprises))).toBeLessThan(5 * error(surprises));
  });
});
