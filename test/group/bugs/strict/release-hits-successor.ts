import type { StrictBug } from "./bug.ts";
import { late, requestsOf } from "./faults.ts";

export const releaseHitsSuccessor: StrictBug = {
  name: "release-hits-successor",
  mistake: "a release frees the seat, whoever has it by then",
  mix: "reshuffle",
  // Many requests are late: a release is repeated before it has arrived.
  wanted: {
    members: 2,
    policy: "available",
    lease: { ttl: 2000, settling: [0, 50] },
    faults: { spikes: late(requestsOf(2, [0, 1]), 0.4, 800) },
  },
  runs: 8,
  breaks: ["ends-in-time"],
  plant: (parts) => ({
    ...parts,
    carryOut(rows, request, clock) {
      const lease = request.kind === "release" ? rows.seat(request.seat)?.lease : null;
      const hit = lease == null ? request : { ...request, lease: lease.id, token: lease.token };
      const answer = parts.carryOut(rows, hit, clock);
      return answer.kind === "released" ? { ...answer, lease: (request as { lease: string }).lease } : answer;
    },
  }),
};
