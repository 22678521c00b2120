import type { StrictBug } from "./bug.ts";
import { deaf } from "./faults.ts";

/** The members' clocks are slow and the lease store's is fast: apart by rho, the most that leases allow for. */
const APART = [
  { node: 0, rate: 0.995 },
  { node: 1, rate: 0.995 },
  { node: 2, rate: 1.00495 },
];

export const wrongDrift: StrictBug = {
  name: "wrong-drift",
  mistake: "the drift of clocks makes a lease longer instead of shorter",
  mix: "calm",
  wanted: {
    members: 2,
    policy: "available",
    // At 2 s the margin covers it.
    lease: { ttl: 5000 },
    faults: { clocks: APART, losses: deaf(2, [0, 1], [10_000, 20_000], 8000) },
  },
  runs: 3,
  breaks: ["ends-in-time"],
  plant: ({ group, ...parts }) => ({
    ...parts,
    group: {
      ...group,
      init(params, self, saved, ctx) {
        const lease = params.lease && { ...params.lease, rho: -params.lease.rho };
        return group.init({ ...params, lease }, self, saved, ctx);
      },
    },
  }),
};
