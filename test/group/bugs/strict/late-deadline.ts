import { worth } from "../../../../src/protocols/lease/params.ts";
import { isAnswer, type StrictBug } from "./bug.ts";
import { answersTo, deaf, late } from "./faults.ts";

export const lateDeadline: StrictBug = {
  name: "late-deadline",
  mistake: "the deadline of a lease counts from the answer to its renewal, not from the sending",
  mix: "calm",
  wanted: {
    members: 2,
    policy: "available",
    lease: { ttl: 2000 },
    faults: { spikes: late(answersTo(2, [0, 1]), 1, 400), losses: deaf(2, [0, 1], [10_000, 18_000], 4000) },
  },
  runs: 3,
  breaks: ["ends-in-time"],
  plant: ({ group, ...parts }) => ({
    ...parts,
    group: {
      ...group,
      receive(state, port, message, ctx) {
        group.receive(state, port, message, ctx);
        if (!isAnswer(message) || (message.kind !== "renewed" && message.kind !== "granted")) return;
        const confirmed = Object.values(state.report.offices).flatMap(({ lapse }) => lapse ?? []);
        for (const timer of new Set(confirmed)) ctx.deadline(timer, worth(state.params.lease!));
      },
    },
  }),
};
