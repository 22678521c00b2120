/** Ramanathan et al.: steps of proofs and remarks that can be computed without a run of the protocol. */
import { resolve } from "../../simulation/settings.ts";
import { runTrial } from "../../simulation/trial.ts";
import { anyEqual, chernoffFrom, spreadAlone } from "../../theory/ramanathan/printed.ts";
import { expectedContenders, quorumMiss } from "../../theory/ramanathan/ramanathan.ts";
import { defaultRounds, design, exactSigma, quorumSize } from "../../theory/ramanathan/sigma.ts";
import { afterRepair, given, verdictOr } from "../criteria.ts";
import { ramanathan } from "../texts.ts";

/** What a mediator does with requests by Table 7, to the letter or with its slips repaired. */
function table7(repaired: boolean, requests: readonly (readonly [rank: number, from: string])[]) {
  type Value = number | string | null;
  const at: Record<"phi" | "pi" | "rho" | "piWait" | "rhoWait", Value> = {
    phi: null,
    pi: null,
    rho: null,
    piWait: null,
    rhoWait: null,
  };
  const refused: Value[] = [];
  const init = (pi: Value, rho: Value, piWait: Value, rhoWait: Value) => {
    Object.assign(at, { [repaired ? "pi" : "phi"]: pi, rho, piWait, rhoWait });
  };
  const below = (one: Value, other: Value) => one !== null && other !== null && one < other;
  for (const [rank, from] of requests) {
    if (at.rho === null) init(rank, from, null, null);
    else if (below(rank, at.pi)) refused.push(from);
    else if (at.piWait === null) init(at.pi, at.rho, rank, from);
    else if (below(rank, at.piWait)) refused.push(from);
    else {
      refused.push(at.rhoWait);
      if (repaired) init(at.pi, at.rho, rank, from);
      else init(at.pi, at.rho, from, rank);
    }
  }
  return { refused: refused.join(" "), waits: at.rhoWait };
}

/** The least n expected after the first phase, where γ of the processes have failed, if J is that of n - nγ without failures. */
function leftWith(n: number, gamma: number) {
  const printed = defaultRounds(design(Math.round(n * (1 - gamma))), 1 / n);
  const repaired = defaultRounds(design(n, { gamma }), 1 / n);
  const [left, rather] = [printed, repaired].map((J) => expectedContenders(design(n, { gamma }), J)[J]);
  return { left, rather };
}

/** Footnote 3: the most that a contender of some round is in a race, with two mediators in common with another one. */
const inRace = (n: number) =>
  Math.max(
    ...ROUNDS.map((j) => {
      const [sigma, others] = [exactSigma(design(n), j), n / 2 ** (j - 1) - 1];
      const shared = sigma ** 2 / n;
      return others * -(Math.expm1(-shared) + shared * Math.exp(-shared));
    }),
  );

const N = 1024;
const ROUNDS = Array.from({ length: 8 }, (_, i) => i + 1);

/** Two orders of requests under Table 7, each as printed and as repaired. */
function table7Cases() {
  const both = (requests: Parameters<typeof table7>[1]) => ({
    printed: table7(false, requests),
    repaired: table7(true, requests),
  });
  const lower = both([
    [5, "first"],
    [2, "low"],
  ]);
  const swapped = both([
    [5, "first"],
    [7, "high"],
    [9, "higher"],
  ]);
  return { lower, swapped };
}

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
  // To leave one in α the design has σ_j² = n ln α / (E_j - 1), which is (ln α / α) α^j; the proof has α^j.
  const alphas = Array.from({ length: 400 }, (_, i) => 1 + (i + 1) / 50);
  const equal = Math.max(...alphas.map((one) => Math.log(one) / one));
  const requests = ROUNDS.reduce((sum, j) => sum + alpha ** (1 - j) * alpha ** (j / 2), 0);
  const seventh = alpha * ROUNDS.reduce((sum, j) => sum + alpha ** (-j / 2), 0);
  const alone = runTrial(resolve({ protocol: "quorum", n: 100, initiators: 1, params: { reading: "tables" } }), 0);
  const grid = 2 * Math.sqrt(N) - 1;
  const { lower, swapped } = table7Cases();
  const { left, rather } = leftWith(512, 0.2);
  // φ_w is in no table; Φ_w, the only letter near it, is the set of contenders of the last round.
  const counted = Math.round(expectedContenders(design(N), defaultRounds(design(N), 1 / N)).at(-1)!);
  tell({ N, k, roots, printed, size, alpha, last: bounded.length, pairs: quorumMiss(N, quorumSize(N)) * N, seventh });
  tell({ asked: quorumSize(100), billiard: Math.sqrt(2 * N), quorum: quorumSize(N), rather, enough: Math.log(512) });
  claims({
    "chernoff-step": [`from n = 2^${k} on`, given(k, (from) => from > 0 && from < 1000)],
    "variance-below": [spread, (x) => x > 0.5],
    "theorem5-sum": [sent, (x) => afterRepair(Math.abs(x / roots - 1) < 1e-3 && roots > printed)],
    "table5-counter": [counted, (x) => x === quorumSize(N)],
    "table7-phi": [
      lower.printed.refused || "nobody",
      given(lower, ({ printed, repaired }) => verdictOr(printed.refused === "low", repaired.refused === "low")),
    ],
    "table7-swapped": [
      `${swapped.printed.waits}`,
      given(swapped, ({ printed, repaired }) => verdictOr(printed.waits === "higher", repaired.waits === "higher")),
    ],
    "n-less-failed": [
      left,
      given([left, rather], ([printed, recursion]) => verdictOr(printed >= Math.log(512), recursion >= Math.log(512))),
    ],
    "races-rare": [inRace(2 ** 20), (x) => x < 0.05],
    "sigma-equal": [equal, (x) => x >= 1],
    "theorem6-integral": [bounded.length, (x) => x === ROUNDS.length],
    "theorem7-sum": [requests, (x) => x <= seventh * (1 + 1e-12)],
    "scenario-one": [quorumMiss(N, quorumSize(N)), (x) => x <= 1 / N],
    "ack-of-potw": [alone.messages / quorumSize(100), alone.messages === 4 * quorumSize(100)],
    "equal-numbers": [anyEqual(N), (x) => x < 1 / N],
    "grid-quorums": [grid, (x) => Math.abs(x - 2 * Math.sqrt(N)) <= 1 && Math.sqrt(2 * N) < x],
  });
});
