/**
 * What is to be expected from a reset that tells all n hosts a population N, right or wrong: a draw with c/N, a descent,
 * and after an undershoot the same again. A centre that hears more than N replies believes them (Fig. 9, line 9), so a
 * restart may use a larger N than the one before.
 */
import type { Descent, Prospect } from "./descent.ts";

/** Mean numbers of exchanges and of replies: the paper's T and N. */
export interface Cost {
  readonly rounds: number;
  readonly messages: number;
}

export const plusWeighted = (a: Cost, b: Cost, weight: number): Cost => ({
  rounds: a.rounds + weight * b.rounds,
  messages: a.messages + weight * b.messages,
});

/** naive: hosts keep no state, so an overshoot is as useless as an undershoot. */
const USELESS: Prospect = { rounds: 0, messages: 0, success: 0, under: 1, underMean: 0 };

export class Restarts {
  private readonly n: number;
  private readonly descent: Descent;
  private readonly base: "skip-reset" | "naive";
  private readonly known = new Map<number, Cost>();

  constructor(n: number, descent: Descent, base: "skip-reset" | "naive") {
    this.n = n;
    this.descent = descent;
    this.base = base;
  }

  /** From a reset with population N, restarted with N (or the larger number heard) until the council stands. */
  from(population: number): Cost {
    const known = this.known.get(population);
    if (known !== undefined) return known;
    const { cost, stays } = this.attempt(population, null, null);
    const total = { rounds: cost.rounds / stays, messages: cost.messages / stays };
    this.known.set(population, total);
    return total;
  }

  /** From a reset with population N to success, where a direct undershoot leads on to `next` instead of to N again. */
  ladder(population: number, next: Cost, afterOvershoot: Cost | null): Cost {
    return this.attempt(population, next, afterOvershoot).cost;
  }

  /** One attempt: its cost, everything that follows elsewhere included, and P(it is not repeated just so). */
  private attempt(population: number, next: Cost | null, afterOvershoot: Cost | null): { cost: Cost; stays: number } {
    const { n, descent } = this;
    const p = descent.chance(population);
    const row = descent.outcomes(n, p);
    let cost: Cost = { rounds: 1, messages: descent.sent(n, p) };
    let stays = row.within;
    // From the largest population down, so that each restart finds the larger ones already known.
    for (let k = row.over.length - 1; k >= 0; k--) {
      const m = row.first + k;
      const weight = row.over[k];
      const then = this.base === "naive" ? USELESS : descent.at(m);
      cost = plusWeighted(cost, then, weight);
      const elsewhere = afterOvershoot ?? (m > population || next !== null ? this.from(Math.max(population, m)) : null);
      stays += weight * (elsewhere === null ? then.success : 1);
      if (elsewhere !== null) cost = plusWeighted(cost, elsewhere, weight * then.under);
    }
    if (next !== null) {
      cost = plusWeighted(cost, next, row.under);
      stays += row.under;
    }
    return { cost, stays };
  }
}
