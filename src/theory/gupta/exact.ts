/** Gupta et al., Theorem 1(b): the events E1 and E2 computed exactly, beside the bounds that the paper gives for them. */
import { admitted, type GuptaSetting, roundFactors, surviving } from "./gupta.ts";

interface Broken {
  readonly K: number;
  readonly exact: number;
  readonly claimed: number;
}

/** All K up to 100 at which E1's two counts stray, one or both, more often than the bound concedes. */
export function brokenE1(setting: GuptaSetting): Broken[] {
  return Array.from({ length: 100 }, (_, i) => i + 1)
    .map((K) => ({ K, exact: strays(K, setting), claimed: 1 - roundFactors(K, setting).E1 }))
    .filter(({ exact, claimed }) => exact > claimed);
}

/** P(not E1), exactly: relays are binomial, and those who live are binomial given these. */
function strays(k: number, setting: GuptaSetting): number {
  const { n, crash } = setting;
  const [chosen, alive] = [admitted(k, setting), surviving(k, setting)];
  const within = (count: number, mean: number) => count >= mean / 2 && count <= (3 * mean) / 2;
  const most = Math.ceil(4 * k + 60);
  return binomial(n, chosen / n, most).reduce((sum, p, m) => {
    if (!within(m, chosen)) return sum + p;
    const dead = binomial(m, 1 - crash, m).reduce((rest, q, j) => rest + (within(j, alive) ? 0 : q), 0);
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
export function largestShareE2(setting: GuptaSetting, unlinked: number, most: number): number {
  const connected = connectivity(unlinked, 100);
  const shares = Array.from({ length: most }, (_, i) => i + 1).flatMap((k) => {
    const alive = surviving(k, setting);
    const numbers = Array.from({ length: 100 }, (_, i) => i + 1).filter((m) => m >= alive / 2 && m <= (3 * alive) / 2);
    return numbers.map((m) => (1 - connected[m]) / (1 - roundFactors(k, setting).E2));
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

/** P(every member fails or hears one of m multicasts). */
export const allHear = (m: number, { n, crash, multicastLoss }: GuptaSetting): number =>
  (crash + (1 - crash) * (1 - multicastLoss ** m)) ** n;

/** Whether the fourth factor is a bound for every number of relays that E1 admits. */
export function fourthBounds(k: number, setting: GuptaSetting): boolean {
  const [least, most] = [surviving(k, setting) / 2, (3 * surviving(k, setting)) / 2];
  for (let m = Math.ceil(least); m <= most; m++) {
    if (allHear(m, setting) < roundFactors(k, setting).E4 * (1 - 1e-9)) return false;
  }
  return true;
}

/**
 * Longest delays until all of a line of m relays have the choice of the first, where of two neighbours only the farther one
 * knows the nearer: it asks at the start, is heard after one delay, and is told from then on.
 */
export function delaysAlong(m: number): number {
  let told = 0;
  for (let i = 1; i < m; i++) told = Math.max(told, 1) + 1;
  return told;
}

/** P(a newcomer's multicast reaches one of n members whose answer arrives), both lost with probability p. */
export const joinChance = (n: number, p: number): number => -Math.expm1(n * Math.log1p(-((1 - p) ** 2)));
