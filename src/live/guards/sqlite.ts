/** A guard inside a SQLite database: for what is written to that database. */
import type { Fence } from "./fence.ts";
import { fenceRefusal, type Guarding, type Newest, verifyFence } from "./fence.ts";
import { type GuardSql, guardSql, type TableOptions, tableMissing } from "./sql.ts";

/** What a guard needs of a database: `DatabaseSync` of node:sqlite and better-sqlite3 have it. */
export interface SqliteDatabase {
  exec(sql: string): unknown;
  prepare(sql: string): { all(...values: (string | bigint)[]): unknown[] };
}

/** Lets only the newest leader write to a SQLite database. */
export interface SqliteGuard {
  /**
   * Runs `work` in a transaction that only the newest leader gets through, and gives its result back once that is on disk. The work
   * is synchronous, since whatever else ran meanwhile on the same connection would be inside the transaction. Throws `FenceRefused`.
   */
  guarded<Database extends SqliteDatabase, Result>(
    database: Database,
    fence: string | null | undefined,
    work: (database: Database, fence: Fence) => Result,
  ): Result;
  /** As the first statement of a transaction of your own, begun with BEGIN IMMEDIATE; throws `FenceRefused`: roll back then. */
  admit(database: SqliteDatabase, fence: string | null | undefined): Fence;
  /** The statements. */
  readonly sql: GuardSql;
}

/** A guard whose row lies in the SQLite database that it guards. */
export function sqliteGuard(options: Guarding & TableOptions): SqliteGuard {
  const sql = guardSql("sqlite", options);

  const admitted = (database: SqliteDatabase, fence: Fence): Fence => {
    admitIn(database, sql, fence, options.migrate ?? true);
    return fence;
  };

  return {
    sql,
    admit: (database, text) => admitted(database, verifyFence(options, text)),
    guarded(database, text, work) {
      const fence = verifyFence(options, text);
      return durably(database, () =>
        inTransaction(database, () => {
          admitted(database, fence);
          const result = work(database, fence);
          if (typeof (result as { then?: unknown } | null)?.then === "function")
            throw new TypeError(
              "guarded work on SQLite must not be asynchronous: read and compute before, and write in it",
            );
          return result;
        }),
      );
    },
  };
}

function admitIn(database: SqliteDatabase, sql: GuardSql, fence: Fence, migrate: boolean): void {
  const { group, seat, token, lease } = fence;
  const rows = withTable(database, sql, migrate, () => database.prepare(sql.admit).all(group, seat, token, lease));
  if (rows.length === 1) return;
  throw fenceRefusal(newestInSqlite(database, sql, fence)!, fence);
}

/** What the guard remembers of a seat. */
export function newestInSqlite(
  database: SqliteDatabase,
  sql: GuardSql,
  { group, seat }: Pick<Fence, "group" | "seat">,
) {
  const [row] = database.prepare(sql.newest).all(group, seat) as { token: string; lease: string }[];
  const newest: Newest | null = row === undefined ? null : { token: BigInt(row.token), lease: row.lease };
  return newest;
}

/** Makes the table where it is missing and `act` needs it. */
export function withTable<Result>(
  database: SqliteDatabase,
  sql: GuardSql,
  migrate: boolean,
  act: () => Result,
): Result {
  try {
    return act();
  } catch (error) {
    if (!/^no such table/.test((error as Error).message)) throw error;
    if (!migrate) throw tableMissing(sql);
    database.exec(sql.table);
    return act();
  }
}

export function inTransaction<Result>(database: SqliteDatabase, act: () => Result): Result {
  database.exec("BEGIN IMMEDIATE");
  let result: Result;
  try {
    result = act();
    database.exec("COMMIT");
  } catch (error) {
    try {
      database.exec("ROLLBACK");
    } catch {
      // A full disk has rolled back already.
    }
    throw error;
  }
  return result;
}

/** A commit that a power failure can undo would let an older leader in again. */
function durably<Result>(database: SqliteDatabase, act: () => Result): Result {
  const [{ synchronous }] = database.prepare("PRAGMA synchronous").all() as { synchronous: number | bigint }[];
  if (synchronous >= 2) return act();
  database.exec("PRAGMA synchronous = FULL");
  try {
    return act();
  } finally {
    database.exec(`PRAGMA synchronous = ${synchronous}`);
  }
}
