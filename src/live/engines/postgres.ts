/**
 * Leases in PostgreSQL 14 or newer: one table of rows, and the clock of the server. A read and a commit are one message each, in a
 * transaction of its own. So nothing is kept in the server between requests (it may be behind a pooler), and a client that is paused
 * never leaves a lock behind.
 */
import type { Pool, PoolClient, PoolConfig } from "pg";
import { InputError } from "../../errors.ts";
import { type EngineOptions, type LeaseEngine, type Limit, withLimit } from "./engine.ts";
import {
  isConnectionFine,
  isMissingObject,
  isUndone,
  type PostgresAddress,
  postgresAddress,
  wordsFor,
} from "./postgres-address.ts";
import { migrate, tableOf } from "./postgres-table.ts";
import { type Image, MOST_OTHERS, type RowStore, rowEngine, type WantedJobs } from "./row-engine.ts";
import { type Change, RECORD_ROWS } from "./rows.ts";

export interface PostgresOptions extends EngineOptions {
  readonly address: PostgresAddress;
}

/** A renewal need not wait for an acquire that waits for a lock. */
const CONNECTIONS = 2;
/** Followers ask once in a while or never: they should not keep a connection of the server's. */
const IDLE_CONNECTION = 10_000;
/** Milliseconds for making the tables, at least: many members may want to at once, and one does. */
const PREPARING = 5000;
/** After failed connections: a pause that doubles, at least and at most. */
const BACK_OFF = { first: 50, last: 1000 };

export const openPostgres = (address: string, options: EngineOptions): Promise<LeaseEngine> =>
  postgresEngine({ ...options, address: postgresAddress(address) });

export async function postgresEngine(options: PostgresOptions): Promise<LeaseEngine> {
  return rowEngine(new PostgresRows(options, await loadPg()), options);
}

type Pg = typeof import("pg");

async function loadPg(): Promise<Pg> {
  try {
    return (await import("pg")).default as unknown as Pg;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw error;
    throw new InputError('leases in PostgreSQL need the package "pg": npm install pg');
  }
}

/**
 * Closes a connection that came to nothing: `pg` leaves it to the server, which waits a minute for a password that is missing, and
 * each try would take another connection of the server's.
 */
function closing({ Client }: Pg): PoolConfig["Client"] {
  interface Inside {
    readonly connection: { on(event: "error", act: () => void): void; readonly stream: { destroy(): void } };
  }
  return class extends Client {
    constructor(...options: ConstructorParameters<typeof Client>) {
      super(...options);
      const { connection } = this as unknown as Inside;
      connection.on("error", () => connection.stream.destroy());
    }
  };
}

/** Before a commit: it must be on disk once it is answered, whatever the database's default is. */
const DURABLE = `SELECT set_config('synchronous_commit', 'on', true) WHERE current_setting('synchronous_commit') <> 'remote_apply'`;

export class PostgresRows implements RowStore {
  readonly name: string;
  private readonly options: PostgresOptions;
  private readonly pg: Pg;
  private readonly table: string;
  private pool: Pool;
  private isClosed = false;
  /** Of connections that failed one after another: why, how long the pause after it is, and when that ends. */
  private pausing: { readonly why: string; readonly pause: number; readonly until: number } | null = null;

  constructor(options: PostgresOptions, pg: Pg) {
    this.name = options.address.name;
    this.options = options;
    this.pg = pg;
    this.table = tableOf(options.address.schema);
    this.pool = this.newPool();
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

  async close(): Promise<void> {
    this.isClosed = true;
    const { pool } = this;
    await this.timed(this.options.requestTimeout, pool.end()).catch(() => {});
  }

  /** The rows of the last statement. Makes the table where it is missing. */
  private async order(sql: (literal: (text: string) => string) => string, limit: Limit) {
    const { world, address } = this.options;
    if (this.pausing !== null && world.now() < this.pausing.until) throw new Error(this.pausing.why);
    for (let isPrepared = false; ; isPrepared = true) {
      try {
        return await this.within(limit.left(), (client) =>
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
      await this.within(ms, (client) => migrate(client, address, this.options.migrate));
    } catch (error) {
      throw error instanceof InputError ? error : new Error(wordsFor(error, address));
    }
  }

  /** With a connection that is given back only if it is fit for others. */
  private async within<T>(ms: number, use: (client: PoolClient) => Promise<T>): Promise<T> {
    const { world } = this.options;
    const end = world.now() + ms;
    const left = () => Math.max(1, end - world.now());
    const { pool } = this;
    const client = await this.connected(pool, left());
    const ignore = () => {};
    client.on("error", ignore);
    try {
      const answer = await this.timed(left(), use(client));
      client.off("error", ignore);
      client.release();
      return answer;
    } catch (error) {
      const isFine = isConnectionFine(error);
      if (isFine) client.off("error", ignore);
      client.release(!isFine);
      // Other connections of the same time are probably as dead, and each would cost a time-out.
      if (!isFine) this.renewPool(pool);
      throw error;
    }
  }

  private async connected(pool: Pool, ms: number): Promise<PoolClient> {
    const asked = pool.connect();
    try {
      const client = await this.timed(ms, asked);
      this.pausing = null;
      return client;
    } catch (error) {
      // One that comes too late is given back.
      void asked.then(
        (client) => client.release(true),
        () => {},
      );
      this.renewPool(pool);
      this.pauseAfter(error);
      throw error;
    }
  }

  private pauseAfter(error: unknown): void {
    const { world, address, requestTimeout } = this.options;
    // With short leases there is less time to lose.
    const longest = Math.min(BACK_OFF.last, requestTimeout);
    const pause = Math.min(longest, (this.pausing?.pause ?? BACK_OFF.first / 2) * 2);
    // Members of a group fail together, and should not come back together.
    const until = world.now() + pause / 2 + (world.draws.uniform() * pause) / 2;
    this.pausing = { why: wordsFor(error, address), pause, until };
  }

  private newPool(): Pool {
    const { address, requestTimeout } = this.options;
    const pool = new this.pg.Pool({
      ...address.client,
      Client: closing(this.pg),
      max: CONNECTIONS,
      connectionTimeoutMillis: requestTimeout,
      idleTimeoutMillis: IDLE_CONNECTION,
    });
    // An idle connection that breaks is dropped by the pool; who asks next makes a new one.
    pool.on("error", () => {});
    return pool;
  }

  private renewPool(old: Pool): void {
    if (this.pool !== old || this.isClosed) return;
    this.pool = this.newPool();
    void old.end().catch(() => {});
  }

  /** `pg` has no time-outs of its own. */
  private timed<T>(ms: number, work: Promise<T>): Promise<T> {
    return withLimit(this.options.world, ms, this.name, () => work);
  }
}

/** All in one message, and so one transaction; values are literals, for a message of several statements takes no others. */
async function call(client: PoolClient, sql: string, limit: Limit): Promise<Record<string, unknown>[]> {
  const results = (await client.query(
    `SET TRANSACTION ISOLATION LEVEL READ COMMITTED; SET LOCAL statement_timeout = ${Math.ceil(limit.left())}; ${sql}`,
  )) as unknown as readonly { readonly rows: Record<string, unknown>[] }[];
  return results[results.length - 1].rows;
}
