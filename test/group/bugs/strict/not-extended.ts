import type { StrictBug } from "./bug.ts";
import { deaf, resigning } from "./faults.ts";

const CUTS = [8000, 13_000, 18_000, 23_000];

export const notExtended: StrictBug = {
  name: "not-extended",
  mistake: "a seat that is acquired late in a session ends with it: the session is not extended along with the grant",
  mix: "calm",
  // An office changes hands just before its new holder loses the engine.
  wanted: {
    members: 2,
    offices: ["a", "b", "c"],
    policy: "available",
    lease: { ttl: 2000, settling: [0, 50] },
    faults: {
      losses: deaf(2, [0, 1], CUTS, 3000),
      commands: ["a", "b", "c"].flatMap((office, i) =>
        resigning(
          office,
          [0, 1],
          CUTS.map((at) => at - 200 - 100 * i),
        ),
      ),
    },
  },
  runs: 6,
  breaks: ["ends-in-time"],
  plant: (parts) => ({
    ...parts,
    carryOut(rows, request, clock) {
      const session = request.kind === "acquire" ? rows.session(request.session) : null;
      const answer = parts.carryOut(rows, request, clock);
      if (request.kind === "acquire" && session !== null) rows.setSession(request.session, session);
      return answer;
    },
  }),
};
