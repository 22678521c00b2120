/** Engines with one mistake each, judged by the ledger, which knows nothing of how engines work: it has to notice every one. */
import { describe, expect, test } from "vitest";
import type { LeaseAnswer, LeaseRequest } from "../../src/protocols/lease/messages.ts";
import type { PlainRows } from "../../src/protocols/lease/register-rows.ts";
import { life, testRegister } from "../support/register.ts";
import { interleavings } from "./interleavings.ts";
import { Ledger } from "./ledger.ts";

const TTL = 100;

type Engine = ReturnType<typeof testRegister>;
type Ask = (request: LeaseRequest, engine: Engine) => LeaseAnswer;

const atOtherTime = (by: number, request: LeaseRequest, engine: Engine): LeaseAnswer => {
  engine.now += by;
  const answer = engine.ask(request);
  engine.now -= by;
  return answer;
};

/** Sessions as they were before, with changes. */
function putBack(engine: Engine, before: PlainRows, change: object = {}): void {
  for (const [id, row] of before.sessions) engine.rows.sessions.set(id, { ...row, ...change });
}

const BUGS: Readonly<Record<string, Ask>> = {
  "a renewal reads its clock before it waits for the lock": (request, engine) =>
    request.kind === "renew" ? atOtherTime(-TTL / 2, request, engine) : engine.ask(request),

  "a take-over reads the session without writing it": (request, engine) => {
    const before = engine.copy();
    const answer = request.kind === "renew" ? atOtherTime(-TTL, request, engine) : engine.ask(request);
    if (request.kind === "acquire") for (const [id, row] of before.sessions) engine.rows.sessions.set(id, row);
    return answer;
  },

  "a seat acquired in a session does not extend it": (request, engine) => {
    const before = engine.copy();
    const answer = engine.ask(request);
    if (request.kind === "acquire") putBack(engine, before);
    return answer;
  },

  "the clocks of two connections differ": (request, engine) =>
    request.life === 2 ? atOtherTime(TTL / 2, request, engine) : engine.ask(request),

  "tokens begin again": (request, engine) => {
    const answer = engine.ask(request);
    for (const [seat, row] of engine.rows.seats) engine.rows.seats.set(seat, { ...row, token: 0 });
    return answer;
  },

  "a release compares the token alone": (request, engine) => {
    if (request.kind !== "release") return engine.ask(request);
    const lease = engine.rows.seats.get(request.seat)?.lease?.id ?? request.lease;
    return { ...engine.ask({ ...request, lease }), lease: request.lease } as LeaseAnswer;
  },

  "what is given up ends at once": (request, engine) => {
    const answer = engine.ask(request);
    if (request.kind !== "renew" || request.gives.length === 0) return answer;
    const { seat } = request.gives[0];
    const row = engine.rows.seats.get(seat);
    if (row?.lease) engine.rows.seats.set(seat, { ...row, lease: { ...row.lease, over: true } });
    return answer;
  },

  "a lease asked for again has another token": (request, engine) => {
    const answer = engine.ask(request);
    return answer.kind === "granted" && request.id > 1 ? { ...answer, token: answer.token + 1 } : answer;
  },
};

/** The first thing that the ledger minds, in any order of the steps of two members and of turns of the clock. */
function found(ask: Ask): string | null {
  for (const order of interleavings([5, 3, 3])) {
    const [engine, ledger] = [testRegister(), new Ledger()];
    const [A, B] = [life("A", 1, TTL), life("B", 2, TTL)];
    const keeps = [{ seat: "leader", lease: "A1" }];
    const steps: LeaseRequest[][] = [
      [
        A.acquire("leader", "A1"),
        A.acquire("leader", "A1"),
        A.acquire("other", "A2"),
        A.renew({ keeps }),
        A.renew({ gives: keeps }),
      ],
      [B.acquire("leader", "B1"), B.acquire("leader", "B1"), B.release("leader", "B0", 1)],
    ];
    for (const who of order) {
      if (who === 2) {
        engine.now += TTL / 2;
        continue;
      }
      const request = steps[who].shift()!;
      try {
        ledger.heard(request, ask(request, engine), engine.now);
      } catch (error) {
        return (error as Error).message;
      }
    }
  }
  return null;
}

describe("the ledger notices that", () => {
  test.each(Object.keys(BUGS))("%s", (bug) => {
    expect(found(BUGS[bug])).not.toBeNull();
  });
});

test("and nothing where there is no mistake", () => {
  expect(found((request, engine) => engine.ask(request))).toBeNull();
});
