import { answered, type StrictBug } from "./bug.ts";
import { answersTo, late } from "./faults.ts";

export const oldAnswer: StrictBug = {
  name: "old-answer",
  mistake:
    "a renewal's answer drops every seat that it does not list, also one that was acquired after the renewal was sent",
  mix: "reshuffle",
  // Many answers are late, and overtaken by others.
  wanted: {
    members: 2,
    offices: ["a", "b", "c", "d"],
    policy: "available",
    lease: { ttl: 5000 },
    faults: { spikes: late(answersTo(2, [0, 1]), 0.5, 1200) },
  },
  runs: 10,
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
