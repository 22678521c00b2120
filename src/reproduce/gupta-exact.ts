/** Gupta et al., Theorem 1(b): the events E1 and E2 computed exactly, beside the bounds that the paper gives for them. */
import { admitted, roundFactors, surviving } from "../theory/gupta.ts";
import { FIG4, LAST_K } from "./gupta-setting.ts";

export interface Broken {
  readonly K: number;
  readonly exact: number;
  readonly claimed: number;
}

/** All K up to 100 at which E1's two counts stray, one or both, more often than the bound concedes. */
export function brokenE1(): Broken[] {
  return Array.from({ length: 100 }, (_, i) => i + 1)
    .map((K) => ({ K, exact: strays(K), claimed: 1 - roundFactors(K, FIG4).E1 }))
    .filter(({ exact, claimed }) => exact > claimed);
}

/** P(not E1), exactly: relays are binomial, and those who live are binomial given these. */
function strays(k: number): number {
  const [chosen, alive] = [admitted(k, FIG4), surviving(k, FIG4)];
  const within = (count: number, mean: number) => count >= mean / 2 && count <= (3 * mean) / 2;
  const most = Math.ceil(4 * k + 60);
  return binomial(FIG4.n, chosen / FIG4.n, most).reduce((sum, p, m) => {
    if (!within(m, chosen)) return sum + p;
    const dead = binomial(m, 1 - FIG4.crash, m).reduce((rest, q, j) => rest + (within(j, alive) ? 0 : q), 0);
    return sum + p * dead;
  }, 0);
}

/** P(0), ..., P(most) of n draws with probability p below 1. */
function binomial(n: number, p: number, most: number): number[] {
  const probabilities = [(1 - p) ** n];
  for (let i = 0; i < Math.min(n, most); i++) {
    probabilities.push(((probabilities[i] * (n - i)) / (i + 1)) * (p / (1 - p)));
  }
  return probabilities;
}

/** The largest share of the failures conceded by the second factor that really occur, over K and numbers of relays, two of which are not linked with this probability. */
export function largestShareE2(unlinked: number): number {
  const connected = connectivity(unlinked, 100);
  const shares = Array.from({ length: LAST_K }, (_, i) => i + 1).flatMap((k) => {
    const alive = surviving(k, FIG4);
    const numbers = Array.from({ length: 100 }, (_, i) => i + 1).filter((m) => m >= alive / 2 && m <= (3 * alive) / 2);
    return numbers.map((m) => (1 - connected[m]) / (1 - roundFactors(k, FIG4).E2));
  });
  return Math.max(...shares);
}

/** P(m nodes are connected), m = 0 .. most, where two are not linked with probability q: Gilbert, 1959. */
function connectivity(q: number, most: number): number[] {
  const connected = [0, 1];
  for (let m = 2; m <= most; m++) {
    let apart = 0;
    // The component of the first node has j nodes: the ways to choose the others, and no link to the rest.
    for (let j = 1, ways = 1; j < m; ways *= (m - j) / j, j++) apart += ways * connected[j] * q ** (j * (m - j));
    connected.push(1 - apart);
  }
  return connected;
}
