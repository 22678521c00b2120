/** Networks that are drawn at random. */
import { InputError } from "../../errors.ts";
import { ln } from "../../random/ln.ts";
import type { Source } from "../../random/source.ts";
import { permutation } from "../../random/subsets.ts";
import { componentsOf } from "../components.ts";
import { EdgeList, type Graph, graphOf } from "../csr.ts";
import { exchangePartners, joined, pairHalfLinks } from "./configuration.ts";

// Erdős and Rényi's (Gilbert's) G(n, p): every pair of nodes is linked with probability p, independently.

/** Jumps from link to link by geometric gaps (Batagelj and Brandes 2005): the cost is the number of links. */
export function erdosRenyi(source: Source, n: number, p: number): Graph {
  if (!(p >= 0 && p <= 1)) throw new InputError(`er:P needs a probability from 0 to 1, not ${p}`);
  const edges = new EdgeList();
  if (p === 0) return graphOf("er", n, edges);
  // ln(1-p) loses the digits of a tiny p; the series is exact to the last bit there.
  const logMiss = p === 1 ? 0 : p < 1e-6 ? -p - (p * p) / 2 : ln(1 - p);
  let row = 1;
  let column = -1;
  for (;;) {
    column += 1 + (p === 1 ? 0 : Math.floor(ln(1 - source.uniform()) / logMiss));
    while (column >= row && row < n) column -= row++;
    if (row >= n) return graphOf("er", n, edges);
    edges.add(row, column);
  }
}

// Barabási and Albert, "Emergence of scaling in random networks", Science 286, 1999: growth by preferential attachment.

/** Starts from a complete graph of m+1 nodes; every new node links to m distinct older ones, by their degrees. */
export function barabasiAlbert(source: Source, n: number, m: number): Graph {
  if (!Number.isInteger(m) || m < 1 || m >= n) {
    throw new InputError(`ba:M needs a whole number of links per new node, from 1 to n-1, not ${m}`);
  }
  const edges = new EdgeList();
  for (let v = 0; v <= m; v++) for (let u = 0; u < v; u++) edges.add(v, u);
  for (let v = m + 1; v < n; v++) {
    const ends = 2 * edges.count;
    const chosen = new Set<number>();
    // Every link has two ends, so a random end is a node drawn by its degree.
    while (chosen.size < m) {
      const end = source.choose(ends);
      chosen.add(end % 2 === 0 ? edges.from[end / 2] : edges.to[(end - 1) / 2]);
    }
    for (const u of chosen) edges.add(v, u);
  }
  return graphOf("ba", n, edges);
}

// Random d-regular graphs: simple and connected, so expanders with high probability from d = 3 on.

const ATTEMPTS = 1000;

export function regular(source: Source, n: number, degree: number): Graph {
  const trivial = n === 1 ? degree === 0 : degree === 1 && n === 2;
  if (!trivial && (!Number.isInteger(degree) || degree < 2 || degree >= n || (n * degree) % 2 === 1)) {
    throw new InputError(
      `no connected graph of ${n} nodes has degree ${degree} everywhere: take a degree from 2 to n-1, and n·degree even`,
    );
  }
  if (degree === 2) return cycle(source, n);
  // A dense graph is what a sparse one leaves out, and with degrees of at least n/2 it is connected.
  if (degree > (n - 1) / 2) return complement(pairRegular(source, n, n - 1 - degree, false));
  return pairRegular(source, n, degree, true);
}

function pairRegular(source: Source, n: number, degree: number, connected: boolean): Graph {
  const degrees = new Uint32Array(n).fill(degree);
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const pairing = pairHalfLinks(source, degrees);
    if (pairing.unpaired > 0) continue;
    exchangePartners(source, pairing, n);
    const graph = graphOf("regular", n, pairing.edges);
    if (!connected || componentsOf(graph).count === 1) return graph;
  }
  throw new InputError(`no simple, connected graph of ${n} nodes with degree ${degree} was found: change n or degree`);
}

/** The only connected 2-regular graphs are cycles; pairing would hardly ever make one of them. */
function cycle(source: Source, n: number): Graph {
  const order = permutation(source, n);
  const edges = new EdgeList();
  for (let i = 0; i < n; i++) edges.add(order[i] - 1, order[(i + 1) % n] - 1);
  return graphOf("regular", n, edges);
}

function complement(graph: Graph): Graph {
  const edges = new EdgeList();
  for (let v = 0; v < graph.size; v++) {
    const neighbours = new Set(graph.targets.subarray(graph.offsets[v], graph.offsets[v + 1]));
    for (let u = v + 1; u < graph.size; u++) if (!neighbours.has(u)) edges.add(v, u);
  }
  return graphOf(graph.name, graph.size, edges);
}

// Power-law networks as in the simulations of Ramanathan et al. (section 7): degrees first, then links at random.
//
// Their exponent 0.8 is read as a rank exponent: the node of rank r has degree (n/r)^0.8, at most `cutoff`, so the last
// one has degree 1 and the mean is about 1/(1-0.8) = 5. Read as P(degree = k) ~ k^-0.8 it would mean a mean degree of
// thousands at n = 50,000, which no peer-to-peer network has.

export function powerLaw(source: Source, n: number, exponent: number, cutoff: number = n - 1): Graph {
  if (n < 2) throw new InputError(`a power-law network needs at least 2 nodes, not ${n}`);
  if (!(exponent >= 0 && Number.isFinite(exponent))) {
    throw new InputError(`power-law:EXPONENT needs a number of at least 0, not ${exponent}`);
  }
  if (!Number.isInteger(cutoff) || cutoff < 1) {
    throw new InputError(
      `the cutoff of a power law is its largest degree, a whole number of at least 1, not ${cutoff}`,
    );
  }
  const degrees = rankDegrees(n, exponent, Math.min(cutoff, n - 1));
  const pairing = pairHalfLinks(source, degrees);
  exchangePartners(source, pairing, n);
  return joined(source, graphOf("power-law", n, pairing.edges));
}

/** round((n/r)^exponent) for the ranks r = 1 .. n, capped, with one more at the end where the sum would be odd. */
export function rankDegrees(n: number, exponent: number, cutoff: number): Uint32Array {
  const degrees = new Uint32Array(n);
  let degree = 1;
  let sum = 0;
  for (let rank = n; rank >= 1; rank--) {
    // (n/r)^a >= k + 1/2 asked in logarithms, which are ours and the same on every engine.
    while (degree < cutoff && exponent * ln(n / rank) >= ln(degree + 0.5)) degree++;
    degrees[rank - 1] = degree;
    sum += degree;
  }
  if (sum % 2 === 1) degrees[n - 1]++;
  return degrees;
}
