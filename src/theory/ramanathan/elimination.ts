/**
 * The distribution of the number of x contenders that go on when each asks sigma of n random mediators. A mean would not do: it does
 * not show the chance that nobody goes on.
 *
 * together: a mediator that hears two contenders refuses both. in-order: it accepts the first, and all requests of one contender come
 * before those of the next. In both, k given contenders all go on if their sets are disjoint, each of their messages and mediators
 * works, and no other contender reaches their sets. So the factorial moments S_k are products, and inclusion and exclusion gives the
 * distribution. Its terms alternate and reach e^x, so they are computed in fixed point with 192 bits after the point. Large x need only
 * the mean and the variance, S_1 and S_2.
 */
import { noneReached } from "../chance.ts";
import { remembering } from "../memo.ts";

export interface Round {
  readonly n: number;
  readonly sigma: number;
  /** The chance that a contender asks one more; 0 if missing. */
  readonly fraction?: number;
  readonly order: "together" | "in-order";
  readonly loss: number;
  /** The chance that a mediator works, or the number of the n mediators that work, if that is known. */
  readonly working: number | { readonly count: number };
}

export interface Moments {
  readonly mean: number;
  readonly variance: number;
}

/** Up to this many contenders the distribution is exact. */
export const EXACT = 48;

const BITS = 192n;
const ONE = 1n << BITS;

/** survivors(round)[x][m]: the chance that m of x contenders go on, x = 0 .. EXACT. */
export const survivors = remembering(inclusionExclusion);

function inclusionExclusion(round: Round): readonly Float64Array[] {
  const apart = alone(round);
  // avoided[k][extra]: by one other contender, where `extra` of the k ask one more.
  const avoided = apart.map((row, k) => row.map((_, extra) => avoidsFixed(round, k * round.sigma + extra)));
  const inOrder = apart.map((row, k) => mean(row, avoided[k]));
  // ways[k]: over all choices of k of x contenders, the chance that nobody else gets in their way; grows with x.
  let ways: bigint[] = [ONE];
  const table: Float64Array[] = [];
  for (let x = 0; x <= EXACT; x++) {
    if (x > 0) ways = nextInOrder(ways, inOrder);
    const moments =
      round.order === "in-order"
        ? ways.map((way, k) =>
            times(
              way,
              apart[k].reduce((a, b) => a + b, 0n),
            ),
          )
        : momentsTogether(x, apart, avoided);
    const row = new Float64Array(x + 1);
    for (let m = 0; m <= x; m++) {
      let sum = 0n;
      let choose = 1n;
      for (let k = m; k <= x; k++) {
        const term = moments[k] * choose;
        sum += (k - m) % 2 === 0 ? term : -term;
        choose = (choose * BigInt(k + 1)) / BigInt(k + 1 - m);
      }
      row[m] = Math.max(0, toNumber(sum));
    }
    table.push(row);
  }
  return table;
}

/** S_k: C(x, k) A_k^(x-k), and the chance that the k sets are disjoint and all works. */
function momentsTogether(x: number, apart: readonly bigint[][], avoided: readonly bigint[][]): bigint[] {
  const moments: bigint[] = [];
  let choose = 1n;
  for (let k = 0; k <= x; k++) {
    moments.push(choose * apart[k].reduce((sum, p, extra) => sum + times(p, power(avoided[k][extra], x - k)), 0n));
    choose = (choose * BigInt(x - k)) / BigInt(k + 1);
  }
  return moments;
}

/** The mean of values with these weights, which need not add up to 1. */
function mean(weights: readonly bigint[], values: readonly bigint[]): bigint {
  const total = weights.reduce((a, b) => a + b, 0n);
  if (total === 0n) return 0n;
  return weights.reduce((sum, weight, i) => sum + weight * values[i], 0n) / total;
}

/** A contender that asks when c of the k are still to come must avoid only these c: a complete homogeneous polynomial. */
function nextInOrder(before: readonly bigint[], avoided: readonly bigint[]): bigint[] {
  const ways: bigint[] = [];
  for (let k = 0; k <= before.length; k++) {
    const fewer = k > 0 ? before[k - 1] : 0n;
    ways.push(fewer + (k < before.length ? times(avoided[k], before[k]) : 0n));
  }
  return ways;
}

/**
 * The chance that k sets are disjoint, all their mediators and messages work, and `extra` of the k ask one more; by k, then by extra.
 */
function alone(round: Round): bigint[][] {
  const { n, sigma, loss, working, fraction = 0 } = round;
  const trip = (1 - loss) ** 2;
  const one = (taken: number, size: number): bigint => {
    let p = ONE;
    for (let i = 0; i < size && p > 0n; i++) {
      if (taken + i >= n) return 0n;
      p = (p * BigInt(n - taken - i)) / BigInt(n - i);
      const works = typeof working === "number" ? working : Math.max(0, working.count - taken - i) / (n - taken - i);
      if (works * trip < 1) p = times(p, fixed(works * trip));
    }
    return p;
  };
  const coin = [fixed(1 - fraction), fixed(fraction)];
  const result = [[ONE]];
  for (let k = 0; k < EXACT; k++) {
    const next = new Array<bigint>(fraction === 0 ? 1 : k + 2).fill(0n);
    for (const [extra, p] of result[k].entries()) {
      const taken = k * sigma + extra;
      if (p === 0n) continue;
      next[extra] += times(p, times(coin[0], one(taken, sigma)));
      if (fraction > 0) next[extra + 1] += times(p, times(coin[1], one(taken, sigma + 1)));
    }
    result.push(next);
  }
  return result;
}

/** The chance that a contender reaches none of this many marked mediators. */
function avoids({ n, sigma, loss, fraction = 0 }: Round, marked: number): number {
  if (marked > n) return 0;
  const with0 = noneReached(n, marked, sigma, loss);
  return fraction === 0 ? with0 : (1 - fraction) * with0 + fraction * noneReached(n, marked, sigma + 1, loss);
}

/** As `avoids`, with all the bits that the alternating sums need. */
function avoidsFixed(round: Round, marked: number): bigint {
  const { n, sigma, fraction = 0 } = round;
  // Here sets of this size must overlap, so the sums are short and doubles suffice.
  if (marked + sigma + 1 > n) return fixed(avoids(round, marked));
  const with0 = missed(round, marked, sigma);
  if (fraction === 0) return with0;
  return times(fixed(1 - fraction), with0) + times(fixed(fraction), missed(round, marked, sigma + 1));
}

/** The chance that a set of this size misses the marked mediators, or that its messages to them are lost. */
function missed({ n, loss }: Round, marked: number, size: number): bigint {
  let term = ONE;
  for (let i = 0; i < size; i++) term = (term * BigInt(n - marked - i)) / BigInt(n - i);
  const lost = fixed(loss);
  let sum = term;
  for (let j = 0; j < Math.min(marked, size) && term > 0n && lost > 0n; j++) {
    const ways = BigInt(marked - j) * BigInt(size - j);
    term = times(term * ways, lost) / (BigInt(j + 1) * BigInt(n - marked - size + j + 1));
    sum += term;
  }
  return sum;
}

/** The mean and the variance of the number of contenders that go on, for any x from 1 on. */
export function momentsOf(round: Round, x: number): Moments {
  const { n, sigma, order, fraction = 0 } = round;
  const works = (typeof round.working === "number" ? round.working : round.working.count / n) * (1 - round.loss) ** 2;
  const sizes = [
    { size: sigma, p: 1 - fraction },
    { size: sigma + 1, p: fraction },
  ].filter(({ p }) => p > 0);
  let [mean, factorial] = [0, 0];
  for (const one of sizes) {
    const a1 = avoids(round, one.size);
    mean += one.p * works ** one.size * (order === "together" ? x * a1 ** (x - 1) : geometric(a1, x));
    if (x < 2) continue;
    for (const other of sizes) {
      const a2 = avoids(round, one.size + other.size);
      const pairs =
        order === "together"
          ? x * (x - 1) * a2 ** (x - 2)
          : 2 * (a1 === a2 ? 0 : (geometric(a1, x) - geometric(a2, x)) / (a1 - a2));
      const disjoint = noneReached(n, one.size, other.size, 0);
      factorial += one.p * other.p * works ** (one.size + other.size) * disjoint * pairs;
    }
  }
  return { mean, variance: Math.max(factorial + mean - mean * mean, 1e-9) };
}

/** 1 + a + ... + a^(x-1). */
export const geometric = (a: number, x: number): number => (a === 1 ? x : -Math.expm1(x * Math.log(a)) / (1 - a));

const times = (a: bigint, b: bigint): bigint => (a * b) >> BITS;

function power(base: bigint, exponent: number): bigint {
  let result = ONE;
  let square = base;
  for (let rest = exponent; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) result = times(result, square);
    square = times(square, square);
  }
  return result;
}

/** A double in [0, 1] as a fixed-point number; exact but for bits below the last. */
function fixed(p: number): bigint {
  return BigInt(Math.floor(p * 2 ** 53)) * (1n << (BITS - 53n)) + tail(p * 2 ** 53);
}

const tail = (scaled: number): bigint => BigInt(Math.floor((scaled - Math.floor(scaled)) * 2 ** 53)) << (BITS - 106n);

const toNumber = (p: bigint): number => Number(p >> (BITS - 120n)) / 2 ** 120;
