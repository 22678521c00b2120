/**
 * The clock of the simulated engine. All its instants are kept relative to now, which is 0: two moments at which the same is left
 * of everything are the same state, so that an explorer comes back to them.
 */
import type { Instant, PlainRows, SessionRow } from "./register-rows.ts";

/**
 * Time goes on by so much (or back): everything is nearer (or further). A session that ended `keep` ago is forgotten, unless a
 * seat names it; until then a late request of it is known to be late.
 */
export function pass(rows: PlainRows, by: number, keep: number): void {
  const nearer = (instant: Instant, least: number): Instant => ({ ...instant, at: Math.max(instant.at - by, least) });
  const nearerOrNull = (instant: Instant | null): Instant | null => instant && nearer(instant, 0);
  if (rows.group !== null) rows.group = { ...rows.group, barred: nearerOrNull(rows.group.barred) };
  for (const [id, session] of rows.sessions) {
    const aged: SessionRow = { ...session, expires: nearer(session.expires, -keep) };
    if (aged.expires.at > -keep || isNamed(id, rows)) rows.sessions.set(id, aged);
    else rows.sessions.delete(id);
  }
  for (const [name, seat] of rows.seats) {
    const { lease, reserved } = seat;
    rows.seats.set(name, {
      ...seat,
      lease: lease && { ...lease, until: nearerOrNull(lease.until) },
      reserved: reserved && { ...reserved, until: nearer(reserved.until, 0) },
    });
  }
}

const isNamed = (session: string, { seats }: PlainRows): boolean =>
  [...seats.values()].some(({ lease }) => lease?.session === session);

/** Whether anything changes as time goes on. */
export function isWaiting({ group, sessions, seats }: PlainRows, keep: number): boolean {
  return (
    (group?.barred?.at ?? 0) > 0 ||
    [...sessions.values()].some(({ expires }) => expires.at > -keep) ||
    [...seats.values()].some(({ lease, reserved }) => (lease?.until?.at ?? 0) > 0 || (reserved?.until.at ?? 0) > 0)
  );
}

export const copyOf = ({ group, sessions, seats }: PlainRows): PlainRows => ({
  group,
  sessions: new Map(sessions),
  seats: new Map(seats),
});
