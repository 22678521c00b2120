/** Mixing times of small chains by powers of the whole matrix: the cost grows with the logarithm of the answer. */
import { bound, type Chain } from "./chain.ts";

/** Doublings after which a chain counts as one that does not mix. */
const MOST_DOUBLINGS = 52;

export function mixingBySquaring(chain: Chain): number | null {
  const { size, stationary } = chain;
  const limit = bound(size);
  const mixed = (matrix: Float64Array) => {
    for (let i = 0; i < matrix.length; i++) if (Math.abs(matrix[i] - stationary[i % size]) > limit) return false;
    return true;
  };
  const powers = [dense(chain)];
  if (size === 1) return 0;
  while (!mixed(powers[powers.length - 1])) {
    if (powers.length > MOST_DOUBLINGS) return null;
    const last = powers[powers.length - 1];
    powers.push(product(last, last, size));
  }
  // The worst deviation never grows with k, so the answer is found bit by bit: the largest k that is not yet mixed, plus 1.
  let unmixed: Float64Array | null = null;
  let k = 0;
  for (let bit = powers.length - 2; bit >= 0; bit--) {
    const tried: Float64Array = unmixed === null ? powers[bit] : product(unmixed, powers[bit], size);
    if (mixed(tried)) continue;
    unmixed = tried;
    k += 2 ** bit;
  }
  return k + 1;
}

function dense({ size, offsets, targets, weights, rest }: Chain): Float64Array {
  const matrix = new Float64Array(size * size);
  for (let v = 0; v < size; v++) {
    matrix[v * size + v] = rest[v];
    for (let i = offsets[v]; i < offsets[v + 1]; i++) matrix[v * size + targets[i]] += weights[i];
  }
  return matrix;
}

/** Four terms of each sum at a time, in the order of a plain loop: the same numbers to the last bit, with a quarter of the reads and writes. */
function product(a: Float64Array, b: Float64Array, size: number): Float64Array {
  const out = new Float64Array(size * size);
  const fours = size - (size % 4);
  for (let row = 0; row < size * size; row += size) {
    for (let l = 0; l < fours; l += 4) {
      const [p, q, r, s] = [a[row + l], a[row + l + 1], a[row + l + 2], a[row + l + 3]];
      if (p === 0 && q === 0 && r === 0 && s === 0) continue;
      for (let j = 0, at = l * size; j < size; j++, at++) {
        out[row + j] = out[row + j] + p * b[at] + q * b[at + size] + r * b[at + 2 * size] + s * b[at + 3 * size];
      }
    }
    for (let l = fours; l < size; l++) {
      const factor = a[row + l];
      if (factor === 0) continue;
      for (let j = 0; j < size; j++) out[row + j] += factor * b[l * size + j];
    }
  }
  return out;
}
