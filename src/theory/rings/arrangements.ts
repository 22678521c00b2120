/** Ring elections worked out on paper: what the slides say about arrangements of ids, for all of them. */

/** Every arrangement of 1..n around a ring; n stays where it is, since rotations are the same ring. */
export function arrangements(n: number): number[][] {
  const rest = (ids: readonly number[]): number[][] =>
    ids.length <= 1
      ? [[...ids]]
      : ids.flatMap((id) => rest(ids.filter((other) => other !== id)).map((tail) => [id, ...tail]));
  return rest(Array.from({ length: n - 1 }, (_, i) => i + 1)).map((ids) => [n, ...ids]);
}

/** Chang and Roberts: how far the id of each node goes, up to the first larger one or once around. */
export function changRobertsSteps(ids: readonly number[]): number[] {
  const n = ids.length;
  return ids.map((id, node) => {
    let steps = 1;
    while (steps < n && ids[(node + steps) % n] < id) steps++;
    return steps;
  });
}

/** Hirschberg and Sinclair: the nodes whose probes to that distance come back from both sides. */
export function winnersWithin(ids: readonly number[], reach: number): number[] {
  const n = ids.length;
  const others = Array.from({ length: Math.min(reach, n - 1) }, (_, i) => i + 1);
  return Array.from({ length: n }, (_, node) => node).filter((node) =>
    others.every((away) => ids[(node + away) % n] < ids[node] && ids[(node - away + n) % n] < ids[node]),
  );
}

/** P(i, k) of the slide: C(i-1, k-1) / C(n-1, k-1) · (n-i) / (n-k). */
export function slideChance(n: number, i: number, k: number): number {
  let smaller = 1;
  for (let step = 1; step < k; step++) smaller *= (i - step) / (n - step);
  return smaller * ((n - i) / (n - k));
}

/** The share of all arrangements in which the `rank`-th smallest id makes exactly k steps. */
export function chanceOfSteps(n: number, rank: number, k: number): number {
  const all = arrangements(n);
  return all.filter((ids) => changRobertsSteps(ids)[ids.indexOf(rank)] === k).length / all.length;
}

/** The slide's sum for the average case: n + sum over i and k of k P(i, k). */
export function slideAverage(n: number): number {
  let sum = n;
  for (let i = 1; i < n; i++) for (let k = 1; k < n; k++) sum += k * slideChance(n, i, k);
  return sum;
}

/** Ids in bit-reversed order: at most half stay active, each time as many as can. */
export function bitReversed(bits: number): number[] {
  const reversed = (value: number) =>
    Array.from({ length: bits }, (_, bit) => (value >> bit) & 1).reduce((out, digit) => out * 2 + digit, 0);
  return Array.from({ length: 2 ** bits }, (_, node) => reversed(node));
}

/** The reach of the first phase with 2^i ≥ n/2. */
export const lastReach = (n: number) => 2 ** Math.max(0, Math.ceil(Math.log2(n / 2)));

/** Candidates of phase i for every i: those that have won within 2^(i-1). */
export const candidates = (ids: readonly number[]) =>
  Array.from({ length: Math.ceil(Math.log2(ids.length)) }, (_, i) => winnersWithin(ids, 2 ** i));

/** Whether no two winners within 2^(i-1) lie in one sequence of 2^(i-1) processes. */
export const apart = (ids: readonly number[]) =>
  candidates(ids).every(
    (winners, i) =>
      winners.every((node, k) => k === 0 || node - winners[k - 1] >= 2 ** i) &&
      (winners.length < 2 || winners[0] + ids.length - winners[winners.length - 1] >= 2 ** i),
  );
