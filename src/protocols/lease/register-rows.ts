/** The rows of an engine for one group: one for the group, one for each session, one for each seat, and one for each job. */
import type { JobRecord, LeaseId, SessionId, Token } from "./messages.ts";

/** A point in time of one clock; it cannot be compared with points of other clocks. */
export interface Instant {
  readonly clock: string;
  readonly at: number;
}

export interface GroupRow {
  /** The incarnation of the engine that has written this. Another one may be restored from an old copy, or have forgotten leases. */
  readonly incarnation: string;
  /** Until then no lease is granted: a lease that this engine does not know may be alive. */
  readonly barred: Instant | null;
  /** The longest TTL that any session had: no lease outlives it unrenewed. */
  readonly longest: number;
}

export interface SessionRow {
  readonly name: string;
  readonly life: number;
  readonly ttl: number;
  readonly expires: Instant;
  /** Final. A client that finds it expired writes this, so that no later renewal can pass. */
  readonly ended: boolean;
  /** Changes at each extension, for members that cannot read the clock of `expires` but can see that the row does not change. */
  readonly counter: number;
}

export interface LeaseRow {
  readonly id: LeaseId;
  readonly token: Token;
  readonly session: SessionId;
  /** Its fixed end, which renewals no longer extend, by the clock of its session; null if it is not frozen. */
  readonly until: Instant | null;
  /** Released, or past `until`. The row stays, so that a late copy of its acquire does not bring it back. */
  readonly over: boolean;
}

export interface SeatRow {
  /** The highest token that was ever given, or that a member has seen. */
  readonly token: Token;
  readonly preemptible: boolean;
  /** The latest lease, also if it is over. */
  readonly lease: LeaseRow | null;
  readonly reserved: { readonly name: string; readonly until: Instant } | null;
}

export interface RecordRow extends Omit<JobRecord, "key" | "ago"> {
  /** The newest attempt. */
  readonly attempt: string;
  /** The record may be removed this many milliseconds after `at`. */
  readonly keep: number;
}

export const isOver = ({ at, keep }: RecordRow, stamp: number): boolean => at + keep < stamp;

/** The rows of one group, within one transaction. Rows are replaced, never changed. */
export interface Rows {
  group(): GroupRow | null;
  session(id: SessionId): SessionRow | null;
  seat(name: string): SeatRow | null;
  /** The seats whose latest lease is of this session, by name. */
  seatsOf(session: SessionId): readonly (readonly [name: string, row: SeatRow])[];
  /** All, by name. */
  seats(): readonly (readonly [name: string, row: SeatRow])[];
  setGroup(row: GroupRow): void;
  setSession(id: SessionId, row: SessionRow): void;
  setSeat(name: string, row: SeatRow): void;
  record(key: string): RecordRow | null;
  setRecord(key: string, row: RecordRow): void;
  /** Removes all or some of the records, but not `but`, that could be removed at `stamp`, in milliseconds since 1970. */
  pruneRecords(stamp: number, but: string): void;
}

/** Rows as plain data. */
export interface PlainRows {
  group: GroupRow | null;
  readonly sessions: Map<SessionId, SessionRow>;
  readonly seats: Map<string, SeatRow>;
  readonly records: Map<string, RecordRow>;
}

export const noRows = (): PlainRows => ({
  group: null,
  sessions: new Map(),
  seats: new Map(),
  records: new Map(),
});

export const copyOfRows = ({ group, sessions, seats, records }: PlainRows): PlainRows => ({
  group,
  sessions: new Map(sessions),
  seats: new Map(seats),
  records: new Map(records),
});

export function rowsOf(plain: PlainRows): Rows {
  const seats = () => [...plain.seats].sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    group: () => plain.group,
    session: (id) => plain.sessions.get(id) ?? null,
    seat: (name) => plain.seats.get(name) ?? null,
    seatsOf: (session) => seats().filter(([, { lease }]) => lease?.session === session),
    seats,
    setGroup(row) {
      plain.group = row;
    },
    setSession: (id, row) => void plain.sessions.set(id, row),
    setSeat: (name, row) => void plain.seats.set(name, row),
    record: (key) => plain.records.get(key) ?? null,
    setRecord: (key, row) => void plain.records.set(key, row),
    pruneRecords(stamp, but) {
      for (const [key, row] of plain.records) if (key !== but && isOver(row, stamp)) plain.records.delete(key);
    },
  };
}
