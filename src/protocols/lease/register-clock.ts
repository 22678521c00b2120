/** An engine's clock during one request, and how long sessions, leases and reservations still last by it. */
import type { Extension, SessionId } from "./messages.ts";
import type { GroupRow, Instant, LeaseRow, Rows, SeatRow, SessionRow } from "./register-rows.ts";

export interface RegisterClock {
  /** Identifies the clock: readings of clocks with other names cannot be compared with it. */
  readonly name: string;
  /** Milliseconds. Must be read after the rows are locked, because a reading from before a wait is old. */
  readonly now: number;
  /** Milliseconds since 1970, for tokens. */
  readonly stamp: number;
  readonly incarnation: string;
  /**
   * For an instant of another clock that was at most `within` ahead when it was written: what may be left of it; 0 once it has surely
   * passed. `what` names the instant, and `mark` changes whenever it is written anew.
   */
  foreign(what: string, mark: string, within: number): number;
}

/** The clock of an engine that has one clock for all members. */
export const oneClock = (now: number, stamp: number, incarnation: string): RegisterClock => ({
  name: "",
  now,
  stamp,
  incarnation,
  foreign: allOfIt,
});

const allOfIt: RegisterClock["foreign"] = (_what, _mark, within) => within;

export const after = (ms: number, clock: RegisterClock): Instant => ({ clock: clock.name, at: clock.now + ms });

/**
 * What is left until an instant; 0 or less if it has passed. Never more than `within`, even if the clock was set back. `asked`: the
 * arguments of `foreign`, for an instant of another clock.
 */
function left(
  instant: Instant,
  within: number,
  clock: RegisterClock,
  asked: () => [what: string, mark: string],
): number {
  return instant.clock === clock.name ? Math.min(instant.at - clock.now, within) : clock.foreign(...asked(), within);
}

/** What is left of a session without another extension; 0 or less if it is over. */
function sessionLeft(id: SessionId, session: SessionRow | null, clock: RegisterClock): number {
  if (session === null || session.ended) return 0;
  const { expires, ttl } = session;
  return left(expires, ttl, clock, () => [watchedName(id), extensionMark(extensionOf(id, session))]);
}

/** The name of a session's end, for `foreign`. */
export const watchedName = (session: SessionId): string => `session ${session}`;

/** Count and instant: after a restore the count alone may repeat. */
export const extensionMark = ({ count, at }: Pick<Extension, "count" | "at">): string => `${count} ${at}`;

export const extensionOf = (session: SessionId, { counter, expires }: SessionRow): Extension => ({
  session,
  count: counter,
  at: expires.at,
});

/** What is left of a lease without another extension of its session; 0 or less if it is over. */
export function leaseLeft(
  seat: string,
  lease: LeaseRow | null,
  rows: Pick<Rows, "session">,
  clock: RegisterClock,
): number {
  if (lease === null || lease.over) return 0;
  const session = rows.session(lease.session);
  const whole = sessionLeft(lease.session, session, clock);
  const { id, until } = lease;
  if (until === null || whole <= 0) return whole;
  return Math.min(
    whole,
    left(until, session!.ttl, clock, () => [`seat ${seat}`, `${id} ${until.at}`]),
  );
}

export function reservedLeft(seat: string, { reserved }: SeatRow, rows: Rows, clock: RegisterClock): number {
  if (reserved === null) return 0;
  const { name, until } = reserved;
  return left(until, longest(rows), clock, () => [`reservation ${seat}`, `${name} ${until.at}`]);
}

export function barLeft({ barred, longest }: GroupRow, clock: RegisterClock): number {
  return barred === null ? 0 : left(barred, longest, clock, () => ["bar", String(barred.at)]);
}

/** Nothing lasts longer than one TTL: an instant further ahead was written before the clock was set back. */
function cut(instant: Instant, within: number, clock: RegisterClock): Instant {
  const most = clock.now + within;
  return instant.clock === clock.name && instant.at > most ? { ...instant, at: most } : instant;
}

const longest = (rows: Rows): number => rows.group()?.longest ?? 0;

/**
 * The present state of a session; null if it is unknown. An expired session is *written* as ended. If a take-over only read it, a renewal
 * that waited meanwhile would find it alive.
 */
export function settleSession(id: SessionId, rows: Rows, clock: RegisterClock): SessionRow | null {
  const session = rows.session(id);
  if (session === null || session.ended) return session;
  const ended = sessionLeft(id, session, clock) <= 0;
  const settled = { ...session, ended, expires: cut(session.expires, session.ttl, clock) };
  if (ended || settled.expires !== session.expires) rows.setSession(id, settled);
  return settled;
}

/** The present state of a seat. A lease or reservation that has ended is written as ended. */
export function settleSeat(name: string, rows: Rows, clock: RegisterClock): SeatRow | null {
  const seat = rows.seat(name);
  if (seat === null) return null;
  const settled = {
    ...seat,
    lease: settleLease(name, seat.lease, rows, clock),
    reserved: reservation(name, seat, rows, clock),
  };
  if (settled.lease !== seat.lease || settled.reserved !== seat.reserved) rows.setSeat(name, settled);
  return settled;
}

function settleLease(seat: string, lease: LeaseRow | null, rows: Rows, clock: RegisterClock): LeaseRow | null {
  if (lease === null || lease.over) return lease;
  const session = settleSession(lease.session, rows, clock);
  if (leaseLeft(seat, lease, rows, clock) <= 0) return { ...lease, over: true };
  const until = lease.until && cut(lease.until, session!.ttl, clock);
  return until === lease.until ? lease : { ...lease, until };
}

function reservation(name: string, seat: SeatRow, rows: Rows, clock: RegisterClock): SeatRow["reserved"] {
  if (seat.reserved === null || reservedLeft(name, seat, rows, clock) <= 0) return null;
  const until = cut(seat.reserved.until, longest(rows), clock);
  return until === seat.reserved.until ? seat.reserved : { ...seat.reserved, until };
}

/** The present state of the group; null before the first request. */
export function settleGroup(rows: Rows, clock: RegisterClock): GroupRow | null {
  const group = rows.group();
  if (group === null || group.barred === null) return group;
  const barred = barLeft(group, clock) <= 0 ? null : cut(group.barred, group.longest, clock);
  if (barred === group.barred) return group;
  const settled = { ...group, barred };
  rows.setGroup(settled);
  return settled;
}

export const isAlive = (session: SessionRow | null): session is SessionRow => session !== null && !session.ended;
