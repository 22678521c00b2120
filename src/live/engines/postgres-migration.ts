/** Makes the tables where there are none, and refuses those of a newer version. */
import type { ClientBase } from "pg";
import { InputError } from "../../errors.ts";
import type { PostgresAddress } from "./postgres-address.ts";
import { contentsSql, migrationSql, quoted, SCHEMA_VERSION } from "./postgres-tables.ts";

/** Members that start at once make tables one after another: held until the end of the transaction, whatever happens. */
const LOCK = 0x736f7274;

/** They are not to be made: `sql` is what somebody who may has to run. */
export class MissingTables extends InputError {
  readonly sql: string;

  constructor({ name, schema }: PostgresAddress) {
    super(
      `${name} has no tables of leases in schema "${schema}": have the SQL that "sortition lease sql" prints run by somebody who may, or let a member make them`,
    );
    this.sql = migrationSql(schema);
  }
}

/** The connection must stay the same within a transaction: a pooler may pool transactions, but not statements. */
export async function migrate(client: ClientBase, address: PostgresAddress, mayMake: boolean): Promise<void> {
  const { schema } = address;
  if (await isThere(client, schema)) return;
  if (!mayMake) throw new MissingTables(address);
  await client.query("BEGIN ISOLATION LEVEL READ COMMITTED");
  try {
    // Whoever is stopped in here must not keep the others from starting.
    await client.query(`SET LOCAL idle_in_transaction_session_timeout = 10000; SELECT pg_advisory_xact_lock(${LOCK})`);
    if (!(await isThere(client, schema))) {
      const { rows } = await client.query("SELECT FROM pg_namespace WHERE nspname = $1", [schema]);
      if (rows.length === 0) await client.query(`CREATE SCHEMA ${quoted(schema)}`);
      await client.query(contentsSql(schema));
    }
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK").catch(() => {});
    throw error;
  }
}

/** By the catalogue's rows: to_regclass() and the like may still answer from before a wait for the lock. */
async function isThere(client: ClientBase, schema: string): Promise<boolean> {
  const { rows: found } = await client.query(
    "SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relname = $2",
    [schema, "sortition_version"],
  );
  if (found.length === 0) return false;
  const { rows } = await client.query(`SELECT max(version) AS version FROM ${quoted(schema)}.sortition_version`);
  const { version } = rows[0] as { version: number };
  if (version === SCHEMA_VERSION) return true;
  throw new InputError(
    `the tables of leases in schema "${schema}" are of version ${version}, and this Sortition knows ${SCHEMA_VERSION}: update it, or name another schema with ?schema=...`,
  );
}
