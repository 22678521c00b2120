/** A guard inside a PostgreSQL database: for what is written to that database. */
import { InputError } from "../../errors.ts";
import type { Fence } from "./fence.ts";
import { fenceRefusal, type Guarding, type Newest, verifyFence } from "./fence.ts";
import { type GuardSql, guardSql, type TableOptions, tableMissing } from "./sql.ts";

/** What comes back of a query, as far as guards look at it. */
export interface PostgresResult {
  // biome-ignore lint/suspicious/noExplicitAny: columns have whatever type they have, as in `pg`
  readonly rows: any[];
  readonly rowCount: number | null;
  readonly command?: string;
}

/** What a guard needs of a connection: `Client` and `PoolClient` of `pg` have it. */
export interface PostgresClient {
  query(text: string, values?: unknown[]): Promise<PostgresResult>;
}

/** What a guard needs of a pool: `Pool` of `pg` has it. */
export interface PostgresPool {
  connect(): Promise<PostgresClient & { release(destroy?: boolean): void }>;
  readonly totalCount: number;
}

/** Settings of a guard in PostgreSQL. */
export interface PostgresGuardOptions extends Guarding, TableOptions {
  /**
   * A leader that was stopped inside a guarded transaction keeps the next one waiting; so the server ends a transaction that was
   * idle for this long, 5 seconds by default. 0: as the server is set.
   */
  readonly idleMs?: number;
}

/** Lets only the newest leader write to a PostgreSQL database. */
export interface PostgresGuard {
  /**
   * Runs `work` in a transaction that only the newest leader gets through, and gives its result back once that is committed. What
   * it does with the connection that it is given is guarded, and nothing else. Throws `FenceRefused`.
   */
  guarded<Result>(
    pool: PostgresPool,
    fence: string | null | undefined,
    work: (client: PostgresClient, fence: Fence) => Promise<Result>,
  ): Promise<Result>;
  guarded<Client extends PostgresClient, Result>(
    client: Client,
    fence: string | null | undefined,
    work: (client: Client, fence: Fence) => Promise<Result>,
  ): Promise<Result>;
  /** As the first statement of a transaction of your own; throws `FenceRefused`: roll back then. The table must be there. */
  admit(client: PostgresClient, fence: string | null | undefined): Promise<Fence>;
  /** Makes the table where it is missing. `guarded` does so by itself. */
  prepare(client: PostgresClient): Promise<void>;
  /** The statements. */
  readonly sql: GuardSql;
}

const UNDEFINED_TABLE = "42P01";
const NOT_ALLOWED = "42501";
/** Any number that no other program takes: two that make one table at once would fail. */
const MAKING_TABLES = 7_366_118_027;

/** A guard whose row lies in the PostgreSQL database that it guards. */
export function postgresGuard(options: PostgresGuardOptions): PostgresGuard {
  const { idleMs = 5000, migrate = true } = options;
  const sql = guardSql("postgres", options);
  if (!Number.isSafeInteger(idleMs) || idleMs < 0) throw new InputError("idleMs is a whole number of milliseconds");

  async function inTransaction<Result>(client: PostgresClient, fence: Fence, work: () => Promise<Result>) {
    await client.query(begin(idleMs));
    await admitIn(client, sql, fence);
    const result = await work();
    // A transaction in which a statement failed answers COMMIT with ROLLBACK, and no error.
    const { command } = await client.query("COMMIT");
    if (command === "ROLLBACK") throw new Error("nothing was written: a statement of the guarded work has failed");
    return result;
  }

  async function guarded<Result>(
    client: PostgresClient | PostgresPool,
    text: string | null | undefined,
    work: Work<Result>,
  ) {
    const fence = verifyFence(options, text);
    const act = (connection: PostgresClient) => inTransaction(connection, fence, () => work(connection, fence));
    return onConnection(client, async (connection) => {
      try {
        return await orRolledBack(connection, act);
      } catch (error) {
        if (!isTableMissing(error, sql)) throw error;
        if (!migrate) throw tableMissing(sql);
        await makeTable(connection, sql);
        return await orRolledBack(connection, act);
      }
    });
  }

  return {
    sql,
    guarded: guarded as PostgresGuard["guarded"],
    async admit(client, text) {
      const fence = verifyFence(options, text);
      await admitIn(client, sql, fence);
      return fence;
    },
    prepare: (client) => makeTable(client, sql),
  };
}

type Work<Result> = (client: PostgresClient, fence: Fence) => Promise<Result>;

const begin = (idleMs: number): string =>
  idleMs === 0 ? "BEGIN" : `BEGIN; SET LOCAL idle_in_transaction_session_timeout = ${idleMs}`;

async function admitIn(client: PostgresClient, sql: GuardSql, fence: Fence): Promise<void> {
  const { group, seat, token, lease } = fence;
  const { rows } = await client.query(sql.admit, [group, seat, String(token), lease]);
  if (rows.length === 1) return;
  // A statement of its own: that of the refusal may have begun before the newest leader had committed.
  throw fenceRefusal((await newestInPostgres(client, sql, fence))!, fence);
}

/** What the guard remembers of a seat. */
export async function newestInPostgres(
  client: PostgresClient,
  sql: GuardSql,
  { group, seat }: Pick<Fence, "group" | "seat">,
): Promise<Newest | null> {
  const [row] = (await client.query(sql.newest, [group, seat])).rows;
  return row === undefined ? null : { token: BigInt(row.token), lease: row.lease };
}

/** Whether the guards' own table is what a statement did not find. */
export const isTableMissing = (error: unknown, { admit }: GuardSql): boolean => {
  const { code, message } = error as { code?: string; message?: string };
  return code === UNDEFINED_TABLE && message?.includes(/INTO (\S+)/.exec(admit)![1]) === true;
};

export async function makeTable(client: PostgresClient, sql: GuardSql): Promise<void> {
  try {
    // Several statements in one query are one transaction.
    await client.query(`SELECT pg_advisory_xact_lock(${MAKING_TABLES}); ${sql.table}`);
  } catch (error) {
    throw (error as { code?: string }).code === NOT_ALLOWED ? tableMissing(sql) : error;
  }
}

/** Connections on which a transaction may still be open: no other work must get one. */
const broken = new WeakSet<object>();

async function orRolledBack<Result>(client: PostgresClient, act: (client: PostgresClient) => Promise<Result>) {
  try {
    return await act(client);
  } catch (error) {
    try {
      await client.query("ROLLBACK");
    } catch {
      // A server that is gone, or does not answer in time, rolls back when the connection ends.
      broken.add(client);
    }
    throw error;
  }
}

/** A connection for as long as `act` takes: the one that was passed in, or one of the pool. */
async function onConnection<Result>(
  given: PostgresClient | PostgresPool,
  act: (client: PostgresClient) => Promise<Result>,
): Promise<Result> {
  if (!("totalCount" in given)) return heeded(given, act);
  const client = await given.connect();
  try {
    return await heeded(client, act);
  } finally {
    client.release(broken.has(client));
  }
}

/**
 * A server that ends a connection between two statements makes `pg` emit an error, which ends the process where nobody listens. The next
 * statement fails, and tells of it.
 */
async function heeded<Result>(
  client: PostgresClient & { on?: Listen; off?: Listen },
  act: (client: PostgresClient) => Promise<Result>,
): Promise<Result> {
  const ignore = () => {};
  client.on?.("error", ignore);
  try {
    return await act(client);
  } finally {
    client.off?.("error", ignore);
  }
}

type Listen = (event: "error", listener: () => void) => unknown;
