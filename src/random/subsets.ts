/** Random subsets, at a cost that depends on their size and not on the size of what they are drawn from. */
import { ln } from "./ln.ts";
import type { Source } from "./source.ts";

/**
 * k distinct numbers of 0 .. n-1, every subset equally likely, in the order drawn (Floyd, in Bentley and Floyd, "A sample
 * of brilliance", CACM 1987). The order is not a uniform permutation.
 */
export function sample(choose: (n: number) => number, k: number, n: number): number[] {
  const chosen: number[] = [];
  const seen = new Set<number>();
  for (let j = n - k; j < n; j++) {
    const drawn = choose(j + 1);
    const taken = seen.has(drawn) ? j : drawn;
    seen.add(taken);
    chosen.push(taken);
  }
  return chosen;
}

/** Each of 0 .. n-1 independently with probability p, ascending: the gaps between members are geometric. */
export function bernoulliSubset(source: Source, n: number, p: number): number[] {
  const members: number[] = [];
  eachOfBernoulli(source, n, p, (member) => members.push(member));
  return members;
}

/** The same, one at a time: for subsets too large to be kept. */
export function eachOfBernoulli(source: Source, n: number, p: number, act: (member: number) => void): void {
  if (p <= 0) return;
  if (p >= 1) {
    for (let member = 0; member < n; member++) act(member);
    return;
  }
  // ln(1-p) loses all digits of a tiny p; the series is exact to the last bit there.
  const logMiss = p < 1e-6 ? -p - (p * p) / 2 : ln(1 - p);
  for (let next = 0; ; next++) {
    next += Math.floor(ln(1 - source.uniform()) / logMiss);
    if (next >= n) return;
    act(next);
  }
}

/** A uniform permutation of 1 .. n (Fisher and Yates), in an array that is overwritten, where one is given. */
export function permutation(source: Source, n: number, values = new Int32Array(n)): Int32Array {
  for (let i = 0; i < n; i++) {
    const j = source.choose(i + 1);
    values[i] = values[j];
    values[j] = i + 1;
  }
  return values;
}
