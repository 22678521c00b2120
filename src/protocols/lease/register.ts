/**
 * The lease register: the one definition of what an engine does with a request. Engines run it as it is within a transaction
 * (SQLite, the simulated one), or do the same in their own language and are compared with it answer by answer (PostgreSQL).
 */
import type { LeaseAnswer, LeaseRequest, NamedLease } from "./messages.ts";
import { extend, grantLease } from "./register-acquire.ts";
import { after, isAlive, leaseLeft, type RegisterClock, settleSeat, settleSession } from "./register-clock.ts";
import { look } from "./register-look.ts";
import { beginAttempt, finishAttempt, recall } from "./register-records.ts";
import type { Instant, Rows, SeatRow } from "./register-rows.ts";

type Asks<Kind extends LeaseRequest["kind"]> = Extract<LeaseRequest, { kind: Kind }>;

/** Carries out one request on the rows of its group, as one step, and answers it. */
export function carryOut(rows: Rows, request: LeaseRequest, clock: RegisterClock): LeaseAnswer {
  switch (request.kind) {
    case "acquire":
      return grantLease(rows, request, clock);
    case "renew":
      return renew(rows, request, clock);
    case "release":
      return release(rows, request, clock);
    case "freeze":
      return freeze(rows, request, clock);
    case "look":
      return look(rows, request, clock);
    case "begin":
      return beginAttempt(rows, request, isHeldBy(settleSeat(request.seat, rows, clock), request), clock);
    case "finish":
      return finishAttempt(rows, request, clock);
    case "recall":
      return recall(rows, request, clock);
  }
}

function renew(rows: Rows, request: Asks<"renew">, clock: RegisterClock): LeaseAnswer {
  const { id, life, session: name, keeps, gives } = request;
  const named = [...keeps, ...gives];
  const session = settleSession(name, rows, clock);
  if (!isAlive(session) || session.life !== life) return { kind: "ended", id, to: life, lost: named };
  const kept: [string, SeatRow][] = [];
  for (const [seat] of rows.seatsOf(name)) {
    const settled = settleSeat(seat, rows, clock)!;
    if (settled.lease!.over) continue;
    // Before the session is extended: what is given up ends when it would have ended without this renewal.
    const given = gives.some((one) => one.seat === seat && one.lease === settled.lease!.id);
    kept.push([seat, given ? frozen(seat, settled, session.expires, rows) : settled]);
  }
  extend(name, session, request.ttl, rows, clock);
  const leases = kept.map(([seat, { lease }]) => ({
    seat,
    lease: lease!.id,
    token: lease!.token,
    frozen: lease!.until !== null,
  }));
  const has = (one: NamedLease) => leases.some(({ seat, lease }) => seat === one.seat && lease === one.lease);
  return { kind: "renewed", id, to: life, leases, lost: named.filter((one) => !has(one)) };
}

/** Cuts the end of a seat's lease to that instant; one that is earlier stays. */
function frozen(name: string, seat: SeatRow, end: Instant, rows: Rows): SeatRow {
  const { lease } = seat;
  if (lease!.until !== null && lease!.until.at <= end.at) return seat;
  const cut = { ...seat, lease: { ...lease!, until: end } };
  rows.setSeat(name, cut);
  return cut;
}

function release(rows: Rows, request: Asks<"release">, clock: RegisterClock): LeaseAnswer {
  const { id, life, seat: name, lease, reserve } = request;
  const seat = settleSeat(name, rows, clock);
  const was = isHeldBy(seat, request);
  if (was) {
    const { ttl } = rows.session(seat.lease.session)!;
    const ms = Math.min(reserve?.ms ?? 0, ttl);
    const reserved = reserve !== null && ms > 0 ? { name: reserve.name, until: after(ms, clock) } : null;
    rows.setSeat(name, { ...seat, lease: { ...seat.lease, over: true }, reserved });
  }
  return { kind: "released", id, to: life, seat: name, lease, was };
}

function freeze(rows: Rows, request: Asks<"freeze">, clock: RegisterClock): LeaseAnswer {
  const { id, life, seat: name, lease } = request;
  const seat = settleSeat(name, rows, clock);
  const answer = { kind: "frozen", id, to: life, seat: name, lease } as const;
  if (!isHeldBy(seat, request) || !seat.preemptible) return { ...answer, left: null };
  const cut = frozen(name, seat, rows.session(seat.lease.session)!.expires, rows);
  return { ...answer, left: Math.ceil(leaseLeft(name, cut.lease, rows, clock)) };
}

type Held = SeatRow & { readonly lease: NonNullable<SeatRow["lease"]> };

/** Token *and* lease: a delayed word about a former lease must not hit its successor. */
function isHeldBy(seat: SeatRow | null, { lease, token }: Asks<"release" | "freeze" | "begin">): seat is Held {
  return (
    seat !== null && seat.lease !== null && !seat.lease.over && seat.lease.id === lease && seat.lease.token === token
  );
}
