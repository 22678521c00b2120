/** How an engine gives a lease, or why it does not. */
import type { Denial, LeaseAnswer, LeaseRequest } from "./messages.ts";
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
import { holderOf } from "./register-look.ts";
import type { GroupRow, Rows, SeatRow, SessionRow } from "./register-rows.ts";

type Acquire = Extract<LeaseRequest, { kind: "acquire" }>;

/** A floor further than this ahead of clock and store was never a token of this group (that is 49 days of milliseconds). */
export const FLOOR_REACH = 2 ** 32;

export function grantLease(rows: Rows, asked: Acquire, clock: RegisterClock): LeaseAnswer {
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
    // An answer was lost, or this is a late copy: what was given stands, and what is over stays over.
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
    ...seat,
    token,
    reserved: null,
    lease: { id: lease, token, session: opened, until: null, over: false },
  });
  return { kind: "granted", id, to: life, seat: name, lease, token };
}

/**
 * The group, with grants barred for one longest TTL where the engine may not know of a lease that is alive: it is another one than
 * the one that wrote the rows, or the asker has seen a token that these rows have not. Written, so that it happens once.
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

/** A seat comes to be when it is first asked for. The floor is kept, so that no token up to it is given again. */
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

/** The session lasts one TTL from now: the longest that was asked for, so that no request shortens what another was promised. */
export function extend(id: string, session: SessionRow, asked: number, rows: Rows, clock: RegisterClock): void {
  const ttl = Math.max(session.ttl, asked);
  rows.setSession(id, { ...session, ttl, expires: after(ttl, clock), counter: session.counter + 1 });
  lengthen(ttl, rows);
}

function lengthen(ttl: number, rows: Rows): void {
  const group = rows.group()!;
  if (ttl > group.longest) rows.setGroup({ ...group, longest: ttl });
}
