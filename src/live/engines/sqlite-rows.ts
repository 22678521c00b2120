/** The register's rows in the tables of SQLite, within one transaction. */
import type { DatabaseSync, SQLOutputValue, StatementSync } from "node:sqlite";
import type { GroupRow, Instant, RecordRow, Rows, SeatRow, SessionRow } from "../../protocols/lease/register-rows.ts";
import { isLeaseRow } from "../../protocols/lease/shapes.ts";

type Row = Record<string, SQLOutputValue>;

/** How long ended sessions are remembered, so that a late request of one is known to be late. */
const KEEP_ENDED = 3_600_000;

const SEAT = `name, token, preemptible, lease, lease_token, session, until, until_clock, over,
  reserved_name, reserved_until, reserved_clock`;

export class SqliteRows implements Rows {
  /** Whether anything was written. */
  changed = false;
  private readonly grp: string;
  private readonly database: DatabaseSync;
  private readonly prepared = new Map<string, StatementSync>();
  private stamp = 0;

  constructor(database: DatabaseSync, group: string) {
    this.database = database;
    this.grp = group;
  }

  /** For a new transaction. */
  begin(stamp: number): void {
    this.changed = false;
    this.stamp = stamp;
  }

  /** Grows with every transaction that writes: where it is lower than before, an old copy has come back. */
  changes(): number {
    return (this.one("SELECT changes FROM sortition_groups WHERE grp = ?")?.changes as number | undefined) ?? 0;
  }

  countChange(): void {
    this.run("UPDATE sortition_groups SET changes = changes + 1 WHERE grp = ?");
  }

  group(): GroupRow | null {
    const row = this.one("SELECT incarnation, barred, barred_clock, longest FROM sortition_groups WHERE grp = ?");
    if (row === undefined) return null;
    const { incarnation, barred, barred_clock, longest } = row;
    return {
      incarnation: incarnation as string,
      barred: instant(barred, barred_clock),
      longest: longest as number,
    };
  }

  session(id: string): SessionRow | null {
    const row = this.one(
      "SELECT name, life, ttl, expires, clock, ended, counter FROM sortition_sessions WHERE grp = ? AND id = ?",
      id,
    );
    if (row === undefined) return null;
    return {
      name: row.name as string,
      life: row.life as number,
      ttl: row.ttl as number,
      expires: instant(row.expires, row.clock)!,
      ended: row.ended === 1,
      counter: row.counter as number,
    };
  }

  seat(name: string): SeatRow | null {
    const row = this.one(`SELECT ${SEAT} FROM sortition_seats WHERE grp = ? AND name = ?`, name);
    return row === undefined ? null : seatOf(row);
  }

  seatsOf(session: string): [string, SeatRow][] {
    return this.many(`SELECT ${SEAT} FROM sortition_seats WHERE grp = ? AND session = ? ORDER BY name`, session);
  }

  seats(): [string, SeatRow][] {
    return this.many(`SELECT ${SEAT} FROM sortition_seats WHERE grp = ? ORDER BY name`);
  }

  setGroup({ incarnation, barred, longest }: GroupRow): void {
    this.run(
      `INSERT INTO sortition_groups (grp, incarnation, barred, barred_clock, longest, changes) VALUES (?, ?, ?, ?, ?, 0)
      ON CONFLICT (grp) DO UPDATE SET incarnation = excluded.incarnation, barred = excluded.barred,
        barred_clock = excluded.barred_clock, longest = excluded.longest`,
      ...[incarnation, barred?.at ?? null, barred?.clock ?? null, longest],
    );
  }

  setSession(id: string, { name, life, ttl, expires, ended, counter }: SessionRow): void {
    this.run(
      `INSERT OR REPLACE INTO sortition_sessions (grp, id, name, life, ttl, expires, clock, ended, counter, written)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      ...[id, name, life, ttl, expires.at, expires.clock, ended ? 1 : 0, counter, this.stamp],
    );
  }

  setSeat(name: string, { token, preemptible, lease, reserved }: SeatRow): void {
    this.run(
      `INSERT OR REPLACE INTO sortition_seats (grp, ${SEAT}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      ...[name, token, preemptible ? 1 : 0],
      ...[lease?.id ?? null, lease?.token ?? null, lease?.session ?? null],
      ...[lease?.until?.at ?? null, lease?.until?.clock ?? null, lease === null ? null : lease.over ? 1 : 0],
      ...[reserved?.name ?? null, reserved?.until.at ?? null, reserved?.until.clock ?? null],
    );
  }

  record(key: string): RecordRow | null {
    const row = this.one("SELECT row FROM sortition_records WHERE grp = ? AND key = ?", key);
    if (row === undefined) return null;
    const record: unknown = JSON.parse(row.row as string);
    if (!isLeaseRow("record", record))
      throw new Error(`the record of the job "${key}" is not one that a member has written`);
    return record as RecordRow;
  }

  setRecord(key: string, row: RecordRow): void {
    this.run(
      "INSERT OR REPLACE INTO sortition_records (grp, key, expires, row) VALUES (?, ?, ?, ?)",
      ...[key, row.at + row.keep, JSON.stringify(row)],
    );
  }

  pruneRecords(stamp: number, but: string): void {
    this.run("DELETE FROM sortition_records WHERE grp = ? AND expires < ? AND key <> ?", stamp, but);
  }

  /** Sessions that nobody extended for long, unless a seat names them. */
  prune(): void {
    const keep = Math.max(KEEP_ENDED, 2 * (this.group()?.longest ?? 0));
    this.run(
      `DELETE FROM sortition_sessions WHERE grp = ?1 AND written < ?2
      AND id NOT IN (SELECT session FROM sortition_seats WHERE grp = ?1 AND session IS NOT NULL)`,
      this.stamp - keep,
    );
  }

  private one(sql: string, ...values: string[]): Row | undefined {
    return this.statement(sql).get(this.grp, ...values);
  }

  private many(sql: string, ...values: string[]): [string, SeatRow][] {
    return this.statement(sql)
      .all(this.grp, ...values)
      .map((row) => [row.name as string, seatOf(row)]);
  }

  private run(sql: string, ...values: (string | number | null)[]): void {
    this.statement(sql).run(this.grp, ...values);
    this.changed = true;
  }

  private statement(sql: string): StatementSync {
    const known = this.prepared.get(sql);
    if (known !== undefined) return known;
    const statement = this.database.prepare(sql);
    this.prepared.set(sql, statement);
    return statement;
  }
}

const instant = (at: SQLOutputValue, clock: SQLOutputValue): Instant | null =>
  at === null ? null : { clock: clock as string, at: at as number };

function seatOf(row: Row): SeatRow {
  return {
    token: row.token as number,
    preemptible: row.preemptible === 1,
    lease:
      row.lease === null
        ? null
        : {
            id: row.lease as string,
            token: row.lease_token as number,
            session: row.session as string,
            until: instant(row.until, row.until_clock),
            over: row.over === 1,
          },
    reserved:
      row.reserved_name === null
        ? null
        : { name: row.reserved_name as string, until: instant(row.reserved_until, row.reserved_clock)! },
  };
}
