/**
 * The exact means of Itai-Rodeh on channels that keep the order of messages. The nodes still active are a Markov chain:
 * m of them draw from 1..range, and those k that share the maximum go on if k > 1. Given k, they are a uniform subset.
 */

import { binomialTerms } from "../chance.ts";

/** Means of an election by Itai-Rodeh. */
export interface ItaiRodehMeans {
  readonly phases: number;
  /** Of the election alone. */
  readonly messages: number;
}

/** What may be left out of a distribution's tail: below the digits that anybody reads, above the errors of rounding. */
const NEGLIGIBLE = 1e-11;

/** The mean phases and messages of Itai-Rodeh on a ring of n, ids drawn from 1..range. */
export function itaiRodehMeans(n: number, range = n, initiators = n): ItaiRodehMeans {
  if (range < 2 && initiators > 1) throw new RangeError("with one id the symmetry is never broken");
  const known = new Map<number, ItaiRodehMeans>();
  const from = (active: number): ItaiRodehMeans => {
    const found = known.get(active);
    if (found !== undefined) return found;
    let phases = 1;
    let messages = n * passes(active, range);
    let left = 1;
    let again = 0;
    for (let tied = 1; tied <= active && left > NEGLIGIBLE; tied++) {
      const p = tie(active, tied, range);
      left -= p;
      if (tied === active) again = active === 1 ? 0 : p;
      else if (tied > 1) {
        const next = from(tied);
        phases += p * next.phases;
        messages += p * next.messages;
      }
    }
    const means = { phases: phases / (1 - again), messages: messages / (1 - again) };
    known.set(active, means);
    return means;
  };
  return from(initiators);
}

/**
 * That somebody leads where a message comes around with the chance `around` only. Of those that share the maximum, each whose message
 * is lost waits, and is passive as soon as one of the others comes by in the next phase; where all are lost, nobody goes on.
 */
export function itaiRodehElects(range: number, initiators: number, around: number): number {
  const known = new Map<number, number>([
    [0, 0],
    [1, around],
  ]);
  const from = (active: number): number => {
    const found = known.get(active);
    if (found !== undefined) return found;
    let elects = 0;
    let left = 1;
    let again = 0;
    for (let tied = 1; tied <= active && left > NEGLIGIBLE; tied++) {
      const p = tie(active, tied, range);
      left -= p;
      if (tied === 1) elects += p * around;
      else {
        for (const { value, p: chance } of binomialTerms(tied, around, NEGLIGIBLE)) {
          if (value === active) again = p * chance;
          else elects += p * chance * from(value);
        }
      }
    }
    known.set(active, elects / (1 - again));
    return known.get(active)!;
  };
  return from(initiators);
}

/** Phases that an election exceeds with at most this chance. */
export function itaiRodehPhases(range: number, initiators: number, tail: number): number {
  let active = new Map([[initiators, 1]]);
  for (let phases = 1; ; phases++) {
    const next = new Map<number, number>();
    let left = 0;
    for (const [many, p] of active) {
      for (let tied = 2; tied <= many; tied++) {
        const chance = p * tie(many, tied, range);
        // From two on, more tie ever more rarely.
        if (chance < NEGLIGIBLE * tail) break;
        next.set(tied, (next.get(tied) ?? 0) + chance);
        left += chance;
      }
    }
    if (left <= tail) return phases;
    active = next;
  }
}

/** The probability that exactly `tied` of `active` nodes share the maximum of their draws. */
export function tie(active: number, tied: number, range: number): number {
  let ways = 0;
  for (let i = 1; i <= tied; i++) ways += Math.log((active - tied + i) / i);
  let sum = 0;
  for (let below = 0; below < range; below++) sum += (below / range) ** (active - tied);
  return Math.exp(ways - tied * Math.log(range)) * sum;
}

/**
 * The expected number of gaps between active nodes that a message crosses: it passes h others if none drew more. A gap
 * is n/active on average, there are `active` messages, so a phase costs n times this.
 */
function passes(active: number, range: number): number {
  let sum = 0;
  for (let id = 1; id <= range; id++) {
    const share = id / range;
    sum += share === 1 ? active : (1 - share ** active) / (1 - share);
  }
  return sum / range;
}
