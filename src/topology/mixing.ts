/**
 * The mixing time of definition (1) of Kutten et al.: the least k such that a walk of k steps, wherever it starts, is at
 * each node with its stationary probability, up to 1/(2n).
 *
 * For one *target* j the largest deviation over all starts never grows with k, because one more step averages over
 * starts; for one start it may. So targets are taken one at a time, each up to its own first good k, in memory O(n).
 */

import { bound, type Chain, chainOf, step, type Walk } from "./chain.ts";
import { isBipartite } from "./components.ts";
import type { Topology } from "./topology.ts";

/** How many steps a random walk takes to forget where it began, and how that is known. */
export interface MixingTime {
  /** Null if there is none, or where it takes too long to compute. */
  readonly steps: number | null;
  readonly exact: boolean;
  /** What was done, for people. */
  readonly how: string;
}

/** Additions and multiplications that one answer may cost: some seconds. */
const BUDGET = 1e9;
/** Up to this size the powers of the whole matrix are cheap, however slowly the walk mixes. */
const SQUARING_LIMIT = 300;
/** Targets that a search for the worst pair may look at. */
const MOST_CLIMBS = 10;

export function mixingTime(topology: Topology, walk: Walk): MixingTime {
  const { name, size } = topology;
  if (name === "complete") return onCompleteGraph(size, walk);
  if (name === "hypercube" && walk === "lazy") return onHypercube(size);
  if (walk !== "lazy" && rotates(topology, walk)) {
    return { steps: null, exact: true, how: "none: the graph is bipartite, so a walk that never rests does not mix" };
  }
  const chain = chainOf(topology, walk);
  if (size <= SQUARING_LIMIT) {
    return { steps: mixingBySquaring(chain), exact: true, how: "exact: powers of the transition matrix, all starts" };
  }
  return byIteration(chain, name === "ring" || name === "torus" || name === "hypercube");
}

/** A bipartite graph on which the walk never rests; Metropolis walks rest unless all degrees are equal. */
function rotates(topology: Topology, walk: Walk): boolean {
  if (!isBipartite(topology)) return false;
  if (walk === "simple") return true;
  const degree = topology.degree(0);
  for (let v = 1; v < topology.size; v++) if (topology.degree(v) !== degree) return false;
  return true;
}

/** All eigenvalues but one are equal, so the deviation is known in closed form; it is largest at the start itself. */
function onCompleteGraph(n: number, walk: Walk): MixingTime {
  const eigenvalue = walk === "lazy" ? (n - 2) / (2 * (n - 1)) : 1 / (n - 1);
  const how = "exact: closed form for complete graphs";
  if (eigenvalue === 1) return { steps: null, exact: true, how: "none: the graph is bipartite" };
  let steps = 0;
  for (let deviation = 1 - 1 / n; deviation > bound(n); steps++) deviation *= eigenvalue;
  return { steps, exact: true, how };
}

/** Nodes at the same distance from the target are alike: log2(n) + 1 numbers instead of n. */
function onHypercube(n: number): MixingTime {
  const dimension = Math.log2(n);
  let f = new Float64Array(dimension + 1);
  f[0] = 1;
  for (let steps = 0; ; steps++) {
    if (f.every((value) => Math.abs(value - 1 / n) <= bound(n))) {
      return { steps, exact: true, how: "exact: iteration over distances, all starts (the hypercube is symmetric)" };
    }
    f = f.map((value, distance) => {
      const nearer = distance > 0 ? distance * f[distance - 1] : 0;
      const further = distance < dimension ? (dimension - distance) * f[distance + 1] : 0;
      return value / 2 + (nearer + further) / (2 * dimension);
    });
  }
}

function byIteration(chain: Chain, symmetric: boolean): MixingTime {
  const { size } = chain;
  const search = new TargetSearch(chain);
  if (symmetric) {
    const steps = search.include(0);
    return {
      steps,
      exact: steps !== null,
      how: steps === null ? TOO_LONG : "exact: iteration, the graph is symmetric",
    };
  }
  // From a target to its worst start, from a start to its worst target, and so on: where a slow mode rules this leads to
  // the worst pair at once, and it tells what all targets cost.
  let target = largest(chain.stationary);
  const seen = new Set<number>();
  while (!seen.has(target) && seen.size < MOST_CLIMBS) {
    seen.add(target);
    if (search.include(target) === null) return { steps: null, exact: false, how: TOO_LONG };
    target = seen.size % 2 === 1 ? search.worstStart() : search.worstTarget();
  }
  // Then all the others, or as many as the budget allows, evenly spread.
  const stride = Math.max(1, Math.ceil((size * search.cost) / Math.max(search.cost, BUDGET - search.spent)));
  for (let next = 0; next < size && search.spent < 2 * BUDGET; next += stride) {
    if (seen.has(next)) continue;
    seen.add(next);
    if (search.include(next) === null) break;
  }
  const exact = seen.size === size;
  const how = exact
    ? `exact: iteration, all ${size} starts`
    : `estimated from below: iteration, all starts but only ${seen.size} of ${size} targets, bad ones and evenly spread`;
  return { steps: search.steps, exact, how };
}

const TOO_LONG = "unknown: the walk mixes too slowly to follow";

function largest(values: Float64Array): number {
  let best = 0;
  for (let i = 1; i < values.length; i++) if (values[i] > values[best]) best = i;
  return best;
}

/** The largest mixing time over the targets looked at. */
class TargetSearch {
  steps = 0;
  spent = 0;
  private readonly chain: Chain;
  private f: Float64Array;
  private next: Float64Array;
  private target = 0;

  constructor(chain: Chain) {
    this.chain = chain;
    this.f = new Float64Array(chain.size);
    this.next = new Float64Array(chain.size);
  }

  /** What one more target costs. */
  get cost(): number {
    return this.work * Math.max(1, this.steps);
  }

  private get work(): number {
    return this.chain.targets.length + this.chain.size;
  }

  /** Raises `steps` to this target's; null when that would take too long. */
  include(target: number): number | null {
    this.target = target;
    this.f.fill(0);
    this.f[target] = 1;
    // Deviations only fall, so those before the largest k known so far need no look.
    for (let k = 0; k < this.steps; k++) this.advance();
    const limit = bound(this.chain.size);
    // Two steps back and not one: walks that never rest may swing.
    for (let now = this.deviation(), before = Infinity, earlier = Infinity; now > limit; ) {
      if (this.spent + this.leastSteps(earlier, now, limit) * this.work > 3 * BUDGET) return null;
      this.advance();
      this.steps++;
      [earlier, before, now] = [before, now, this.deviation()];
    }
    return this.steps;
  }

  /** The start from which the present target is furthest from its stationary probability. */
  worstStart(): number {
    const expected = this.chain.stationary[this.target];
    return largest(this.f.map((value) => Math.abs(value - expected)));
  }

  /** The same with the present target as a start, for the chain is reversible. */
  worstTarget(): number {
    const { stationary } = this.chain;
    return largest(this.f.map((value, v) => stationary[v] * Math.abs(value - stationary[this.target])));
  }

  /** Decay slows down as only the slowest mode is left, so at the rate of now it takes at least this many steps more. */
  private leastSteps(earlier: number, now: number, limit: number): number {
    return earlier > now ? (2 * Math.log(now / limit)) / Math.log(earlier / now) : 0;
  }

  private advance(): void {
    step(this.chain, this.f, this.next);
    [this.f, this.next] = [this.next, this.f];
    this.spent += this.work;
  }

  private deviation(): number {
    const expected = this.chain.stationary[this.target];
    let worst = 0;
    for (const value of this.f) worst = Math.max(worst, Math.abs(value - expected));
    return worst;
  }
}

// Mixing times of small chains by powers of the whole matrix: the cost grows with the logarithm of the answer.

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
