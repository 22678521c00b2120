/**
 * The last stage of referees, tournament and quorum: each of several contenders asks a random set, each process that is asked lets
 * the best rank through that it hears, and a contender leads that enough of its set let through and nobody refused.
 *
 * The best contender leads if enough of its round trips succeed. The i-th best must besides escape all refusals: the number
 * of its mediators that hear one of the i-1 better contenders is a Markov chain, one better contender after the other, with
 * hypergeometric steps. Each chance is exact (but for who asks whom among contenders); that contenders fail or
 * escape independently of each other is the approximation.
 */
import { binomialAtLeast, binomialBelow, hypergeometricChances } from "../chance.ts";
import { lnDisjoint } from "./ramanathan.ts";

export interface Contest {
  /** From how many processes a set is drawn, and how large it is. */
  readonly urn: number;
  readonly size: number;
  /** Whether contenders are in the urn of others but not in their own. */
  readonly withoutSelf: boolean;
  /** Positive answers needed. */
  readonly threshold: number;
  /** Whether a process refuses those it does not let through; otherwise it is silent. */
  readonly refuses: boolean;
  /** That a message is lost. */
  readonly loss: number;
  /** That a refusal reaches a contender whose request was heard; one message where missing. */
  readonly refused?: number;
  /** How often a better contender other than the best is in the way; always where missing. */
  readonly persists?: number;
}

export interface Outcomes {
  readonly none: number;
  readonly one: number;
  readonly many: number;
}

/** Leading chances of the best, the second best, ...: as far as they matter. `fails` is 1 - leads[0], without cancellation. */
export interface LeadingChances {
  readonly fails: number;
  readonly leads: readonly number[];
}

/** Below this a lower rank's chance to lead cannot show in any answer. */
const NEGLIGIBLE = 1e-24;
/** How many of a contender's mediators may hear a better one, at most, for it to have a chance that counts. */
const FEW = 64;
/** Contenders whose chances are followed one by one; sets so small that more matter elect many anyway. */
const FOLLOWED = 4000;

/** `present`: how many of the set are alive; `alive`: the chance of each of these, where only that is known. */
export function chances(contest: Contest, contenders: number, present: number, alive = 1): LeadingChances {
  const { threshold, refuses, loss } = contest;
  const trip = alive * (1 - loss) ** 2;
  const fails = binomialBelow(present, trip, threshold);
  const caught = alive * (1 - loss) * (contest.refused ?? 1 - loss);
  const reach = Math.min(present, refuses ? escapes(caught) : Math.max(0, Math.min(present - threshold, 400)));
  const weight = Array.from(
    { length: reach + 1 },
    (_, hit) => (refuses ? (1 - caught) ** hit : 1) * binomialAtLeast(present - hit, trip, threshold),
  );
  return { fails, leads: [1 - fails, ...lowerRanks(contest, contenders, present, weight)] };
}

/**
 * The chances of the second best, the third best, ... to lead, as far as they matter. `weight[hit]`: of one that `hit` of its
 * mediators would refuse, because they heard a better one; it has none with more hits than that.
 */
export function lowerRanks(contest: Contest, contenders: number, present: number, weight: readonly number[]): number[] {
  const reach = weight.length - 1;
  const leads: number[] = [];
  const best = transitions(contest, present, reach);
  const { persists = 1, loss } = contest;
  const others = persists === 1 ? best : transitions({ ...contest, loss: 1 - persists * (1 - loss) }, present, reach);
  let hit = new Float64Array(reach + 1);
  hit[0] = 1;
  for (let better = 1; better < Math.min(contenders, FOLLOWED); better++) {
    const steps = better === 1 ? best : others;
    const next = new Float64Array(reach + 1);
    for (let m = 0; m <= reach; m++) {
      if (hit[m] === 0) continue;
      for (let d = 0; d < steps[m].length; d++) next[m + d] += hit[m] * steps[m][d];
    }
    hit = next;
    let chance = 0;
    for (let m = 0; m <= reach; m++) chance += hit[m] * weight[m];
    if (chance < NEGLIGIBLE) break;
    leads.push(chance);
  }
  return leads;
}

/** From how many refusals on it is as good as certain that one of them arrives. */
export const escapes = (caught: number): number =>
  caught >= 1 ? 0 : Math.min(FEW, Math.ceil(Math.log(NEGLIGIBLE) / Math.log1p(-caught)));

/** steps[m][d]: that of the present - m mediators not yet reached by a better contender, one more reaches d. */
function transitions(contest: Contest, present: number, reach: number): number[][] {
  const { urn, size, withoutSelf } = contest;
  const known = new Map<number, number[]>();
  // ln P(0 of `marked` are asked), from one number of marked ones to the next smaller: C(urn - marked, size) / C(urn, size).
  let ln = lnDisjoint(urn, present, size);
  for (let marked = present; marked >= Math.max(0, present - reach - 1); marked--) {
    known.set(marked, reached(contest, marked, reach - Math.max(0, present - marked - 1), ln));
    const free = urn - marked + 1;
    ln = ln === -Infinity ? lnDisjoint(urn, marked - 1, size) : ln + Math.log(free / (free - size));
  }
  return Array.from({ length: reach + 1 }, (_, m) => {
    const unreached = present - m;
    const other = known.get(unreached)!.slice(0, reach - m + 1);
    if (!withoutSelf || unreached === 0) return other;
    // A better contender does not ask itself, so if it is one of these mediators, there is one fewer to reach.
    const isOne = unreached / urn;
    const one = known.get(unreached - 1)!;
    return other.map((p, d) => (1 - isOne) * p + isOne * (one[d] ?? 0));
  });
}

/** P(d of `marked` hear a contender that asks `size` of the urn), d = 0 .. most. */
function reached({ urn, size, loss }: Contest, marked: number, most: number, ln: number): number[] {
  // Of many more than this, at least `most` are heard.
  const asked = hypergeometricChances(urn, marked, size, loss === 0 ? most : 60 + (2 * most) / (1 - loss), ln);
  const result = new Array<number>(Math.max(0, Math.min(most, marked)) + 1).fill(0);
  for (const [k, p] of asked.p.entries()) {
    const j = asked.first + k;
    if (loss === 0) {
      if (j < result.length) result[j] += p;
      continue;
    }
    // Binomial in d, from d = 0 upwards.
    let term = p * loss ** j;
    if (term === 0) continue;
    for (let d = 0; d < result.length && d <= j; d++) {
      result[d] += term;
      term *= ((j - d) / (d + 1)) * ((1 - loss) / loss);
    }
  }
  return result;
}

/** What a number of contenders with these chances ends with. */
export function outcomesOf({ fails, leads }: LeadingChances, contenders: number): Outcomes {
  if (contenders < 1) return { none: 1, one: 0, many: 0 };
  let none = fails;
  let one = leads[0];
  let many = 0;
  for (let i = 1; i < Math.min(contenders, leads.length); i++) {
    many += one * leads[i];
    one = one * (1 - leads[i]) + none * leads[i];
    none *= 1 - leads[i];
  }
  return { none, one, many };
}

/** The mean number of leaders. */
export const leadersOf = ({ leads }: LeadingChances, contenders: number): number =>
  leads.slice(0, contenders).reduce((a, b) => a + b, 0);

export const mix = (parts: readonly { readonly p: number; readonly outcomes: Outcomes }[]): Outcomes => ({
  none: parts.reduce((sum, { p, outcomes }) => sum + p * outcomes.none, 0),
  one: parts.reduce((sum, { p, outcomes }) => sum + p * outcomes.one, 0),
  many: parts.reduce((sum, { p, outcomes }) => sum + p * outcomes.many, 0),
});

/** Chances averaged over what they were conditioned on. */
export function merge(parts: readonly { readonly p: number; readonly chances: LeadingChances }[]): LeadingChances {
  const length = Math.max(...parts.map(({ chances }) => chances.leads.length));
  return {
    fails: parts.reduce((sum, { p, chances }) => sum + p * chances.fails, 0),
    leads: Array.from({ length }, (_, i) =>
      parts.reduce((sum, { p, chances }) => sum + p * (chances.leads[i] ?? 0), 0),
    ),
  };
}

// Among so few processes that everybody asks everybody: exactly, mediator by mediator. In large groups contenders fail
// independently of each other; among three, the message that costs one the election gives it to another.

/** Above this the states are too many. */
export const TINY = 4;

/** Whether the contest is one in which all ask all of so few. */
export const isTiny = ({ urn, size, withoutSelf }: Contest): boolean =>
  size === urn && urn + (withoutSelf ? 1 : 0) <= TINY;

/** `contenders` in the order of their ranks, all of them working, and `mediators` others that work too. */
export function tinyContest(contest: Contest, contenders: number, mediators: number): Outcomes {
  // One state for each combination of positive answers (base 8, 7 standing for "refused").
  let states = new Map<number, number>([[0, 1]]);
  for (let v = 0; v < contenders + mediators; v++) {
    const askers = Array.from({ length: contenders }, (_, i) => i).filter((i) => !contest.withoutSelf || i !== v);
    states = afterMediator(states, askers, contest);
  }
  const outcomes = { none: 0, one: 0, many: 0 };
  for (const [state, p] of states) {
    let leaders = 0;
    for (let i = 0; i < contenders; i++) if (leads(digit(state, i), contest.threshold)) leaders++;
    outcomes[leaders === 0 ? "none" : leaders === 1 ? "one" : "many"] += p;
  }
  return outcomes;
}

const REFUSED = 7;
const digit = (state: number, i: number): number => Math.floor(state / 8 ** i) % 8;
const leads = (answers: number, threshold: number): boolean => answers !== REFUSED && answers >= threshold;

function afterMediator(states: Map<number, number>, askers: readonly number[], contest: Contest): Map<number, number> {
  const { loss, refuses } = contest;
  const next = new Map<number, number>();
  // Requests in the order of ranks: the first that is heard is let through.
  const visit = (state: number, p: number, index: number, passed: boolean): void => {
    if (p === 0) return;
    if (index === askers.length) {
      next.set(state, (next.get(state) ?? 0) + p);
      return;
    }
    const i = askers[index];
    visit(state, p * loss, index + 1, passed);
    const heard = p * (1 - loss);
    visit(state, heard * (passed && !refuses ? 1 : loss), index + 1, true);
    if (passed && !refuses) return;
    const before = digit(state, i);
    const after = before === REFUSED || passed ? REFUSED : before + 1;
    visit(state + (after - before) * 8 ** i, heard * (1 - loss), index + 1, true);
  };
  for (const [state, p] of states) visit(state, p, 0, false);
  return next;
}
