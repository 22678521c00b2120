import { copyOf } from "../../../../src/protocols/lease/model-clock.ts";
import { type PlainRows, rowsOf } from "../../../../src/protocols/lease/register-rows.ts";
import type { StrictBug } from "./bug.ts";

export const readOnlyTakeOver: StrictBug = {
  name: "read-only-take-over",
  mistake:
    "a take-over reads that the session of a seat has expired, but does not write it: a renewal that had looked before it waited for a lock passes",
  mix: "engine-slow+engine-cut+crash+resign",
  runs: 80,
  breaks: ["renewals-are-true"],
  plant(parts, clock) {
    /** What each renewal saw when it came; with what others have written to its session meanwhile it begins again. */
    const seen = new Map<string, { readonly rows: PlainRows; readonly at: number }>();
    return {
      ...parts,
      engine: (machine) => ({
        ...machine,
        receive(state, port, message, ctx) {
          if (message.kind === "renew")
            seen.set(`${message.life} ${message.id}`, { rows: copyOf(state.rows), at: clock() });
          machine.receive(state, port, message, ctx);
        },
      }),
      carryOut(rows, request, time) {
        if (request.kind === "acquire") {
          const former = rows.seat(request.seat)?.lease?.session ?? request.session;
          const session = rows.session(former);
          const answer = parts.carryOut(rows, request, time);
          if (former !== request.session && session !== null) rows.setSession(former, session);
          return answer;
        }
        const before = request.kind === "renew" ? seen.get(`${request.life} ${request.id}`) : undefined;
        if (request.kind !== "renew" || before === undefined) return parts.carryOut(rows, request, time);
        const session = rows.session(request.session);
        if (session === null || session.ended) return parts.carryOut(rows, request, time);
        const answer = parts.carryOut(rowsOf(before.rows), request, time);
        if (answer.kind === "renewed") {
          const expires = { ...session.expires, at: request.ttl - (clock() - before.at) };
          rows.setSession(request.session, { ...session, expires, counter: session.counter + 1 });
        }
        return answer;
      },
    };
  },
};
