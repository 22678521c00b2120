/** Raz et al. in numbers: means, the chances of a single draw, the best c, and section VI-A's bound. */
import type { FaultPlan } from "../host/faults.ts";
import { protocolNamed } from "../protocols/catalogue.ts";
import {
  basicCost,
  choiceCost,
  historyCost,
  masksCost,
  naiveCost,
  type Plan,
  type Search,
  skipResetCost,
  unknownCost,
} from "../protocols/council/expectation.ts";
import { probability, replies } from "../protocols/council/replies.ts";
import type { Cost } from "../protocols/council/restarts.ts";
import type { Params } from "../protocols/parameters.ts";

export interface CouncilTheory {
  /** approximation: under loss, where c(1-q) stands for c; that is exact for the first draw only. */
  readonly method: "exact" | "approximation";
  /** P(a council within [L, U]), P(fewer), P(more); null where losses leave hosts active of which the centre knows nothing. */
  readonly success: number | null;
  readonly pNone: number | null;
  readonly pMany: number | null;
  /** The mean number of replies: the paper's N. */
  readonly messages: number;
  /** The mean number of exchanges: the paper's T. */
  readonly rounds: number;
  /** What the first draw gives: P(fewer than L), P(within), P(more than U). */
  readonly factors: Readonly<Record<string, number>>;
  /** By the words that may stand for c: auto-T, auto-N, heuristic-T, heuristic-N. */
  readonly optimum: Readonly<Record<string, Tuned>>;
}

export interface Tuned extends Cost {
  readonly c: number;
}

type Losses = Pick<FaultPlan, "loss" | "multicastLoss" | "crash">;

const costs: Readonly<Record<string, (n: number, plan: Plan & Search) => Cost>> = {
  "council-naive": naiveCost,
  "council-basic": basicCost,
  "council-skip-reset": skipResetCost,
  "council-choice": choiceCost,
  "council-history": historyCost,
  "council-unknown": (n, plan) => unknownCost(n, plan, plan),
};

/** The council protocols that have a theory. */
export const councilTheories: readonly string[] = [...Object.keys(costs), "council-masks"];

/** `params` are resolved parameters. */
export function councilTheory(protocol: string, n: number, params: Params, losses: Losses): CouncilTheory {
  const heard = (1 - losses.multicastLoss) * (1 - losses.crash);
  const arrives = 1 - losses.loss;
  const exact = heard === 1 && arrives === 1;
  const certain = { success: 1, pNone: 0, pMany: 0 };
  const open = { success: null, pNone: null, pMany: null };
  if (protocol === "council-masks") {
    const { U, bits } = params as { U: number; bits: number };
    // A host that does not hear, or is not heard, is as good as absent in any one exchange.
    const { rounds, messages } = masksCost(n * heard * arrives, bits);
    const pMany = tooManyMatch(n, U, bits);
    return {
      method: exact ? "exact" : "approximation",
      ...(exact ? { success: 1 - pMany, pNone: 0, pMany } : open),
      messages: messages / arrives,
      rounds,
      factors: {},
      optimum: {},
    };
  }
  const plan = params as unknown as Plan & Search;
  const { rounds, messages } = costs[protocol](n, { ...plan, c: plan.c * heard * arrives });
  return {
    method: exact ? "exact" : "approximation",
    ...(exact || (params.confirm && heard === 1) ? certain : open),
    messages: messages / arrives,
    rounds,
    factors: firstDraw(n, { ...plan, c: plan.c * heard * arrives }, protocol),
    optimum: optima(protocol, n, params, plan),
  };
}

function firstDraw(n: number, plan: Plan & Search, protocol: string): Record<string, number> {
  const believed = protocol === "council-unknown" ? plan.guess : n * (plan.estimate ?? 1);
  const { under, within } = replies(n, Math.min(1, plan.c / believed), plan.L, plan.U);
  return { under, within, over: Math.max(0, 1 - under - within) };
}

/** What the best c, for T and for N, and the rules of thumb come to. */
function optima(protocol: string, n: number, params: Params, plan: Plan & Search): Record<string, Tuned> {
  const { words } = protocolNamed(protocol).parameters.find(({ name }) => name === "c")!;
  return Object.fromEntries(
    Object.entries(words!).map(([word, value]) => {
      const c = value(n, params);
      const { rounds, messages } = costs[protocol](n, { ...plan, c });
      return [word, { c, rounds, messages }];
    }),
  );
}

/** P(more than U hosts reply in the exchange that ends the search of Bolot et al.). */
function tooManyMatch(n: number, U: number, bits: number): number {
  const more = (p: number) => {
    const { under, within } = replies(n, p, 0, U);
    return Math.max(0, 1 - under - within);
  };
  let total = more(2 ** -bits);
  for (let b = 0; b < bits; b++) {
    const next = 2 ** -(b + 1);
    // Nobody matches b+1 bits; of those others, each matches b bits with this chance.
    total += probability(0, n, next) * more(next / (1 - next));
  }
  return total;
}

/** Equation (15): P(X > (1+delta) c) by Chernoff. */
export const chernoff = (delta: number, c: number) => Math.exp(c * (delta - (1 + delta) * Math.log(1 + delta)));

/**
 * Equation (16), solved for T(n): history with L = U = 1. X > (1+delta) c is the rare case, charged with T(n) itself;
 * otherwise at most m = floor((1+delta) c) hosts are left, and T(m) is the largest of T(2) .. T(m).
 */
export function historyBound(n: number, c: number, delta: number): number {
  const rare = chernoff(delta, c);
  const one = c * (1 - c / n) ** (n - 1);
  const { rounds } = historyCost(Math.floor((1 + delta) * c), { L: 1, U: 1, c });
  return (1 + (1 - rare - one) * rounds) / (1 - rare);
}
