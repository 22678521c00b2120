import { changed } from "../bug.ts";
import { inContext, type StrictBug } from "./bug.ts";

export const wakesAsLeader: StrictBug = {
  name: "wakes-as-leader",
  mistake: "the end of a lease is a timer like others: after a pause messages that have waited come first",
  mix: "pauses",
  runs: 20,
  breaks: ["ends-in-time"],
  plant: ({ group, ...parts }) => ({
    ...parts,
    group: inContext(group, (ctx) => changed(ctx, { deadline: (timer, after) => ctx.arm(timer, after) })),
  }),
};
