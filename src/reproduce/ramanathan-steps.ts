/** Ramanathan et al.: steps of proofs and remarks that can be computed without a run of the protocol. */
import { resolve } from "../simulation/settings.ts";
import { runTrial } from "../simulation/trial.ts";
import { quorumMiss } from "../theory/ramanathan.ts";
import { exactSigma, quorumSize } from "../theory/sigma.ts";
import { design } from "./ramanathan-design.ts";
import { textsOf } from "./texts.ts";
import { afterRepair } from "./verdict.ts";

const { item } = textsOf("ramanathan");

const N = 1024;
const ROUNDS = Array.from({ length: 8 }, (_, i) => i + 1);

/** The chance that some two of n numbers from [0..n^4] are equal. */
export function anyEqual(n: number): number {
  let unique = 0;
  for (let i = 1; i < n; i++) unique += Math.log1p(-i / (n ** 4 + 1));
  return -Math.expm1(unique);
}

/** Variance over mean of the balls that are alone in their bins, n balls in n bins: the first round. */
function spreadAlone(n: number): number {
  const mean = n * (1 - 1 / n) ** (n - 1);
  const pairs = n * (n - 1) * (1 - 1 / n) * (1 - 2 / n) ** (n - 2);
  return (pairs + mean - mean ** 2) / mean;
}

/** The least k for which both Chernoff tails at n = 2^k, with ε = 1/log² n, come to less than n^-2. */
function chernoffFrom(): number {
  let k = 4;
  while (2 * Math.exp(-(2 ** (k - 1)) / (3 * k ** 4)) > 2 ** (-2 * k)) k++;
  return k;
}

export const steps = item("steps", {}, () => {
  const k = chernoffFrom();
  const spread = spreadAlone(N);
  // Requests of the first phase, for each process: E_j σ_j / n with the design's numbers, and the sum that is printed.
  const sent = ROUNDS.reduce((sum, j) => sum + exactSigma(design(2 ** 20), j) / 2 ** (j - 1), 0);
  const printed = ROUNDS.reduce((sum, j) => sum + 2 ** (1 - j), 0);
  const roots = ROUNDS.reduce((sum, j) => sum + Math.sqrt(Math.LN2) * 2 ** ((1 - j) / 2), 0);
  const [alpha, size] = [2, 2048];
  const integral = (j: number) =>
    1 + (size / alpha ** j) * -Math.expm1((-(alpha ** j) * (size / alpha ** (j - 1) - 1)) / size);
  const bounded = ROUNDS.filter((j) => integral(j) <= size / alpha ** j);
  const equal = exactSigma(design(2 ** 20), 5) / alpha ** 2.5;
  const requests = ROUNDS.reduce((sum, j) => sum + alpha ** (1 - j) * alpha ** (j / 2), 0);
  const seventh = alpha * ROUNDS.reduce((sum, j) => sum + alpha ** (-j / 2), 0);
  const alone = runTrial(resolve({ protocol: "quorum", n: 100, initiators: 1, params: { reading: "tables" } }), 0);
  const grid = 2 * Math.sqrt(N) - 1;
  return {
    values: [
      { N, k, roots, printed, size, alpha, last: bounded.length, pairs: quorumMiss(N, quorumSize(N)) * N, seventh },
      { asked: quorumSize(100), billiard: Math.sqrt(2 * N) },
    ],
    claims: {
      "chernoff-step": [`from n = 2^${k} on`, Number.isFinite(k)],
      "variance-below": [spread, spread > 0.5],
      "theorem5-sum": [sent, afterRepair(Math.abs(sent / roots - 1) < 1e-3 && roots > printed)],
      "sigma-equal": [equal, Math.abs(equal - 1) < 0.01],
      "theorem6-integral": [bounded.length, bounded.length === ROUNDS.length],
      "theorem7-sum": [requests, requests <= seventh * (1 + 1e-12)],
      "scenario-one": [quorumMiss(N, quorumSize(N)), (x) => x <= 1 / N],
      "ack-of-potw": [alone.messages / quorumSize(100), alone.messages === 4 * quorumSize(100)],
      "equal-numbers": [anyEqual(N), (x) => x < 1 / N],
      "grid-quorums": [grid, Math.abs(grid - 2 * Math.sqrt(N)) <= 1 && Math.sqrt(2 * N) < grid],
    },
  };
});
