/** How large random samples must be: shared by the protocols that ask some of the processes instead of all. */
import type { Params } from "../protocols/parameters.ts";
import { binomialBelow, hypergeometricChances } from "../theory/chance.ts";
import { type Attempt, allowance, type PlanSetting, type Tries } from "./planning.ts";

/** What part of the allowance goes to having no candidate at all; the rest to misses and losses. */
export const SHARES = [0.02, 0.1, 0.25, 0.5, 0.75, 0.9];

/** Expected candidates so that none stands with at most probability p; all of n where that is not enough. */
export function candidatesFor({ n, initiators, crash }: PlanSetting, p: number): number {
  const each = -Math.expm1(Math.log(p) / initiators) / (1 - crash);
  return each >= 1 ? n : Math.ceil(each * n * 1000) / 1000;
}

/** That a question and its answer both arrive, at and from a process that lives. */
export const trip = ({ crash, loss }: PlanSetting): number => (1 - crash) * (1 - loss) ** 2;

/** Of this many asked, the largest number of positive answers that the best contender misses with at most probability p. */
export function enough(asked: number, arrives: number, p: number): number {
  let [low, high] = [0, asked];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (binomialBelow(asked, arrives, middle) <= p) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** That of this many asked at random, so many are in the same half of the group. */
export function reachable(n: number, asked: number, needed: number): number {
  const inside = hypergeometricChances(n, Math.floor(n / 2), Math.min(n, asked));
  return inside.p.reduce((sum, p, i) => sum + (inside.first + i >= needed ? p : 0), 0);
}

export interface QuorumSizes extends Params {
  readonly s: number;
}

/** In groups up to this size the chances jump from one size to the next, so each is tried. */
const EVERY_SIZE = 24;

/**
 * The smallest quorums that meet the target: as many are asked as it takes for two sets to meet, and so many of them must
 * agree that failing to get them costs only a share of the allowance.
 */
export function addQuorums(tries: Tries, tryWith: (sizes: QuorumSizes) => Attempt | null): void {
  const { setting } = tries;
  const { n } = setting;
  const arrives = trip(setting);
  const largest = n <= EVERY_SIZE ? n : Math.min(n, 12 * Math.ceil(Math.sqrt(n * Math.log(n))));
  for (const share of arrives < 1 ? SHARES : [0]) {
    const sizes = (ask: number): QuorumSizes => {
      if (arrives === 1) return { s: ask };
      const agree = enough(ask, arrives, share * allowance(setting, "approximation"));
      return { s: Math.max(1, agree), ask };
    };
    if (n <= EVERY_SIZE) {
      for (let ask = 1; ask <= largest; ask++) tries.add(tryWith(sizes(ask)));
    } else tries.addSmallest(largest, (ask) => tryWith(sizes(ask)));
  }
}
