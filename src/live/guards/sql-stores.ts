/**
 * Durable stores for guards that fence admission. They use the table of the guards inside databases, so both can be used together. Their
 * `replace` is the rule itself and compares with what is stored, not with what was read: it never stores anything older.
 */
import { InputError } from "../../errors.ts";
import { isTableMissing, makeTable, newestInPostgres, type PostgresClient } from "./postgres.ts";
import { guardSql, type TableOptions, tableMissing } from "./sql.ts";
import { inTransaction, newestInSqlite, type SqliteDatabase, withTable } from "./sqlite.ts";
import type { GuardStore } from "./store.ts";

/** How long a process waits for another one that is just writing. */
const BUSY_MS = 5000;

/** A store in a SQLite file on a local disk, or in a database that you have opened. */
export function sqliteStore(where: string | SqliteDatabase, options: TableOptions = {}): GuardStore {
  const sql = guardSql("sqlite", options);
  const database = typeof where === "string" ? opened(where) : where;
  const made = <Result>(act: () => Result): Result => withTable(database, sql, options.migrate ?? true, act);
  return {
    read: async (seat) => made(() => newestInSqlite(database, sql, seat)),
    replace: async ({ group, seat }, _before, { token, lease }) =>
      inTransaction(database, () => made(() => database.prepare(sql.admit).all(group, seat, token, lease))).length ===
      1,
  };
}

function opened(file: string): SqliteDatabase {
  if (file === "" || file === ":memory:") throw new InputError("a guard's store must survive a restart: name a file");
  // Asked for when needed, since older versions of Node warn of it.
  const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
  const database = new DatabaseSync(file, { timeout: BUSY_MS });
  database.exec("PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL");
  return database;
}

/** A store in PostgreSQL, over a pool or over a connection that no transaction of yours uses. */
export function postgresStore(client: PostgresClient, options: TableOptions = {}): GuardStore {
  const sql = guardSql("postgres", options);
  async function made<Result>(act: () => Promise<Result>): Promise<Result> {
    try {
      return await act();
    } catch (error) {
      if (!isTableMissing(error, sql)) throw error;
      if (options.migrate === false) throw tableMissing(sql);
      await makeTable(client, sql);
      return await act();
    }
  }
  return {
    read: (seat) => made(() => newestInPostgres(client, sql, seat)),
    replace: async ({ group, seat }, _before, { token, lease }) =>
      (await made(() => client.query(sql.admit, [group, seat, String(token), lease]))).rows.length === 1,
  };
}
