/** Random subsets, at a cost that depends on their size and not on the size of what they are drawn from. */
import { ln } from "./ln.ts";
import type { Source } from "./source.ts";

const FIRST_SIZE = 64;
const LAST_STAMP = 2 ** 31 - 1;

/** A set of numbers that is emptied at no cost: a mark counts only if it carries the stamp of the present use. */
export class Marks {
  private values = new Float64Array(FIRST_SIZE);
  private stamps = new Int32Array(FIRST_SIZE);
  private stamp = 0;
  private shift = 26;

  /** Forgets all, and makes room for this many. */
  clear(most: number): void {
    if (2 * most > this.values.length) this.enlarge(most);
    if (this.stamp === LAST_STAMP) {
      this.stamps.fill(0);
      this.stamp = 0;
    }
    this.stamp++;
  }

  /** Marks a number; false where it was marked already. */
  add(value: number): boolean {
    const { values, stamps, stamp } = this;
    const mask = values.length - 1;
    // Fibonacci hashing: neighbours are spread far apart.
    let at = Math.imul(value, 0x9e3779b1) >>> this.shift;
    while (stamps[at] === stamp) {
      if (values[at] === value) return false;
      at = (at + 1) & mask;
    }
    stamps[at] = stamp;
    values[at] = value;
    return true;
  }

  private enlarge(most: number): void {
    while (2 * most > 2 ** (32 - this.shift)) this.shift--;
    const size = 2 ** (32 - this.shift);
    this.values = new Float64Array(size);
    this.stamps = new Int32Array(size);
    this.stamp = 0;
  }
}

/** Kept from one small subset to the next: a set of its own for each would cost more than its draws. */
const marks = new Marks();
/** Larger ones do not leave their memory behind. */
const SMALL = 1 << 16;

/**
 * k distinct numbers of 0 .. n-1, every subset equally likely, in the order drawn (Floyd, in Bentley and Floyd, "A sample
 * of brilliance", CACM 1987). The order is not a uniform permutation.
 */
export function sample(choose: (n: number) => number, k: number, n: number): number[] {
  const chosen: number[] = [];
  const seen = k <= SMALL ? marks : new Marks();
  seen.clear(k);
  for (let j = n - k; j < n; j++) {
    const drawn = choose(j + 1);
    const isNew = seen.add(drawn);
    if (!isNew) seen.add(j);
    chosen.push(isNew ? drawn : j);
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

/** Of a permutation, so many places to exchange with are drawn before any is exchanged. */
const AHEAD = 1024;

/**
 * A uniform permutation of 1 .. n (Fisher and Yates), in an array that is overwritten, where one is given. The draws are those of `choose(i + 1)`
 * for each i, but without a branch where one is drawn again, and apart from the exchanges, whose memory is then read without waiting.
 */
export function permutation(source: Source, n: number, values = new Int32Array(n)): Int32Array {
  const drawn = new Int32Array(Math.min(n, AHEAD));
  if (n > 0) values[0] = 1;
  for (let from = 1; from < n; ) {
    // The bits that a draw for i has: as many as i, so the same up to the next power of two.
    const mask = 0xffffffff >>> Math.clz32(from);
    const end = Math.min(n, from + AHEAD, mask + 1);
    for (let i = from; i < end; ) {
      const j = source.word() & mask;
      drawn[i - from] = j;
      i += (j - i - 1) >>> 31;
    }
    for (let i = from; i < end; i++) {
      const j = drawn[i - from];
      values[i] = values[j];
      values[j] = i + 1;
    }
    from = end;
  }
  return values;
}
