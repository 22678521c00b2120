/**
 * The mean number of phases of Peterson's election. A phase leaves the local maxima of the active nodes; as if their order
 * were again uniformly random, their number is a Markov chain.
 */

/** Up to this many active nodes the distribution of local maxima is exact; above, a third of them stay. */
const COUNTED = 60;

const known: number[] = [0, 1];

/** The mean number of phases of Peterson's election among this many active nodes. */
export function petersonPhases(active: number): number {
  if (active > COUNTED) {
    // Between two numbers of nodes, phases grow with the logarithm.
    const third = active / 3;
    const low = Math.floor(third);
    const share = Math.log(third / low) / Math.log((low + 1) / low);
    return 1 + (1 - share) * petersonPhases(low) + share * petersonPhases(low + 1);
  }
  for (let m = known.length; m <= active; m++) {
    const peaks = localMaxima(m);
    let phases = 1;
    for (let k = 1; k < peaks.length; k++) phases += peaks[k] * known[k];
    known.push(phases);
  }
  return known[active];
}

/**
 * P(k local maxima) of m values in random circular order, built from the smallest value up: the next one is a maximum, and
 * takes the place of another if it comes to stand beside it, which two of the gaps per maximum make it do.
 */
function localMaxima(m: number): number[] {
  let maxima = [0, 1];
  for (let v = 2; v < m; v++) {
    const next = new Array<number>(maxima.length + 1).fill(0);
    for (const [k, p] of maxima.entries()) {
      next[k] += (p * 2 * k) / v;
      next[k + 1] += p * (1 - (2 * k) / v);
    }
    maxima = next;
  }
  return maxima;
}

/** Of 0, 1, 2, ... nodes: exact up to four, from there on measured to a thousandth. */
const FEW = [0, 2, 6, 8, 34 / 3, 15.328, 18.952, 21.833, 24.331, 26.877, 29.677, 32.769, 36.166];

/**
 * Rounds when all start and delays are equal. Phases take less and less time, n for the last, n for the announcement; the
 * rest goes up and down with the logarithm of n, within 3% of this from 12 to 5000 nodes.
 */
export const petersonRounds = (n: number): number => FEW[n] ?? 3.17 * n;
