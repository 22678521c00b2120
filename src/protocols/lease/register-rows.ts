/** What an engine stores of one group: its own row, one for each session, one for each seat, one for each job that it remembers. */
import type { JobRecord, LeaseId, SessionId, Token } from "./messages.ts";

/** A point in time of one clock; points of another clock cannot be compared with it. */
export interface Instant {
  readonly clock: string;
  readonly at: number;
}

export interface GroupRow {
  /** Of the engine that wrote this last: another one may have been restored from an old copy, or may have forgotten leases. */
  readonly incarnation: string;
  /** Until then no new lease is given: one that this engine does not know of may be alive. */
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
  /** Changes at each extension: for those who cannot read the clock of `expires` but can see that nothing happens. */
  readonly counter: number;
}

export interface LeaseRow {
  readonly id: LeaseId;
  readonly token: Token;
  readonly session: SessionId;
  /** Where its end stands, whatever is renewed: counted by the clock of its session. */
  readonly until: Instant | null;
  /** Released, or found to be past `until`. The row stays, so that a late copy of its acquire does not bring it back. */
  readonly over: boolean;
}

export interface SeatRow {
  /** The highest that was ever given, or that a member has seen. */
  readonly token: Token;
  readonly preemptible: boolean;
  /** The last one that was given, whether it is over or not. */
  readonly lease: LeaseRow | null;
  readonly reserved: { readonly name: string; readonly until: Instant } | null;
}

export interface RecordRow extends Omit<JobRecord, "key" | "ago"> {
  /** The newest attempt. */
  readonly attempt: string;
  /** The record may be forgotten so many milliseconds after `at`. */
  readonly keep: number;
}

export const isOver = ({ at, keep }: RecordRow, stamp: number): boolean => at + keep < stamp;

/** The rows of one group, within one transaction. Rows are replaced, never changed. */
export interface Rows {
  group(): GroupRow | null;
  session(id: SessionId): SessionRow | null;
  seat(name: string): SeatRow | null;
  /** Those whose last lease is of this session, by name. */
  seatsOf(session: SessionId): readonly (readonly [name: string, row: SeatRow])[];
  /** All, by name. */
  seats(): readonly (readonly [name: string, row: SeatRow])[];
  setGroup(row: GroupRow): void;
  setSession(id: SessionId, row: SessionRow): void;
  setSeat(name: string, row: SeatRow): void;
  record(key: string): RecordRow | null;
  setRecord(key: string, row: RecordRow): void;
  /** Removes records whose time to be kept was over at that moment, in milliseconds since 1970; all but one, or some. */
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
