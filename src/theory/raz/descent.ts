/**
 * What is to be expected from the moment at which m > U hosts are active until their number is at most U: the linear
 * systems (4) to (11) of Raz et al., solved from below. Each draw leaves about c of them, however many they were, so only
 * the first few dozen populations above U have to be solved one after the other; any other m needs just these.
 *
 * Every quantity is a sum of positive terms, so none is lost in a difference, however rare success is.
 */
import { type Replies, replies } from "./replies.ts";

/** Means, from a draw among m active hosts to the end of the descent. */
export interface Prospect {
  /** Exchanges. */
  readonly rounds: number;
  /** Replies sent. */
  readonly messages: number;
  /** P(it ends within [L, U]), and P(it ends below L). */
  readonly success: number;
  readonly under: number;
  /** The mean of the last number of replies where that is below L, 0 elsewhere. */
  readonly underMean: number;
}

interface Rules {
  readonly L: number;
  readonly U: number;
  readonly c: number;
  /** Coins per host and exchange: with two, the centre takes the better one. */
  readonly draws: 1 | 2;
  /** history: after an undershoot the same m draw again, so a descent always ends within the range. */
  readonly history: boolean;
}

const SURE: Prospect = { rounds: 0, messages: 0, success: 1, under: 0, underMean: 0 };

export class Descent {
  private readonly rules: Rules;
  /** Populations U+1, U+2, ... up to the reach of a draw; and larger ones, as they were asked for. */
  private readonly solved: Prospect[] = [];
  private readonly larger = new Map<number, Prospect>();
  private readonly top: number;

  constructor(rules: Rules) {
    this.rules = rules;
    this.top = reach(rules.c, rules.U);
  }

  /** From a feedback that names m, heard by m active hosts. */
  at(m: number): Prospect {
    const { U } = this.rules;
    if (m <= U) return SURE;
    while (this.solved.length < Math.min(m, this.top) - U) {
      const next = U + 1 + this.solved.length;
      this.solved.push(this.among(next));
    }
    if (m <= this.top) return this.solved[m - U - 1];
    let prospect = this.larger.get(m);
    if (prospect === undefined) {
      prospect = this.among(m);
      this.larger.set(m, prospect);
    }
    return prospect;
  }

  private among(m: number): Prospect {
    return this.from(m, this.rules.c / m, m);
  }

  /** From one draw of n hosts with probability p. Where `same` hosts remain, this very draw is repeated. */
  from(n: number, p: number, same: number | null): Prospect {
    const row = this.outcomes(n, p);
    let rounds = 1;
    let messages = this.sent(n, p);
    let success = row.within;
    let under = this.rules.history ? 0 : row.under;
    let underMean = this.rules.history ? 0 : row.underMean;
    let leaves = success + under;
    for (let k = 0; k < row.over.length; k++) {
      const m = row.first + k;
      if (m === same) continue;
      const weight = row.over[k];
      const next = this.at(m);
      leaves += weight;
      rounds += weight * next.rounds;
      messages += weight * next.messages;
      success += weight * next.success;
      under += weight * next.under;
      underMean += weight * next.underMean;
    }
    return {
      rounds: rounds / leaves,
      messages: messages / leaves,
      success: success / leaves,
      under: under / leaves,
      underMean: underMean / leaves,
    };
  }

  /** The distribution of replies to one draw of n hosts with probability p: of the better draw where there are two. */
  outcomes(n: number, p: number): Replies {
    const row = replies(n, p, this.rules.L, this.rules.U);
    return this.rules.draws === 2 ? better(row) : row;
  }

  /** The chance with which an active host replies to a feedback that names this population: equation (3). */
  chance(population: number): number {
    return population <= this.rules.U ? 1 : Math.min(1, this.rules.c / population);
  }

  /** The mean number of replies to one draw. */
  sent(n: number, p: number): number {
    return n * p * (this.rules.draws === 2 ? 2 - p : 1);
  }
}

/**
 * The choice of two draws (section V-B): one within the range if there is any, otherwise the smaller overshoot,
 * otherwise both are below L.
 */
function better(row: Replies): Replies {
  const over = new Float64Array(row.over.length);
  let above = 0;
  for (let k = over.length - 1; k >= 0; k--) {
    over[k] = row.over[k] * (2 * (above + row.under) + row.over[k]);
    above += row.over[k];
  }
  return {
    under: row.under * row.under,
    underMean: row.underMean * row.under,
    within: row.within * (2 - row.within),
    first: row.first,
    over,
  };
}

/** The largest population that a draw leaves with a probability worth counting: P(i+1)/P(i) < c/(i+1) above the mean. */
function reach(c: number, U: number): number {
  let i = U + 1;
  for (let ratio = 1; ratio > 1e-24; i++) ratio *= Math.min(1, c / (i + 1));
  return i;
}
