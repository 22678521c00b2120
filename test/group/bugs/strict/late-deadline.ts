import { worth } from "../../../../src/protocols/lease/params.ts";
import { isAnswer, type StrictBug } from "./bug.ts";

export const lateDeadline: StrictBug = {
  name: "late-deadline",
  mistake: "the deadline of a lease counts from the answer to its renewal, not from the sending",
  mix: "engine-slow+engine-cut",
  runs: 20,
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
