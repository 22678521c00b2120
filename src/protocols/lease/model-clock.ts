/**
 * The clock of the simulated engine. All its instants are kept relative to now, which is 0: two moments at which the same is left
 * of everything are the same state, so that an explorer comes back to them.
 */
import type { Instant, PlainRows } from "./register-rows.ts";

/**
 * Time goes on by so much (or back): everything is nearer (or further). What lies `keep` behind is not followed any more, and a
 * session that ended so long ago is forgotten, unless a seat names it; until then a late request of it is known to be late.
 */
export function pass(rows: PlainRows, by: number, keep: number): void {
  const nearer = (instant: Instant): Instant => ({ ...instant, at: Math.max(instant.at - by, -keep) });
  if (rows.group?.barred) rows.group = { ...rows.group, barred: nearer(rows.group.barred) };
  for (const [id, session] of rows.sessions) {
    const expires = nearer(session.expires);
    if (expires.at > -keep || isNamed(id, rows)) rows.sessions.set(id, { ...session, expires });
    else rows.sessions.delete(id);
  }
  for (const [name, seat] of rows.seats) {
    const { lease, reserved } = seat;
    rows.seats.set(name, {
      ...seat,
      lease: lease?.until ? { ...lease, until: nearer(lease.until) } : lease,
      reserved: reserved && { ...reserved, until: nearer(reserved.until) },
    });
  }
}

const isNamed = (session: string, { seats }: PlainRows): boolean =>
  [...seats.values()].some(({ lease }) => lease?.session === session);

/** Whether anything changes as time goes on. */
export function isWaiting({ group, sessions, seats }: PlainRows, keep: number): boolean {
  const waits = (instant: Instant | null | undefined) => instant != null && instant.at > -keep;
  return (
    waits(group?.barred) ||
    [...sessions.values()].some(({ expires }) => waits(expires)) ||
    [...seats.values()].some(({ lease, reserved }) => waits(lease?.until) || waits(reserved?.until))
  );
}

export const copyOf = ({ group, sessions, seats, records }: PlainRows): PlainRows => ({
  group,
  sessions: new Map(sessions),
  seats: new Map(seats),
  records: new Map(records),
});
