/** Terms only grow, and nobody takes part twice. */
import type { MakeRule } from "../watch.ts";

/** At each member, and across its restarts unless it has lost what it saved. */
export const termsGrow: MakeRule = (truth) => {
  const highest: Map<string, number>[] = Array.from({ length: truth.size }, () => new Map());
  return {
    name: "terms-grow",
    started(node) {
      if (truth.forgets(node)) highest[node].clear();
    },
    changed(node, _before, now) {
      for (const office in now?.offices) {
        const { term } = now.offices[office];
        const before = highest[node].get(office) ?? 0;
        if (term < before) return `m${node} goes back from term ${before} to ${term} of ${office}`;
        highest[node].set(office, term);
      }
      return null;
    },
  };
};

/** Neither answers nor leads in a term that it had seen before a restart. */
export const takesPartOnce: MakeRule = (truth) => {
  const fresh = () => new Map<string, number>();
  const seen = Array.from({ length: truth.size }, fresh);
  const barred = Array.from({ length: truth.size }, fresh);
  const again = (node: number, office: string, term: number, what: string) =>
    term <= (barred[node].get(office) ?? 0)
      ? `m${node} ${what} term ${term} of ${office}, which it had seen before its restart`
      : null;
  return {
    name: "takes-part-once",
    started(node) {
      if (truth.forgets(node)) seen[node].clear();
      barred[node] = new Map(seen[node]);
    },
    changed(node, _before, now) {
      for (const office in now?.offices) {
        const { term, mine } = now.offices[office];
        const wrong = mine ? again(node, office, term, "leads") : null;
        if (wrong !== null) return wrong;
        seen[node].set(office, Math.max(term, seen[node].get(office) ?? 0));
      }
      return null;
    },
    takesPart: (node, office, term) => again(node, office, term, "takes part in"),
  };
};
