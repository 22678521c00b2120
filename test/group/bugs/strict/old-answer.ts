import { answered, type StrictBug } from "./bug.ts";

export const oldAnswer: StrictBug = {
  name: "old-answer",
  mistake:
    "a renewal's answer drops every seat that it does not list, also one that was acquired after the renewal was sent",
  mix: "resign+crash+engine-slow",
  wanted: { offices: ["a", "b", "c", "d", "e", "f", "g", "h"], policy: "available" },
  runs: 40,
  breaks: ["drops-what-is-gone"],
  plant: ({ group, ...parts }) => ({
    ...parts,
    group: answered(group, (answer, { lease }) => {
      if (answer.kind !== "renewed") return answer;
      const lost = [...lease!.seats].flatMap(([seat, it]) =>
        it.status === "held" && !answer.leases.some((one) => one.lease === it.lease) ? [{ seat, lease: it.lease }] : [],
      );
      return { ...answer, lost };
    }),
  }),
};
