import type { StrictBug } from "./bug.ts";

export const releaseHitsSuccessor: StrictBug = {
  name: "release-hits-successor",
  mistake: "a release frees the seat, whoever has it by then",
  mix: "engine-late+resign+engine-twice",
  runs: 40,
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
