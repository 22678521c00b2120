/** Lemma 1 of Kutten et al.: distributions of balls over bins that may avoid collisions better than the uniform one. */

/** As likely, all of them. */
export const even = (n: number) => Array<number>(n).fill(1 / n);
/** The paper's number of walks. */
export const rho = (n: number) => 2 * Math.ceil(Math.sqrt(n * Math.log(n)));

/** Distributions other than the uniform one: tilted ones, and those in which some bins share a part of their own. */
function others(n: number): number[][] {
  const tilted = [0.01, 0.1, 0.5, 2, 10, 100].map((tilt) => {
    const weights = Array.from({ length: n }, (_, i) => 1 + tilt * ((i * 7) % n));
    const sum = weights.reduce((a, b) => a + b);
    return weights.map((weight) => weight / sum);
  });
  const SHARES = 20;
  for (let used = 1; used < n; used++) {
    for (let i = 1; i <= SHARES; i++) {
      const share = used / n + (1 - used / n) * (i / SHARES);
      tilted.push([
        ...Array<number>(used).fill(share / used),
        ...Array<number>(n - used).fill((1 - share) / (n - used)),
      ]);
    }
  }
  return tilted;
}

/** Whether some distribution that we try avoids collisions more often than the uniform one. */
export const beaten = (n: number, probability: (bins: readonly number[]) => number): boolean =>
  others(n).some((bins) => probability(bins) > probability(even(n)) * (1 + 1e-12));

/** The proof's Poisson case: the numbers of balls in the bins are independent, with means ρ·p_i. */
export const poisson = (bins: readonly number[], balls: number): number =>
  bins.reduce((product, p) => product * (1 - (1 - Math.exp(-p * balls)) ** 2), 1);
