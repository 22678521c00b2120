import type { StrictBug } from "./bug.ts";

export const notExtended: StrictBug = {
  name: "not-extended",
  mistake: "a seat that is acquired late in a session ends with it: the session is not extended along with the grant",
  mix: "engine-cut+resign+crash",
  wanted: { offices: ["a", "b", "c", "d", "e", "f", "g", "h"], policy: "available" },
  runs: 60,
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
