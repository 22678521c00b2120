/** Ramanathan et al.: steps of proofs and remarks that can be computed without a run of the protocol. */
import { resolve } from "../../simulation/settings.ts";
import { runTrial } from "../../simulation/trial.ts";
import { anyEqual, chernoffFrom, spreadAlone } from "../../theory/ramanathan/printed.ts";
import { quorumMiss } from "../../theory/ramanathan/ramanathan.ts";
import { design, exactSigma, quorumSize } from "../../theory/ramanathan/sigma.ts";
import { afterRepair } from "../claim.ts";
import { ramanathan } from "../texts.ts";

const N = 1024;
const ROUNDS = Array.from({ length: 8 }, (_, i) => i + 1);

ramanathan("steps")((_ran, { tell, claims }) => {
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
  tell({ N, k, roots, printed, size, alpha, last: bounded.length, pairs: quorumMiss(N, quorumSize(N)) * N, seventh });
  tell({ asked: quorumSize(100), billiard: Math.sqrt(2 * N) });
  claims({
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
  });
});
