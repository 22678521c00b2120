/** The second act: after the last fault all is well within a stated time, and stays so. */
import { boundsOf } from "../bounds.ts";
import { seedsAmong } from "../scenario.ts";
import type { Truth } from "../truth.ts";
import type { MakeRule } from "../watch.ts";

export const settles: MakeRule = (truth) => {
  const from = truth.scenario.plan.healed + boundsOf(truth.scenario).settle;
  let begun = false;
  return {
    name: "settles",
    due: from,
    changed: () => (begun ? unsettled(truth) : null),
    overdue() {
      begun = true;
      this.due = Infinity;
      return unsettled(truth);
    },
  };
};

/** Members that start again find each other by the seeds alone: where none of these runs, they may stay apart. */
export const canMeet = (truth: Truth): boolean => seedsAmong(truth.size).some((node) => truth.runs(node));

/** What is not as it should be: views that agree, one holder of each office, known to all. */
export function unsettled(truth: Truth): string | null {
  const { members, policy, offices } = truth.scenario;
  const there = truth.running();
  if (!canMeet(truth)) return null;
  const expected = there.map((node) => truth.life[node]!).sort((a, b) => a - b);
  for (const node of there) {
    const glimpse = truth.seen[node];
    if (glimpse === null || !glimpse.joined) return `m${node} has not joined`;
    if (glimpse.refused !== null) return `m${node} is refused: ${glimpse.refused}`;
    const seen = glimpse.view.map(({ life }) => life).sort((a, b) => a - b);
    if (String(seen) !== String(expected)) {
      return `m${node} sees ${glimpse.view.map(({ name, life }) => `${name}/${life}`).join(", ")}; there are ${there.map((other) => `m${other}/${truth.life[other]}`).join(", ")}`;
    }
  }
  const canLead = policy === "available" || 2 * there.length > members;
  for (const office of offices) {
    const holders = there.filter((node) => truth.seen[node]!.offices[office]?.mine === true);
    if (holders.length !== (canLead && there.length > 0 ? 1 : 0)) {
      return `${holders.length === 0 ? "nobody leads" : `${holders.map((node) => `m${node}`).join(" and ")} lead`} ${office}`;
    }
    const known = new Set(
      there.map((node) => {
        const seat = truth.seen[node]!.offices[office];
        return canLead ? `${seat?.leader} in term ${seat?.term}` : String(seat?.leader ?? null);
      }),
    );
    const leader = holders.length === 0 ? "null" : truth.nameOf(holders[0]);
    if (known.size > 1 || ![...known].every((said) => said.split(" ")[0] === leader)) {
      return `${leader} leads ${office}, and members say ${[...known].join("; ")}`;
    }
  }
  return null;
}
