import { copyOfRows, type PlainRows, rowsOf } from "../../../../src/protocols/lease/register-rows.ts";
import { renewalsAreTrue } from "../../rules/leases.ts";
import type { Parts } from "../../strict/stack.ts";
import type { StrictBug } from "./bug.ts";

/** An engine in which renewals wait for a lock, up to so long, and go by what they saw when they came unless their session was written since. */
const LONGEST_WAIT = 2000;

function waiting(parts: Parts, clock: () => number): Parts {
  const seen = new Map<string, { readonly session: string; readonly rows: PlainRows; readonly at: number }>();
  return {
    ...parts,
    engine: (machine) => ({
      ...machine,
      receive(state, port, message, ctx) {
        const { slow } = state;
        if (message.kind === "renew") {
          const { life, id, session } = message;
          seen.set(`${life} ${id}`, { session, rows: copyOfRows(state.rows), at: clock() });
          state.slow = { ...slow, before: ctx.choose(LONGEST_WAIT) };
        }
        machine.receive(state, port, message, ctx);
        if (message.kind === "renew") state.slow = slow;
      },
    }),
    carryOut(rows, request, time) {
      if (request.kind === "release") {
        // It locks the session, too.
        const released = rows.seat(request.seat)?.lease?.session;
        for (const [id, { session }] of seen) if (session === released) seen.delete(id);
      }
      const before = request.kind === "renew" ? seen.get(`${request.life} ${request.id}`) : undefined;
      const session = request.kind === "renew" ? rows.session(request.session) : null;
      if (request.kind !== "renew" || before === undefined || session === null || session.ended) {
        return parts.carryOut(rows, request, time);
      }
      const answer = parts.carryOut(rowsOf(before.rows), request, time);
      if (answer.kind === "renewed") {
        const expires = { ...session.expires, at: request.ttl - (clock() - before.at) };
        rows.setSession(request.session, { ...session, expires, counter: session.counter + 1 });
      }
      return answer;
    },
  };
}

export const readOnlyTakeOver: StrictBug = {
  name: "read-only-take-over",
  mistake:
    "a take-over reads that the session of a seat has expired, but does not write it: a renewal that had looked before it waited for a lock passes",
  mix: "engine-lossy+crash",
  wanted: { lease: { ttl: 2000 } },
  runs: 5,
  breaks: ["renewals-are-true"],
  rules: [renewalsAreTrue],
  plant(given, clock) {
    const parts = waiting(given, clock);
    return {
      ...parts,
      carryOut(rows, request, time) {
        const former = request.kind === "acquire" ? (rows.seat(request.seat)?.lease?.session ?? null) : null;
        const session = former === null ? null : rows.session(former);
        const answer = parts.carryOut(rows, request, time);
        const isOther = request.kind === "acquire" && former !== request.session;
        if (isOther && session !== null) rows.setSession(former!, session);
        return answer;
      },
    };
  },
};

/** The same engine without the mistake. */
export const rightTakeOver: StrictBug = {
  ...readOnlyTakeOver,
  name: "right-take-over",
  mistake: "none",
  plant: waiting,
};
