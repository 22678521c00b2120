import { endsInTime } from "../../rules/leases.ts";
import type { StrictBug } from "./bug.ts";
import { answersTo, late, requestsOf } from "./faults.ts";

const RESTARTS = [6, 9, 12, 15, 18, 21, 24, 27];

export const formerLife: StrictBug = {
  name: "former-life",
  mistake:
    "a member's requests, sessions and leases are told by its name alone: the answer to a renewal of its former life, come late, confirms one of the present life",
  mix: "calm",
  // Lives are short, answers come late, and many requests are lost.
  wanted: {
    members: 1,
    policy: "available",
    offices: ["leader"],
    lease: { ttl: 2000, settling: [0, 50] },
    faults: {
      restarts: RESTARTS.map((second) => ({ node: 0, at: 1000 * second, saved: true })),
      spikes: late(answersTo(1, [0]), 0.5, 3000),
      losses: requestsOf(1, [0]).map((link) => ({ rate: 0.6, kind: "both", link, from: 5000, to: 29_000 })),
    },
  },
  runs: 20,
  breaks: ["ends-in-time"],
  // Others would say at once that no lease of this name names its life.
  rules: [endsInTime],
  plant: ({ group, ...parts }) => ({
    ...parts,
    group: {
      ...group,
      init(params, self, saved, ctx) {
        const state = group.init(params, self, saved, ctx);
        return { ...state, lease: { ...state.lease!, life: 0 } };
      },
    },
  }),
};
