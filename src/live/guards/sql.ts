/**
 * The rule of guards (`fence.ts`) as SQL, for both databases and for programs in other languages. A guard is a row of a table in the
 * guarded database. The first statement of each transaction writes that row, or is refused. No other transaction can write the row
 * until this one ends, so an admitted writer has committed or failed before a newer leader is admitted.
 */
import { InputError } from "../../errors.ts";

/** The statements of a guard, with parameters as its database writes them. */
export interface GuardSql {
  /** Creates the table. An administrator runs it where the program has no right to. */
  readonly table: string;
  /**
   * The first statement of the transaction. Its parameters are the group, seat, token and lease of a fence whose MAC has been verified.
   * It returns one row if the fence is admitted. If it returns none, the fence is refused: roll back.
   */
  readonly admit: string;
  /** After a refusal: the newest token, as text, and its lease. Its parameters are group and seat. */
  readonly newest: string;
}

/** The name of a guard's table, and whether a guard creates it. */
export interface TableOptions {
  /** `sortition_guards` by default. It may have a schema, as "app.guards". Guards with different tables do not know of each other. */
  readonly table?: string;
  /** False: guards never create the table. If it is missing, the error says how to create it. */
  readonly migrate?: boolean;
}

/** If a crash of the server could undo this commit, an older leader could be admitted again. So this commit waits for the disk. */
const DURABLE = `set_config('synchronous_commit',
  CASE current_setting('synchronous_commit') WHEN 'off' THEN 'on' ELSE current_setting('synchronous_commit') END, true)`;

/** The SQL of guards, to print or to use from other languages. */
export function guardSql(database: "postgres" | "sqlite", { table = "sortition_guards" }: TableOptions = {}): GuardSql {
  if (!/^[a-z_][a-z0-9_]*(\.[a-z_][a-z0-9_]*)?$/.test(table))
    throw new InputError(`"${table}" is no name for a table of guards: use small letters, digits and "_"`);
  const postgres = database === "postgres";
  const bind = (count: number) =>
    Array.from({ length: count }, (_, index) => (postgres ? `$${index + 1}` : "?")).join(", ");
  // A later version will change the check. Then statements of this version fail, and never disagree with those of the later one.
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

/** The error where the table is missing and this program must not, or cannot, create it. */
export const tableMissing = ({ table }: GuardSql): InputError =>
  new InputError(`the table of the guards is missing, and this program does not make it: run\n${table};`);
