/**
 * How many of x contenders go on when each asks sigma of n random mediators: as a distribution, since a first phase that
 * ends with nobody is exactly what its mean does not show.
 *
 * together: a mediator that hears two contenders refuses both. in-order: it accepts the first, and all requests of one
 * contender come before those of the next. In both, that k given contenders all go on means that their sets are disjoint,
 * that each of their messages and mediators works, and that nobody else reaches their sets: so the factorial moments
 * S_k are products, and inclusion and exclusion gives the distribution. Its terms alternate and reach e^x, hence the whole
 * numbers of 192 bits after the point; large x need only the mean and the variance, S_1 and S_2.
 */
import { noneReached } from "./chance.ts";
import { remembering } from "./memo.ts";

export interface Round {
  readonly n: number;
  readonly sigma: number;
  readonly order: "together" | "in-order";
  readonly loss: number;
  /** That a mediator works: the chance of each, or how many of the n do where that is known. */
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

/** survivors(round)[x][m]: that m of x contenders go on, x = 0 .. EXACT. */
export const survivors = remembering(inclusionExclusion);

function inclusionExclusion(round: Round): readonly Float64Array[] {
  const together = alone(round);
  const avoided = Array.from({ length: EXACT + 1 }, (_, k) => avoidsFixed(round, k));
  // ways[k]: over all choices of k of x contenders, the chance that nobody else gets in their way; grows with x.
  let ways: bigint[] = [ONE];
  const table: Float64Array[] = [];
  for (let x = 0; x <= EXACT; x++) {
    if (x > 0) ways = round.order === "in-order" ? nextInOrder(ways, avoided) : nextTogether(x, avoided);
    const moments = ways.map((way, k) => times(way, together[k]));
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

/** C(x, k) A_k^(x-k). */
function nextTogether(x: number, avoided: readonly bigint[]): bigint[] {
  const ways: bigint[] = [];
  let choose = 1n;
  for (let k = 0; k <= x; k++) {
    ways.push(choose * power(avoided[k], x - k));
    choose = (choose * BigInt(x - k)) / BigInt(k + 1);
  }
  return ways;
}

/** Somebody who asks when c of the k are still to come must avoid only these c: a complete homogeneous polynomial. */
function nextInOrder(before: readonly bigint[], avoided: readonly bigint[]): bigint[] {
  const ways: bigint[] = [];
  for (let k = 0; k <= before.length; k++) {
    const fewer = k > 0 ? before[k - 1] : 0n;
    ways.push(fewer + (k < before.length ? times(avoided[k], before[k]) : 0n));
  }
  return ways;
}

/** That k sets of sigma are disjoint and all their mediators and messages work, for k = 0, 1, ... */
function alone(round: Round): bigint[] {
  const { n, sigma, loss, working } = round;
  const result = [ONE];
  const trip = (1 - loss) ** 2;
  let p = ONE;
  for (let k = 0; k < EXACT; k++) {
    for (let i = 0; i < sigma && p > 0n; i++) {
      const taken = k * sigma + i;
      if (taken >= n) p = 0n;
      else {
        p = (p * BigInt(n - taken)) / BigInt(n - i);
        const works = typeof working === "number" ? working : Math.max(0, working.count - taken) / (n - taken);
        if (works * trip < 1) p = times(p, fixed(works * trip));
      }
    }
    result.push(p);
  }
  return result;
}

/** A_k: that a contender does not reach the sets of k others. */
function avoids({ n, sigma, loss }: Round, k: number): number {
  return k * sigma > n ? 0 : noneReached(n, k * sigma, sigma, loss);
}

/** As `avoids`, to all the bits that the alternating sums need. */
function avoidsFixed(round: Round, k: number): bigint {
  const { n, sigma, loss } = round;
  const marked = k * sigma;
  // Then a set cannot but overlap, and the sums are short.
  if (marked + sigma > n) return fixed(avoids(round, k));
  let term = ONE;
  for (let i = 0; i < sigma; i++) term = (term * BigInt(n - marked - i)) / BigInt(n - i);
  const lost = fixed(loss);
  let sum = term;
  for (let j = 0; j < Math.min(marked, sigma) && term > 0n && lost > 0n; j++) {
    const ways = BigInt(marked - j) * BigInt(sigma - j);
    term = times(term * ways, lost) / (BigInt(j + 1) * BigInt(n - marked - sigma + j + 1));
    sum += term;
  }
  return sum;
}

/** The mean and the variance of the number that goes on, for any x. */
export function momentsOf(round: Round, x: number): Moments {
  if (x <= 0) return { mean: 0, variance: 0 };
  const { n, sigma, order } = round;
  const works = typeof round.working === "number" ? round.working : round.working.count / n;
  const each = (works * (1 - round.loss) ** 2) ** sigma;
  const a1 = avoids(round, 1);
  const a2 = avoids(round, 2);
  const disjoint = noneReached(n, sigma, sigma, 0);
  const mean = each * (order === "together" ? x * a1 ** (x - 1) : geometric(a1, x));
  const pairs =
    order === "together"
      ? x * (x - 1) * a2 ** (x - 2)
      : 2 * (a1 === a2 ? 0 : (geometric(a1, x) - geometric(a2, x)) / (a1 - a2));
  const factorial = x < 2 ? 0 : each * each * disjoint * pairs;
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

/** A double in [0, 1] without loss, but for bits below the last. */
function fixed(p: number): bigint {
  return BigInt(Math.floor(p * 2 ** 53)) * (1n << (BITS - 53n)) + tail(p * 2 ** 53);
}

const tail = (scaled: number): bigint => BigInt(Math.floor((scaled - Math.floor(scaled)) * 2 ** 53)) << (BITS - 106n);

const toNumber = (p: bigint): number => Number(p >> (BITS - 120n)) / 2 ** 120;
