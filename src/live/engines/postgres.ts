/**
 * Leases in PostgreSQL 14 or newer: one table of rows, and the clock of the server. A read and a commit are one message each, in a
 * transaction of its own. So nothing is kept in the server between requests (it may be behind a pooler), and a client that is paused
 * never leaves a lock behind.
 */
import type { PoolClient } from "pg";
import { InputError } from "../../errors.ts";
import type { EngineOptions, LeaseEngine, Limit } from "./engine.ts";
import { isMissingObject, isUndone, postgresAddress, wordsFor } from "./postgres-address.ts";
import { loadPg, type Pg, PostgresConnections, type PostgresOptions } from "./postgres-pool.ts";
import { migrate, tableOf } from "./postgres-table.ts";
import { type Image, MOST_OTHERS, type RowStore, rowEngine, type WantedJobs } from "./row-engine.ts";
import { type Change, RECORD_ROWS } from "./rows.ts";

/** Milliseconds for making the tables, at least: many members may want to at once, and one does. */
const PREPARING = 5000;
export const openPostgres = (address: string, options: EngineOptions): Promise<LeaseEngine> =>
  postgresEngine({ ...options, address: postgresAddress(address) });

export async function postgresEngine(options: PostgresOptions): Promise<LeaseEngine> {
  return rowEngine(new PostgresRows(options, await loadPg()), options);
}

/** Before a commit: it must be on disk once it is answered, whatever the database's default is. */
const DURABLE = `SELECT set_config('synchronous_commit', 'on', true) WHERE current_setting('synchronous_commit') <> 'remote_apply'`;

export class PostgresRows implements RowStore {
  readonly name: string;
  private readonly options: PostgresOptions;
  private readonly table: string;
  private readonly pool: PostgresConnections;

  constructor(options: PostgresOptions, pg: Pg) {
    this.name = options.address.name;
    this.options = options;
    this.table = tableOf(options.address.schema);
    this.pool = new PostgresConnections(options, pg);
  }

  async read(limit: Limit, jobs?: WantedJobs): Promise<Image> {
    const [{ now, incarnation, texts }] = await this.order(
      (literal) => `SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::text AS now,
        concat_ws(' ', extract(epoch FROM pg_postmaster_start_time()), pg_relation_filenode(${literal(this.table)})) AS incarnation,
        (SELECT json_object_agg(key, text) FROM (${this.rows(literal, jobs)}) AS rows) AS texts`,
      limit,
    );
    return {
      texts: new Map(Object.entries((texts ?? {}) as Record<string, string>)),
      incarnation: String(incarnation),
      revision: null,
      now: Number(now),
      forgets: false,
    };
  }

  /** Names are compared byte by byte, whatever the order of the database is: so does the index of the table. */
  private rows(literal: (text: string) => string, jobs?: WantedJobs): string {
    const row = (where: string) =>
      `SELECT key, text FROM ${this.table} WHERE grp = ${literal(this.options.group)} AND ${where}`;
    const [first, end] = RECORD_ROWS.map((name) => `${literal(name)} COLLATE "C"`);
    const leases = [row(`key < ${first}`), row(`key >= ${end}`)];
    if (jobs === undefined) return leases.join(" UNION ");
    const others = row(`key > ${literal(jobs.after)} COLLATE "C" AND key >= ${first} AND key < ${end}`);
    const page = `(${others} ORDER BY key COLLATE "C" LIMIT ${MOST_OTHERS})`;
    return [...leases, row(`key = ${literal(jobs.row)}`), page].join(" UNION ");
  }

  async commit({ seen, puts }: Change, limit: Limit, jobs?: WantedJobs): ReturnType<RowStore["commit"]> {
    const { group } = this.options;
    const there = [...seen].filter(([, text]) => text !== null);
    // In one order, so that two commits do not wait for each other.
    const written = [...puts].filter(([, text]) => text !== null).sort(([a], [b]) => (a < b ? -1 : 1));
    const isNew = ([key]: readonly [string, unknown]) => seen.get(key) === null;
    const gone = [...puts].filter(([, text]) => text === null).map(([key]) => key);
    try {
      const [{ passed }] = await this.order((literal) => {
        const rows = (of: readonly (readonly [string, string | null])[]) =>
          `json_each_text(${literal(JSON.stringify(Object.fromEntries(of)))})`;
        const own = `r.grp = ${literal(group)}`;
        // A row that waited for another commit is compared as that commit has left it.
        return `${DURABLE};
        WITH held AS (SELECT FROM ${this.table} r JOIN ${rows(there)} s ON r.key = s.key AND r.text = s.value
            WHERE ${own} ORDER BY r.key FOR UPDATE OF r),
          same AS (SELECT (SELECT count(*) FROM held) = ${there.length} AS passed),
          changed AS (UPDATE ${this.table} r SET text = p.value FROM ${rows(written.filter((one) => !isNew(one)))} p, same
            WHERE passed AND ${own} AND r.key = p.key),
          made AS (INSERT INTO ${this.table} (grp, key, text)
            SELECT ${literal(group)}, p.key, p.value FROM ${rows(written.filter(isNew))} p, same WHERE passed),
          gone AS (DELETE FROM ${this.table} r USING same
            WHERE passed AND ${own} AND r.key IN (SELECT json_array_elements_text(${literal(JSON.stringify(gone))})))
        SELECT passed FROM same`;
      }, limit);
      if (passed) return { image: null, revision: null };
    } catch (error) {
      if (!isUndone((error as Error).cause)) throw error;
    }
    return { image: await this.read(limit, jobs), revision: null };
  }

  close(): Promise<void> {
    return this.pool.close();
  }

  /** The rows of the last statement. Makes the table where it is missing. */
  private async order(sql: (literal: (text: string) => string) => string, limit: Limit) {
    const { address } = this.options;
    this.pool.checkPause();
    for (let isPrepared = false; ; isPrepared = true) {
      try {
        return await this.pool.within(limit.left(), (client) =>
          call(
            client,
            sql((text) => client.escapeLiteral(text)),
            limit,
          ),
        );
      } catch (error) {
        if (error instanceof InputError) throw error;
        if (isPrepared || !isMissingObject(error)) throw new Error(wordsFor(error, address), { cause: error });
      }
      await this.prepare(Math.max(limit.left(), PREPARING));
    }
  }

  private async prepare(ms: number): Promise<void> {
    const { address } = this.options;
    try {
      await this.pool.within(ms, (client) => migrate(client, address, this.options.migrate));
    } catch (error) {
      throw error instanceof InputError ? error : new Error(wordsFor(error, address));
    }
  }
}

/** All in one message, and so one transaction; values are literals, for a message of several statements takes no others. */
async function call(client: PoolClient, sql: string, limit: Limit): Promise<Record<string, unknown>[]> {
  const results = (await client.query(
    `SET TRANSACTION ISOLATION LEVEL READ COMMITTED; SET LOCAL statement_timeout = ${Math.ceil(limit.left())}; ${sql}`,
  )) as unknown as readonly { readonly rows: Record<string, unknown>[] }[];
  return results[results.length - 1].rows;
}
