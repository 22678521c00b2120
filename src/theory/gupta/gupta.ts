/**
 * The analysis of one round of filter-relay by Gupta, van Renesse and Birman (DISC 2000, section 4), as printed. Its five
 * factors are called lower bounds; test/papers/gupta.test.ts says which of them are.
 */
import type { Prediction, Question } from "../prediction.ts";

/** The network: probabilities of the analysis, and the size of the group. */
export interface GuptaSetting {
  readonly n: number;
  /** view_prob: that a member knows another. */
  readonly view: number;
  /** p_ucastl and p_mcastl: that a unicast, or a multicast at one receiver, is lost. */
  readonly loss: number;
  readonly multicastLoss: number;
  /** p_fail: that a process fails during a round. */
  readonly crash: number;
}

/** Theorem 1's factors. Where a printed bound is below 0, it says nothing and 0 stands for it. */
export interface GuptaFactors {
  /** K1/2 .. 3K1/2 relays are chosen, and K2/2 .. 3K2/2 of them live to multicast. */
  readonly E1: number;
  /** The relays that live are connected through their views. */
  readonly E2: number;
  /** They all select the same leader. */
  readonly E3: number;
  /** Every member fails or receives a final multicast. */
  readonly E4: number;
  /** The leader does not fail. */
  readonly E5: number;
}

/** K1 of those who hear of the round are admitted on average; K2 of them live. */
export const admitted = (k: number, { multicastLoss }: GuptaSetting): number => (1 - multicastLoss) * k;
export const surviving = (k: number, setting: GuptaSetting): number => (1 - setting.crash) * admitted(k, setting);

/** Theorem 1(b) for a round with parameter K. */
export function roundFactors(k: number, setting: GuptaSetting): GuptaFactors {
  const { n, view, loss, multicastLoss, crash } = setting;
  const k2 = surviving(k, setting);
  const isolated = k2 === 0 ? 0 : (k2 / 2) * (1 - view) ** (k2 / 2 - 1);
  return {
    E1: Math.max(0, 1 - farFromMean(admitted(k, setting)) - farFromMean(k2)),
    E2: Math.exp(-isolated),
    E3: (1 - crash) * (1 - loss) ** Math.max(0, (3 * k2) / 2 - 1),
    // As a power of 1-x with a tiny x, which the sum p + (1-p)(1-q) would round away.
    E4: Math.exp(n * Math.log1p(-(1 - crash) * multicastLoss ** (k2 / 2))),
    E5: 1 - crash,
  };
}

/** Both tails of the normal approximation beyond half the mean. */
const farFromMean = (mean: number): number => 2 * Math.sqrt(2 / (Math.PI * mean)) * Math.exp(-mean / 8);

/** The product of the five: what the paper gives for the probability that a round succeeds. */
export function roundSuccess(k: number, setting: GuptaSetting): number {
  const { E1, E2, E3, E4, E5 } = roundFactors(k, setting);
  return E1 * E2 * E3 * E4 * E5;
}

/** Theorem 2: the probability that a failed round is noticed. It is printed for any failure; see the test. */
export function detection(k: number, setting: GuptaSetting): number {
  const { n, multicastLoss, crash } = setting;
  const hearsAll = (1 - crash) * (1 - multicastLoss) ** ((3 * surviving(k, setting)) / 2);
  return roundFactors(k, setting).E1 * (hearsAll >= 1 ? 1 : -Math.expm1(n * Math.log1p(-hearsAll)));
}

/** What a round costs at most when E1 holds, and how probable that is (Theorem 3, with its constants filled in). */
interface RoundCost {
  readonly unicasts: number;
  readonly multicasts: number;
  readonly unicastsWithin: number;
  readonly multicastsWithin: number;
}

/**
 * m <= 3K1/2 relays: each changes its mind at most m-1 times and tells m-1 others of it and of its first choice, and each
 * of these messages is answered at most once. One initiation, and a final multicast of each relay that lives.
 */
export function roundCost(k: number, setting: GuptaSetting): RoundCost {
  const { E1 } = roundFactors(k, setting);
  const relays = (3 * admitted(k, setting)) / 2;
  return {
    unicasts: 2 * relays * relays * Math.max(0, relays - 1),
    multicasts: 1 + (3 * surviving(k, setting)) / 2,
    unicastsWithin: E1,
    multicastsWithin: E1 ** 2,
  };
}

/** A number of relays, and the success that it gives. */
export interface Optimum {
  readonly K: number;
  readonly success: number;
}

/** The K, a whole number of at most n, for which the product of the factors is largest (the peak of Fig. 4). */
export function optimumK(setting: GuptaSetting): Optimum {
  let best: Optimum = { K: 1, success: roundSuccess(1, setting) };
  // E2 and E4 have converged long before this K; from there on the product only falls with E3, or stays.
  const last = Math.min(setting.n, 10_000);
  for (let k = 2; k <= last; k++) {
    const success = roundSuccess(k, setting);
    if (success > best.success) best = { K: k, success };
  }
  return best;
}

/** What `theory` prints of a round: means that the paper does not give are null. */
export function filterRelayTheory(k: number, setting: GuptaSetting) {
  return {
    method: "bound",
    success: roundSuccess(k, setting),
    pNone: null,
    pMany: null,
    messages: null,
    rounds: null,
    factors: roundFactors(k, setting),
    optimum: optimumK(setting),
  } as const;
}

/** Theorem 1: the first round, with its five factors. */
export function predictRound({ params, n, loss, multicastLoss, crash }: Question): Prediction {
  const view = Number(params.view);
  const { optimum, ...theory } = filterRelayTheory(Number(params.K), { n, view, loss, multicastLoss, crash });
  return { ...theory, factors: { ...theory.factors }, optimum: { ...optimum } };
}
