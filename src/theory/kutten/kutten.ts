/** What the algorithms of Kutten et al. cost and how often they err; their bounds, and the lower bounds of Theorem 3. */

export interface RefereeSizes {
  readonly n: number;
  /** Expected number of candidates, and referees asked by each. */
  readonly candidates: number;
  readonly referees: number;
}

/** The paper's sizes: 2 ln n candidates on average, 2 ceil(sqrt(n ln n)) referees each, at most all others. */
export function paperSizes(n: number): RefereeSizes {
  const referees = 2 * Math.ceil(Math.sqrt(n * Math.log(n)));
  return { n, candidates: 2 * Math.log(n), referees: Math.min(n - 1, referees) };
}

const candidacyOf = ({ n, candidates }: RefereeSizes): number => Math.min(1, candidates / n);

/** With this probability nobody is a candidate: about n^-2 with the paper's sizes. */
export const nobodyStands = (sizes: RefereeSizes): number => (1 - candidacyOf(sizes)) ** sizes.n;

/** The expected number of processes that are asked at all: each of the others asks a given one independently. */
function expectedReferees(sizes: RefereeSizes): number {
  const { n, referees } = sizes;
  return n * -Math.expm1((n - 1) * Math.log1p((-candidacyOf(sizes) * referees) / (n - 1)));
}

/** Exact: requests, and one notification per process that was asked. */
export const refereesMessages = (sizes: RefereeSizes): number =>
  sizes.n * candidacyOf(sizes) * sizes.referees + expectedReferees(sizes);

/** The probability that two given candidates have no referee in common, exactly; at most n^-4 in the paper's proof. */
export function missProbability({ n, referees }: RefereeSizes): number {
  const others = n - 2;
  const each = referees / (n - 1);
  // Whether each of the two asks the other decides how many of the remaining n-2 it asks.
  const apart = (a: number, b: number) => {
    let probability = 1;
    for (let i = 0; i < b; i++) probability *= Math.max(0, (others - a - i) / (others - i));
    return probability;
  };
  return (
    each ** 2 * apart(referees - 1, referees - 1) +
    2 * each * (1 - each) * apart(referees, referees - 1) +
    (1 - each) ** 2 * apart(referees, referees)
  );
}

/** The proof's bound: 7 ln n candidates, each with its requests and their answers; holds except with probability n^-2. */
export const refereesMessageBound = (n: number): number =>
  7 * Math.log(n) * 2 * 2 * Math.ceil(Math.sqrt(n * Math.log(n)));

export const candidateBound = (n: number): number => 7 * Math.log(n);

/** As `refereesMessageBound`, for walks of tau steps and their notifications on the way back. */
export const walkMessageBound = (n: number, tau: number): number => tau * refereesMessageBound(n);

/** Theorem 3: messages that no algorithm can do without, in O(1) rounds and in any number of rounds, up to constants. */
export const lowerBounds = (n: number): { readonly constantTime: number; readonly anyTime: number } => ({
  constantTime: Math.sqrt(n),
  anyTime: Math.cbrt(n),
});

/** Equation (5): c disjoint candidates, each leading with probability p: the chance that exactly one does. */
export const disjointSuccess = (c: number, p: number): number => c * p * (1 - p) ** (c - 1);

/** Lemma 1, exactly: two candidates throw `balls` balls each into bins with probabilities `bins`; no bin gets both. */
export function noCollision(bins: readonly number[], balls: number): number {
  const subsets = 2 ** bins.length;
  const weight = Array.from({ length: subsets }, (_, set) =>
    bins.reduce((sum, p, i) => sum + ((set >> i) & 1 ? p : 0), 0),
  );
  // Falls into `set`, minus what falls into smaller sets: occupies exactly `set`.
  const exactly = weight.map((w) => w ** balls);
  for (let i = 0; i < bins.length; i++) {
    for (let set = 0; set < subsets; set++) if ((set >> i) & 1) exactly[set] -= exactly[set ^ (1 << i)];
  }
  return exactly.reduce((sum, p, set) => sum + p * (1 - weight[set]) ** balls, 0);
}

/** The expected number of pairs of candidates. */
const expectedPairs = (n: number): number => (2 * Math.log(n) ** 2 * (n - 1)) / n;

/** That two candidates draw the same of n^4 ranks, at most. */
export const tieBound = (n: number): number => expectedPairs(n) / n ** 4;

/** The union bound over all that can go wrong, each part of it exact: no candidate, a missed pair, a tie. */
export const errorBound = (n: number): number =>
  nobodyStands(paperSizes(n)) + expectedPairs(n) * missProbability(paperSizes(n)) + tieBound(n);

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
