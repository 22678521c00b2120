/** The one table that leases need in a PostgreSQL database. */
import type { ClientBase } from "pg";
import { InputError } from "../../errors.ts";
import type { PostgresAddress } from "./postgres-address.ts";

/** Members that start at once make the table one after another: held until the end of the transaction. */
const LOCK = 0x736f7274;

/** An identifier within SQL text, whatever characters it has. */
const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

export const tableOf = (schema: string): string => `${quoted(schema)}.sortition_rows`;

const tableSql = (schema: string): string =>
  `CREATE TABLE IF NOT EXISTS ${tableOf(schema)} (
  grp text NOT NULL,
  key text COLLATE "C" NOT NULL,
  text text NOT NULL,
  PRIMARY KEY (grp, key)
) WITH (fillfactor = 50);`;

/** For people, to be run by somebody who may: psql -f. */
export const migrationSql = (schema: string): string => `-- Leases of Sortition.
BEGIN;
CREATE SCHEMA IF NOT EXISTS ${quoted(schema)};
${tableSql(schema)}
COMMIT;

-- A member's role needs no more than this:
--   GRANT USAGE ON SCHEMA ${quoted(schema)} TO member;
--   GRANT SELECT, INSERT, UPDATE, DELETE ON ${tableOf(schema)} TO member;
`;

/** The table is not to be made: `sql` is what somebody who may has to run. */
export class MissingTables extends InputError {
  readonly sql: string;

  constructor({ name, schema }: PostgresAddress) {
    super(
      `${name} has no table of leases in schema "${schema}": have the SQL that "sortition lease sql" prints run by a role that may create tables, or let a member make it`,
    );
    this.sql = migrationSql(schema);
  }
}

/** Makes the table if there is none. The connection must stay the same: a pooler may pool transactions, but not statements. */
export async function migrate(client: ClientBase, address: PostgresAddress, mayMake: boolean): Promise<void> {
  const { schema } = address;
  if (await isThere(client, schema, "sortition_rows")) return;
  if (await isThere(client, schema, "sortition_version"))
    throw new InputError(
      `schema "${schema}" has tables of leases of an older Sortition: stop all members that use it, remove the schema, or name another one with ?schema=...`,
    );
  if (!mayMake) throw new MissingTables(address);
  await client.query("BEGIN ISOLATION LEVEL READ COMMITTED");
  try {
    // A member that is paused in here must not keep the others from starting.
    await client.query(`SET LOCAL idle_in_transaction_session_timeout = 10000; SELECT pg_advisory_xact_lock(${LOCK})`);
    const { rows } = await client.query("SELECT FROM pg_namespace WHERE nspname = $1", [schema]);
    if (rows.length === 0) await client.query(`CREATE SCHEMA ${quoted(schema)}`);
    if (!(await isThere(client, schema, "sortition_rows"))) await client.query(tableSql(schema));
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK").catch(() => {});
    throw error;
  }
}

/** By the catalogue's rows: to_regclass() and the like may still answer from before a wait for the lock. */
async function isThere(client: ClientBase, schema: string, table: string): Promise<boolean> {
  const { rows } = await client.query(
    "SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relname = $2",
    [schema, table],
  );
  return rows.length > 0;
}
