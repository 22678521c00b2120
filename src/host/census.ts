/** Counts what the live nodes believe. */
import type { Census, Id, Verdict } from "../protocol.ts";

interface Counted {
  readonly size: number;
  alive(node: number): boolean;
  verdict(node: number): Verdict;
  id(node: number): Id | null;
}

export function census(of: Counted): Census {
  const count = { elected: 0, "not-elected": 0, undecided: 0 };
  const leaders: (Id | null)[] = [];
  const beliefs = new Map<Id | null, number>();
  // Most nodes name the same leader as the node before them: runs are counted together, so the map is used rarely.
  let believed: Id | null = null;
  let alike = 0;
  for (let node = 0; node < of.size; node++) {
    if (!of.alive(node)) continue;
    const { status, leader } = of.verdict(node);
    count[status]++;
    if (leader !== believed) {
      if (alike > 0) beliefs.set(believed, (beliefs.get(believed) ?? 0) + alike);
      believed = leader;
      alike = 0;
    }
    alike++;
    if (status === "elected") leaders.push(of.id(node));
  }
  if (alike > 0) beliefs.set(believed, (beliefs.get(believed) ?? 0) + alike);
  return {
    alive: count.elected + count["not-elected"] + count.undecided,
    elected: count.elected,
    notElected: count["not-elected"],
    undecided: count.undecided,
    beliefs,
    leaders,
  };
}
