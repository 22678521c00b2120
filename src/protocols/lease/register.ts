/**
 * The lease register defines what an engine does with a request. Engines run it within a transaction.
 */
import type { Denial, Holder, LeaseAnswer, LeaseRequest, NamedLease, SeatSeen } from "./messages.ts";
import {
  after,
  barLeft,
  isAlive,
  leaseLeft,
  type RegisterClock,
  reservedLeft,
  settleGroup,
  settleSeat,
  settleSession,
} from "./register-clock.ts";
import { beginAttempt, finishAttempt, recall } from "./register-records.ts";
import type { GroupRow, Instant, LeaseRow, Rows, SeatRow, SessionRow } from "./register-rows.ts";

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
    // Before the session is extended, so that a lease that is given up ends when it would have ended without this renewal.
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

/** Fixes the end of a seat's lease at this instant, unless it is earlier already. */
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

/** Compares token *and* lease, so that a delayed request about a former lease does not hit its successor. */
function isHeldBy(seat: SeatRow | null, { lease, token }: Asks<"release" | "freeze" | "begin">): seat is Held {
  return (
    seat !== null && seat.lease !== null && !seat.lease.over && seat.lease.id === lease && seat.lease.token === token
  );
}

// How an engine grants a lease, or why it does not.

type Acquire = Extract<LeaseRequest, { kind: "acquire" }>;

/** A floor further than this ahead of clock and store was never a token of this group (that is 49 days of milliseconds). */
export const FLOOR_REACH = 2 ** 32;

function grantLease(rows: Rows, asked: Acquire, clock: RegisterClock): LeaseAnswer {
  const { id, life, seat: name, lease, session: opened } = asked;
  const known = settleSeat(name, rows, clock);
  const denied = (why: Denial, wait = 0, seat = known): LeaseAnswer => ({
    kind: "denied",
    id,
    to: life,
    seat: name,
    lease,
    why,
    holder: why === "held" ? holderOf(seat!.lease!, rows) : null,
    wait: Math.ceil(wait),
    token: seat?.token ?? 0,
  });
  if (asked.floor > Math.max(known?.token ?? 0, clock.stamp) + FLOOR_REACH) return denied("floor");

  const group = noticed(asked, known, rows, clock);
  const seat = withFloor(asked, known, rows);
  const session = settleSession(opened, rows, clock);
  if (session !== null && (session.ended || session.life !== life)) return denied("over", 0, seat);

  if (seat.lease?.id === lease) {
    // A repeated request, or a late copy of one: a granted lease stays granted, and an ended one stays ended.
    if (seat.lease.over || seat.lease.session !== opened || !isAlive(session)) return denied("over", 0, seat);
    extend(opened, session, asked.ttl, rows, clock);
    return { kind: "granted", id, to: life, seat: name, lease, token: seat.lease.token };
  }
  if (seat.lease !== null && !seat.lease.over) return denied("held", leaseLeft(name, seat.lease, rows, clock), seat);
  if (seat.reserved !== null && seat.reserved.name !== asked.name) {
    return denied("reserved", reservedLeft(name, seat, rows, clock), seat);
  }
  if (group.barred !== null) return denied("barred", barLeft(group, clock), seat);

  const token = Math.max(seat.token + 1, clock.stamp);
  if (token > Number.MAX_SAFE_INTEGER) return denied("floor", 0, seat);
  if (session === null) open(asked, rows, clock);
  else extend(opened, session, asked.ttl, rows, clock);
  rows.setSeat(name, {
    token,
    // Each holder says whether its own lease can be pre-empted.
    preemptible: asked.preemptible,
    reserved: null,
    lease: { id: lease, token, session: opened, until: null, over: false },
  });
  return { kind: "granted", id, to: life, seat: name, lease, token };
}

/**
 * The group's row. Grants are barred for the longest TTL if a lease may be alive that the engine does not know: because another incarnation
 * has written the rows, or because the asker has seen a token that is not in them. The bar is written, so that it happens once.
 */
function noticed(asked: Acquire, seat: SeatRow | null, rows: Rows, clock: RegisterClock): GroupRow {
  const { incarnation } = clock;
  const group = settleGroup(rows, clock);
  const isBehind = asked.floor > (seat?.token ?? 0);
  const isOther = group !== null && group.incarnation !== incarnation;
  if (group !== null && !isBehind && !isOther) return group;
  const longest = Math.max(group?.longest ?? 0, asked.ttl);
  const noted = { incarnation, longest, barred: isBehind || isOther ? after(longest, clock) : null };
  rows.setGroup(noted);
  return noted;
}

/** Creates a seat at the first request. The floor is kept, so that no token up to it is granted again. */
function withFloor({ seat: name, floor, preemptible }: Acquire, known: SeatRow | null, rows: Rows): SeatRow {
  const seat = known ?? { token: 0, preemptible, lease: null, reserved: null };
  if (known !== null && floor <= seat.token) return seat;
  const raised = { ...seat, token: Math.max(seat.token, floor) };
  rows.setSeat(name, raised);
  return raised;
}

function open({ session, name, life, ttl }: Acquire, rows: Rows, clock: RegisterClock): void {
  rows.setSession(session, { name, life, ttl, expires: after(ttl, clock), ended: false, counter: 0 });
  lengthen(ttl, rows);
}

/** Extends the session to one TTL from now. The longest TTL that was asked for counts, so that no request shortens an earlier promise. */
function extend(id: string, session: SessionRow, asked: number, rows: Rows, clock: RegisterClock): void {
  const ttl = Math.max(session.ttl, asked);
  rows.setSession(id, { ...session, ttl, expires: after(ttl, clock), counter: session.counter + 1 });
  lengthen(ttl, rows);
}

function lengthen(ttl: number, rows: Rows): void {
  const group = rows.group()!;
  if (ttl > group.longest) rows.setGroup({ ...group, longest: ttl });
}

// The list of a group's seats, for people. Nothing is written.

export function holderOf(lease: LeaseRow, rows: Rows): Holder {
  const { name, life } = rows.session(lease.session)!;
  return { name, life, token: lease.token, lease: lease.id, frozen: lease.until !== null };
}

function look(rows: Rows, { id, life }: LeaseRequest, clock: RegisterClock): LeaseAnswer {
  return { kind: "seen", id, to: life, seats: rows.seats().map(([name, seat]) => seen(name, seat, rows, clock)) };
}

function seen(name: string, seat: SeatRow, rows: Rows, clock: RegisterClock): SeatSeen {
  const { token, preemptible, lease, reserved } = seat;
  const left = Math.ceil(leaseLeft(name, lease, rows, clock));
  const kept = Math.ceil(reservedLeft(name, seat, rows, clock));
  return {
    seat: name,
    token,
    preemptible,
    holder: lease !== null && left > 0 ? { ...holderOf(lease, rows), left } : null,
    reserved: reserved !== null && kept > 0 ? { name: reserved.name, left: kept } : null,
  };
}
