/** Ring elections worked out on paper: what the slides say about arrangements of ids, for all of them. */
import type { TraceEvent } from "../trace/events.ts";
import { play } from "./play.ts";

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

/** How many messages with each id a run sends, the announcement left out. */
export function messagesById(protocol: string, ids: readonly number[], params = {}): Map<number, number> {
  const { events } = play(protocol, { n: ids.length, ids, params }, ["start", "run"]);
  const counts = new Map<number, number>();
  for (const event of events) {
    const id = electionId(event);
    if (id !== null) counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return counts;
}

function electionId(event: TraceEvent): number | null {
  if (event.do !== "send") return null;
  const { kind, id } = event.message as { kind: string; id?: number };
  return kind === "announce" || id === undefined ? null : id;
}
