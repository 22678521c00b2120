/**
 * The exact means of Raz et al.: exchanges T and replies N of every council protocol, without loss. The initial poll is
 * not part of them where n is known; everything is where it is unknown (PAPERS, Raz et al. 6).
 */
import { exp } from "../../random/elementary.ts";
import { ln } from "../../random/ln.ts";
import { Descent } from "./descent.ts";
import { binomialProbability } from "./replies.ts";
import { type Cost, plusWeighted, Restarts } from "./restarts.ts";

export interface Range {
  readonly L: number;
  readonly U: number;
}

/** The parameters of a council election: its range, and c, the mean number of replies. */
export interface CouncilDesign extends Range {
  readonly c: number;
  /** The factor by which the centre's n differs from the real one; 1 where absent. */
  readonly estimate?: number;
  readonly base?: "skip-reset" | "basic" | "naive";
  readonly reading?: "repaired" | "printed";
}

/** How a centre that does not know n looks for it. */
export interface Search {
  readonly guess: number;
  readonly alpha: number;
  readonly beta: number;
}

/** Estimates that are reached more rarely than this cannot show in a mean. */
const UNREACHED = 1e-40;

const NOTHING: Cost = { rounds: 0, messages: 0 };

/** Where n is known and already within the range, the poll has elected everybody. */
const elected = (n: number, { U, estimate }: CouncilDesign) => n <= U && (estimate ?? 1) === 1;

const descentOf = ({ L, U, c }: CouncilDesign, draws: 1 | 2, history: boolean) =>
  new Descent({ L, U, c, draws, history });

/** Section IV: one draw with c/n, repeated until it falls within the range. */
export function naiveCost(n: number, plan: CouncilDesign): Cost {
  const p = Math.min(1, plan.c / (n * (plan.estimate ?? 1)));
  const { within } = descentOf(plan, 1, false).outcomes(n, p);
  return { rounds: 1 / within, messages: (n * p) / within };
}

/** Equations (4) and (5): after an undershoot everybody is polled. As printed, (4) charges that poll too little. */
export function basicCost(n: number, plan: CouncilDesign): Cost {
  return elected(n, plan) ? NOTHING : polling(n, plan, descentOf(plan, 1, false));
}

/** Equations (6) and (7). */
export function skipResetCost(n: number, plan: CouncilDesign): Cost {
  if (elected(n, plan)) return NOTHING;
  return new Restarts(n, descentOf(plan, 1, false), "skip-reset").from(n * (plan.estimate ?? 1));
}

/** Section V-B: two draws per exchange, on top of Skip-Reset or of the basic algorithm. */
export function choiceCost(n: number, plan: CouncilDesign): Cost {
  if (elected(n, plan)) return NOTHING;
  const descent = descentOf(plan, 2, false);
  if (plan.base === "basic") return polling(n, plan, descent);
  return new Restarts(n, descent, "skip-reset").from(n * (plan.estimate ?? 1));
}

/** Equations (10) and (11). */
export function historyCost(n: number, plan: CouncilDesign): Cost {
  if (elected(n, plan)) return NOTHING;
  const descent = descentOf(plan, 1, true);
  const estimate = plan.estimate ?? 1;
  return estimate === 1 ? descent.at(n) : descent.from(n, descent.chance(n * estimate), null);
}

/** Equations (19) and (20). As printed, a restart after an overshoot knows n; the algorithm only knows its estimate. */
export function unknownCost(n: number, plan: CouncilDesign, search: Search): Cost {
  const base = plan.base === "naive" ? "naive" : "skip-reset";
  const descent = descentOf(plan, 1, false);
  const restarts = new Restarts(n, descent, base);
  const known = n <= plan.U ? NOTHING : restarts.from(n);
  const levels: number[] = [];
  let reached = 1;
  for (let guess: number | null = search.guess; guess !== null; guess = smaller(guess, plan, search)) {
    levels.push(guess);
    reached *= descent.outcomes(n, descent.chance(guess)).under;
    if (reached < UNREACHED) break;
  }
  let cost: Cost = plusWeighted({ rounds: 1, messages: n }, known, 1);
  for (const guess of levels.reverse()) cost = restarts.ladder(guess, cost, plan.reading === "printed" ? known : null);
  return cost;
}

/** Equation (17): the next estimate after an undershoot; null where f is not defined, and everybody is polled. */
export function smaller(guess: number, { U }: Range, { alpha, beta }: Search): number | null {
  const next = (alpha === 1 ? guess : exp(alpha * ln(guess))) / beta;
  return next > U && next < guess ? next : null;
}

/** Bolot et al.: of the 16 bits of a fixed random vector fewer and fewer have to match, until somebody answers. */
export function masksCost(n: number, bits: number): Cost {
  let rounds = 1;
  let messages = n * 2 ** -bits;
  for (let b = 1; b <= bits; b++) {
    rounds += binomialProbability(0, n, 2 ** -b);
    messages += n * 2 ** -b * binomialProbability(0, n - 1, 2 ** -b);
  }
  return { rounds, messages };
}

function polling(n: number, plan: CouncilDesign, descent: Descent): Cost {
  const estimate = plan.estimate ?? 1;
  const cycle = descent.at(n);
  // A poll that finds n within the range has elected everybody.
  const poll = (under: number, underMean: number): Cost => ({
    rounds: under,
    messages: plan.reading === "printed" ? underMean : n * under,
  });
  const repeated = plusWeighted(cycle, poll(cycle.under, cycle.underMean), 1);
  const polled = { rounds: repeated.rounds / cycle.success, messages: repeated.messages / cycle.success };
  if (estimate === 1) return polled;
  const first = descent.from(n, descent.chance(n * estimate), null);
  return plusWeighted(plusWeighted(first, poll(first.under, first.underMean), 1), polled, first.under);
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
