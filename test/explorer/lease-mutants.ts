/**
 * Single faults of the lease client and of the engine, each a small slip in one place: they show how much a setting of the
 * explorer would notice (docs/decisions/leases.md has the table). Faults of lease-bugs.ts are among them.
 */
import type { AnyProtocol } from "../../src/protocol.ts";
import { leaseClient } from "../../src/protocols/lease/client.ts";
import type { LeaseMessage, LeaseRequest } from "../../src/protocols/lease/messages.ts";
import { engineModel } from "../../src/protocols/lease/model.ts";
import { carryOut } from "../../src/protocols/lease/register.ts";
import type { LeaseContext } from "../../src/protocols/lease/state.ts";
import {
  doesNotExtend,
  doesNotWait,
  dropsBySeat,
  fromTheAnswer,
  lateTimer,
  livesAsOne,
  releasesAnybody,
  revives,
} from "./lease-bugs.ts";
import { exploredEngine, KEEP, type LeaseCase } from "./lease-problem.ts";

type Client = typeof leaseClient;
type Heard = (message: LeaseMessage) => LeaseMessage | null;

/** A client that hears something else than was said; null: nothing. */
const hears = (change: Heard): Client => ({
  ...leaseClient,
  receive(state, port, message, ctx) {
    const heard = change(message);
    if (heard !== null) leaseClient.receive(state, port, heard, ctx);
  },
});

/** A client whose deadlines are others. */
const deadlines = (change: (after: number) => number | null): Client => {
  const late = (ctx: LeaseContext): LeaseContext =>
    new Proxy(ctx, {
      get(target, name) {
        const value = Reflect.get(target, name, target);
        if (name !== "deadline") return typeof value === "function" ? value.bind(target) : value;
        return (timer: string, after: number) => {
          const changed = change(after);
          if (changed !== null) target.deadline(timer as never, changed);
        };
      },
    });
  return {
    ...leaseClient,
    init: (params, self, saved, ctx) => leaseClient.init(params, self, saved, late(ctx)),
    receive: (state, port, message, ctx) => leaseClient.receive(state, port, message, late(ctx)),
    expire: (state, timer, ctx) => leaseClient.expire!(state, timer, late(ctx)),
  };
};

/** A client that asks with other parameters than it is given. */
const parameters = (change: object): Client => ({
  ...leaseClient,
  init: (params, self, saved, ctx) => leaseClient.init({ ...params, ...change }, self, saved, ctx),
});

/** An engine that understands something else than was asked. */
const understands = (change: (request: LeaseRequest) => LeaseRequest): AnyProtocol =>
  engineModel({
    tick: 1,
    stamps: false,
    keep: KEEP,
    carryOut: (rows, request, clock) => carryOut(rows, change(request), clock),
  });

/** An engine that changes its rows before it does what it is asked. */
const before = (change: (state: Loose, message: LeaseRequest) => void): AnyProtocol => {
  const engine = exploredEngine();
  return {
    ...engine,
    receive(state, port, message, ctx) {
      change(state, message);
      engine.receive(state, port, message, ctx);
    },
  };
};

/** An engine that answers a renewal and leaves the session as it was. */
function doesNotRenew(): AnyProtocol {
  const engine = exploredEngine();
  return {
    ...engine,
    receive(state, port, message, ctx) {
      const was = state.rows.sessions.get(message.session);
      engine.receive(state, port, message, ctx);
      const is = state.rows.sessions.get(message.session);
      if (message.kind === "renew" && was !== undefined && is !== undefined) {
        state.rows.sessions.set(message.session, { ...is, expires: was.expires });
      }
    },
  };
}

// biome-ignore lint/suspicious/noExplicitAny: rows of the engine, whatever they are
type Loose = any;

const shorter = (by: number) => (request: LeaseRequest) =>
  "ttl" in request ? { ...request, ttl: request.ttl - by } : request;

export const MUTANTS: Readonly<Record<string, Pick<LeaseCase, "client" | "engine" | "times">>> = {
  "a deadline one instant late": { client: deadlines((after) => after + 1) },
  "a deadline two instants late": { client: deadlines((after) => after + 2) },
  "no deadline": { client: deadlines(() => null) },
  "a deadline that counts from the answer": { client: fromTheAnswer() },
  "a deadline that is a timer like any other": { client: lateTimer() },
  "an answer revives what had lapsed": { client: revives() },
  "all lives of a process are one": { client: livesAsOne() },
  "an old answer drops a new lease": { client: dropsBySeat() },
  "renews although nobody has acknowledged": { client: doesNotWait() },
  "clocks are taken to be equal": { client: parameters({ rho: 0 }) },
  "the margin is taken off twice the wrong way": { client: parameters({ margin: -1 }) },
  "released before the work has ended": { times: { settles: false } },
  "takes a denial for a grant": {
    client: hears((message) =>
      message.kind === "denied"
        ? {
            kind: "granted",
            id: message.id,
            to: message.to,
            seat: message.seat,
            lease: message.lease,
            token: message.token + 1,
          }
        : message,
    ),
  },
  "takes the next token for its own": {
    client: hears((message) => (message.kind === "granted" ? { ...message, token: message.token + 1 } : message)),
  },
  "the engine frees a seat held by another client": { engine: releasesAnybody(exploredEngine()) },
  "the engine does not extend a session that goes on": { engine: doesNotExtend(exploredEngine()) },
  "the engine ends leases an instant early": { engine: understands(shorter(1)) },
  "the engine ends leases two instants early": { engine: understands(shorter(2)) },
  "the engine gives a seat that is held": {
    engine: before((state, message) => {
      if (message.kind !== "acquire") return;
      const seat = state.rows.seats.get(message.seat);
      if (seat !== undefined) state.rows.seats.set(message.seat, { ...seat, lease: null });
    }),
  },
  "the engine says renewed and does not renew": { engine: doesNotRenew() },
  "the engine forgets its rows in a crash": {
    engine: { ...exploredEngine(), saved: () => null } as unknown as AnyProtocol,
  },
};

const LONG = { ttl: 8, settleWithin: 4 } as const;

/** The settings that docs/decisions/leases.md quotes, all of them complete, with their numbers of configurations. */
export const QUOTED: Readonly<Record<string, LeaseCase>> = {
  drift: { script: { leases: 1, holds: 6 }, budget: { drifts: 3, drops: 1 } },
  pause: { times: LONG, script: { leases: 1, holds: 4 }, budget: { pauses: 1 } },
  crash: { script: { holds: 1 }, budget: { crashes: 1, restarts: 1 } },
  gate: { times: { ...LONG, gated: true }, script: { holds: 4, acknowledges: 4 } },
  alone: { clients: 1, times: LONG, script: { seats: ["s", "t"], leases: 3, holds: 1, keeps: 12, ends: 0 } },
  later: { script: { seats: ["s", "t"], leases: 3, holds: 4, later: 2 } },
};

/** A quoted setting with a fault. */
export const faulty = (setting: LeaseCase, fault: (typeof MUTANTS)[string]): LeaseCase => ({
  ...setting,
  ...fault,
  times: { ...setting.times, ...fault.times },
});
