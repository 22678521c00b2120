/** Policy `majority`: nobody leads for long on a side that is cut off from half of the members. */
import { boundsOf } from "../bounds.ts";
import type { MakeRule } from "../watch.ts";

export const minoritiesGiveUp: MakeRule = (truth) => {
  const { members, policy, plan } = truth.scenario;
  const { minority } = boundsOf(truth.scenario);
  if (policy !== "majority") return { name: "minorities-give-up" };
  /** Since when each member has been able to talk to no more than half, itself included; infinity while it can. */
  const since: number[] = new Array(members).fill(Infinity);
  const turns = plan.faults.partitions.flatMap(({ from, to }) => [from, to ?? Infinity]).sort((a, b) => a - b);
  const count = () => {
    for (let node = 0; node < members; node++) {
      const few = truth.runs(node) && 2 * withinReach(node) <= members;
      since[node] = few ? Math.min(since[node], truth.now) : Infinity;
    }
  };
  const withinReach = (node: number): number => {
    const up = (other: number) => truth.runs(other) && !truth.isPaused(other);
    const spread = (passes: (from: number, to: number) => boolean) => {
      const reached = new Set([node]);
      for (const from of reached) {
        for (let to = 0; to < members; to++) if (up(to) && passes(from, to)) reached.add(to);
      }
      return reached;
    };
    const back = spread((from, to) => truth.reaches(to, from));
    return [...spread((from, to) => truth.reaches(from, to))].filter((other) => back.has(other)).length;
  };
  /** Since when each has led anything; infinity while it does not. One that hears half of the others may win although they do not hear it. */
  const ledSince: number[] = new Array(members).fill(Infinity);
  const leading = (node: number) => Object.values(truth.seen[node]?.offices ?? {}).some(({ mine }) => mine);
  return {
    name: "minorities-give-up",
    due: 0,
    changed(node, before, now) {
      ledSince[node] = leading(node) ? Math.min(ledSince[node], truth.now) : Infinity;
      if (before === null || now === null) count();
      return null;
    },
    stalled(node) {
      // Who goes on refutes what was suspected of it while it stood still, and may be heard although it hears nobody.
      if (!truth.isPaused(node)) since.fill(Infinity);
      count();
    },
    overdue() {
      count();
      const later = turns.filter((turn) => turn > truth.now);
      this.due = Math.min(later[0] ?? Infinity, truth.now + minority / 10);
      for (const node of truth.running()) {
        const begun = Math.max(since[node], ledSince[node], truth.pausedTo[node]);
        if (!truth.isPaused(node) && truth.now > begun + minority) {
          return `m${node} still leads although it reaches no more than half since ${begun}`;
        }
      }
      return null;
    },
  };
};
