/**
 * Ramanathan, Ferreira, Jagannathan, Grama, Szpankowski, "Randomized leader election" (2007), sections 3 and 5: the claims
 * about the synchronous protocol and about failures. Seeds are fixed; "5 errors" means five standard errors of the mean,
 * which another seed would exceed with probability 6e-7. Section 4 is in ramanathan-timed.test.ts.
 */
import { describe, expect, test } from "vitest";
import type { Trial } from "../../src/simulation/trial.ts";
import {
  expectedMessages,
  lnDisjoint,
  noSurvivor,
  severalLeadersBound,
  survivorsOfCollisions,
} from "../../src/theory/ramanathan.ts";
import { defaultRounds, design, quorumSize, roundedSigma } from "../../src/theory/sigma.ts";
import { effort } from "../support/effort.ts";
import { error, exponent, mean, runs, share, variance } from "../support/samples.ts";

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
  const ceil = runs({ protocol: "tournament", n }, 150);
  const stochastic = runs({ protocol: "tournament", n, params: { rounding: "stochastic" } }, 150);

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

  test("contenders halve: from the fourth round on X_i is n/2^(i-1) within 5% when a coin rounds sigma", () => {
    for (let i = 4; i <= 7; i++) {
      const ratios = stochastic.map((trial) => (entering(trial, i) * 2 ** (i - 1)) / n);
      expect(Math.abs(mean(ratios) - 1)).toBeLessThan(0.05 + 5 * error(ratios));
    }
  });

  test("rounding up breaks the lower bound in early rounds (X_3 is a third of n/4) and comes back to it later", () => {
    const ratio = (i: number) => mean(ceil.map((trial) => (entering(trial, i) * 2 ** (i - 1)) / n));
    expect(ratio(3)).toBeLessThan(0.4);
    expect(ratio(J + 1)).toBeGreaterThan(0.75);
    expect(ratio(J + 1)).toBeLessThan(1.1);
  });

  test("X_i is concentrated: its variance is at most its mean (150 runs; 1.6 is 5 errors of the ratio above 1)", () => {
    for (let i = 2; i <= J + 1; i++) {
      const contenders = ceil.map((trial) => entering(trial, i));
      expect(variance(contenders) / mean(contenders)).toBeLessThan(1.6);
    }
  });
});

describe("Theorems 1 to 3: survivors and leaders", () => {
  const n = 128;
  const count = 1500;
  const sample = runs({ protocol: "tournament", n }, count);
  const survivors = mean(sample.map(({ measures }) => measures.survivors));

  test("Theorem 1: at least one contender survives the first phase", () => {
    const none = sample.filter(({ measures }) => measures.survivors === 0).length;
    // A Poisson count exceeds its mean m by 5 sqrt(m) + 5 with probability below 1e-6.
    const expected = count * noSurvivor(survivors);
    expect(none).toBeLessThan(expected + 5 * Math.sqrt(expected) + 5);
    // J was chosen for ln n survivors by a recursion that puts means in place of X_j: the true mean is 7% lower here.
    expect(survivors).toBeGreaterThan(0.9 * Math.log(n));
  });

  // The printed (1/2) log^6 n is more than n here and wrong in the limit: src/reproduce/ramanathan.test.ts.
  test("Theorem 2: with the default J a few times ln n survive", () => {
    const most = Math.max(...sample.map(({ measures }) => measures.survivors));
    // The variance is at most the mean: 8 errors above it are out of reach of 1500 runs.
    expect(most).toBeLessThan(survivors + 8 * Math.sqrt(survivors));
  });

  test("Theorem 3: exactly one leader, but for lost survivors and disjoint quorums", () => {
    const failing = noSurvivor(survivors) + severalLeadersBound(n, quorumSize(n), survivors);
    expect(1 - share(sample, "one")).toBeLessThan(failing + 5 * Math.sqrt(failing / count));
  });

  test("the log2(n)-1 rounds of Fig. 1 leave nobody almost half the time at n = 8", () => {
    const sample = runs({ protocol: "tournament", n: 8, seed: 2, params: { J: 2 } }, 2000);
    // Measured 0.457 in 4000 runs of seed 1; the error of the difference from 2000 of seed 2 is 0.0136.
    expect(Math.abs(share(sample, "none") - 0.457)).toBeLessThan(5 * 0.0136);
    expect(sample.every(({ outcome, measures }) => outcome !== "none" || measures.survivors === 0)).toBe(true);
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

  test("Theorem 5: messages grow as n^1 (fitted from 2^8 on: exponent within 0.9 and 1.05)", () => {
    const points: [number, number][] = [];
    for (let k = 8; k <= effort(13, 15); k++) {
      const n = 2 ** k;
      const messages = mean(runs({ protocol: "tournament", n }, k < 13 ? 6 : 2).map((trial) => trial.messages));
      points.push([n, messages]);
      const expected = expectedMessages(design(n), defaultRounds(design(n), 1 / n), quorumSize(n));
      // The recursion puts the mean of X_j in place of X_j: 15% covers it and the spread of two to six runs.
      expect(Math.abs(messages / expected - 1)).toBeLessThan(0.15);
    }
    expect(exponent(points)).toBeGreaterThan(0.9);
    expect(exponent(points)).toBeLessThan(1.05);
  });

  test("asking old mediators again does not save messages: survivors own theirs, so more contenders go on", () => {
    const [fresh, reuse] = ["fresh", "reuse-all"].map((mediators) =>
      runs({ protocol: "tournament", n: 1024, params: { mediators } }, 40).map(({ messages }) => messages),
    );
    // The whole gap is over ten errors; half of it fails with probability below 1e-6.
    expect(mean(reuse) - mean(fresh)).toBeGreaterThan(5 * Math.hypot(error(reuse), error(fresh)));
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

  test("Theorem 12: a unique leader although mediators fail, with either approach", () => {
    const elections = effort(80, 200);
    for (const failures of ["all-yes", "no-refusal"]) {
      const sample = runs({ protocol: "tournament", n, params: { gamma, failures } }, elections);
      const survivors = mean(sample.map(({ measures }) => measures.survivors));
      // Below 4.5 errors too few of the over-provisioned quorum answer; added to the causes without failures.
      const failing = noSurvivor(survivors) + severalLeadersBound(n, quorumSize(n), survivors) + 1e-3;
      expect(1 - share(sample, "one")).toBeLessThan(failing + 5 * Math.sqrt(failing / elections));
    }
  });

  test("going on without answers lets more contenders survive than asking for all", () => {
    const [allYes, noRefusal] = ["all-yes", "no-refusal"].map((failures) =>
      runs({ protocol: "tournament", n, params: { gamma: 0.2, failures, J: 3 } }, 40).map(
        ({ measures }) => measures.survivors,
      ),
    );
    expect(mean(noRefusal) - mean(allYes)).toBeGreaterThan(5 * Math.hypot(error(noRefusal), error(allYes)));
  });
});
