/**
 * The rule in SQL (`fence.ts`), for both databases and for programs in other languages. A guard is a row of a table in the database that
 * is guarded. The first statement of each transaction writes that row, or finds that it must not: until the transaction ends nobody
 * else can, so that an admitted writer has committed, or failed, before a newer leader is admitted.
 */
import { InputError } from "../../errors.ts";

/** The statements of a guard, with parameters as its database writes them. */
export interface GuardSql {
  /** Makes the table; for an administrator where the program may not. */
  readonly table: string;
  /**
   * First in the transaction, with group, seat, token and lease of a fence whose MAC has been verified: one row comes back where it is
   * admitted. None: refused, roll back.
   */
  readonly admit: string;
  /** After a refusal, with group and seat: the newest token, as text, and its lease. */
  readonly newest: string;
}

/** How a guard's table is called, and whether a guard makes it. */
export interface TableOptions {
  /** `sortition_guards` by default; with a schema as in "app.guards". Guards with different tables know nothing of each other. */
  readonly table?: string;
  /** False: the table is never made, and where it is missing the error says how to make it. */
  readonly migrate?: boolean;
}

/** A commit that a crash of the server can undo would let an older leader in again: this one, at least, waits for the disk. */
const DURABLE = `set_config('synchronous_commit',
  CASE current_setting('synchronous_commit') WHEN 'off' THEN 'on' ELSE current_setting('synchronous_commit') END, true)`;

/** The SQL of guards, to be printed, or used from other languages. */
export function guardSql(database: "postgres" | "sqlite", { table = "sortition_guards" }: TableOptions = {}): GuardSql {
  if (!/^[a-z_][a-z0-9_]*(\.[a-z_][a-z0-9_]*)?$/.test(table))
    throw new InputError(`"${table}" is no name for a table of guards: use small letters, digits and "_"`);
  const postgres = database === "postgres";
  const bind = (count: number) =>
    Array.from({ length: count }, (_, index) => (postgres ? `$${index + 1}` : "?")).join(", ");
  // A later version changes the check, and then statements of this one fail: better than two guards that disagree.
  return {
    table: `CREATE TABLE IF NOT EXISTS ${table} (
  group_name text NOT NULL,
  seat text NOT NULL,
  token ${postgres ? "bigint" : "integer"} NOT NULL,
  lease text NOT NULL,
  version ${postgres ? "smallint" : "integer"} NOT NULL CHECK (version = 1),
  PRIMARY KEY (group_name, seat)
)${postgres ? "" : " STRICT"}`,
    admit: `INSERT INTO ${table} AS kept (group_name, seat, token, lease, version) VALUES (${bind(4)}, 1)
ON CONFLICT (group_name, seat) DO UPDATE SET token = excluded.token, lease = excluded.lease, version = excluded.version
WHERE kept.token < excluded.token OR (kept.token = excluded.token AND kept.lease = excluded.lease)
RETURNING ${postgres ? DURABLE : "seat"}`,
    newest: `SELECT CAST(token AS text) AS token, lease FROM ${table} WHERE (group_name, seat) = (${bind(2)})`,
  };
}

/** For databases that lack the table where this program must not, or cannot, make it. */
export const tableMissing = ({ table }: GuardSql): InputError =>
  new InputError(`the table of the guards is missing, and this program does not make it: run\n${table};`);
