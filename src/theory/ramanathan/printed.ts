/** The theorems of Ramanathan et al. as they are stated, with the printed number of rounds, and steps of their proofs, computed. */

/** f_n = log n - log log^6 n for n = 2^k: the rounds of the first phase. */
export const printedRounds = (k: number) => k - 6 * Math.log2(k);

/** The largest n = 2^k without even one round. */
export function lastWithout(): number {
  let k = 4;
  while (printedRounds(k + 1) < 1) k++;
  return k;
}

/**
 * With n = 2^k and γ = `load` / σ_(w-1): the contenders that the first phase leaves, and the messages for each process; all
 * in proportion to n, which has more digits than a number.
 */
export function asPrinted(k: number, load = 0): { readonly left: number; readonly messages: number } {
  const rounds = Math.max(0, Math.floor(printedRounds(k)));
  const n = 2 ** k;
  const sigma = (j: number) => Math.ceil(Math.sqrt((n * Math.LN2) / (2 ** (k - j + 1) - 1)));
  const gamma = rounds === 0 ? 0 : load / sigma(rounds);
  let x = n;
  let asked = 0;
  for (let j = 1; j <= rounds; j++) {
    const mediators = sigma(j);
    asked += x * mediators;
    x *= Math.exp(mediators * ((x - 1) * Math.log1p(-mediators / n) + Math.log1p(-gamma)));
  }
  asked += x * Math.sqrt(n * Math.log(n));
  return { left: x, messages: (2 * asked) / n };
}

/** All throws of n balls into n bins: how many are alone, on average, and the chance of each number. */
export function aloneInBins(n: number): { readonly mean: number; readonly chances: readonly number[] } {
  const counts = new Array<number>(n + 1).fill(0);
  for (let code = 0; code < n ** n; code++) {
    const bins = new Array<number>(n).fill(0);
    for (let ball = 0; ball < n; ball++) bins[Math.floor(code / n ** ball) % n]++;
    counts[bins.filter((balls) => balls === 1).length]++;
  }
  const chances = counts.map((count) => count / n ** n);
  return { mean: chances.reduce((sum, chance, k) => sum + k * chance, 0), chances };
}

/** The chance that some two of n numbers from [0..n^4] are equal. */
export function anyEqual(n: number): number {
  let unique = 0;
  for (let i = 1; i < n; i++) unique += Math.log1p(-i / (n ** 4 + 1));
  return -Math.expm1(unique);
}

/** Variance over mean of the balls that are alone in their bins, n balls in n bins: the first round. */
export function spreadAlone(n: number): number {
  const mean = n * (1 - 1 / n) ** (n - 1);
  const pairs = n * (n - 1) * (1 - 1 / n) * (1 - 2 / n) ** (n - 2);
  return (pairs + mean - mean ** 2) / mean;
}

/** The least k for which both Chernoff tails at n = 2^k, with ε = 1/log² n, come to less than n^-2. */
export function chernoffFrom(): number {
  let k = 4;
  while (2 * Math.exp(-(2 ** (k - 1)) / (3 * k ** 4)) > 2 ** (-2 * k)) k++;
  return k;
}

/**
 * E[X_i]·2^(i-1)/n for 1 < i <= f_n, the range of Lemma 1, n = 2^k, by its recursion: with σ as it is computed from E[X_i], or
 * with whole numbers of mediators, rounded up.
 */
export function halvingRatios(k: number, sigma: "computed" | "whole"): number[] {
  const n = 2 ** k;
  const ratios: number[] = [];
  let x = n;
  for (let i = 2; i <= printedRounds(k); i++) {
    const expected = sigma === "whole" ? n / 2 ** (i - 2) : x;
    const exact = Math.sqrt((n * Math.LN2) / (expected - 1));
    const mediators = sigma === "whole" ? Math.ceil(exact) : exact;
    x *= Math.exp(mediators * (x - 1) * Math.log1p(-mediators / n));
    ratios.push((x / n) * 2 ** (i - 1));
  }
  return ratios;
}
