/** Connections to PostgreSQL by the package "pg", which has no time-outs of its own and keeps connections that are dead. */
import type { Pool, PoolClient, PoolConfig } from "pg";
import { notInstalled } from "../../errors.ts";
import { type EngineOptions, withLimit } from "./engine.ts";
import { isConnectionFine, type PostgresAddress, wordsFor } from "./postgres-address.ts";

export interface PostgresOptions extends EngineOptions {
  readonly address: PostgresAddress;
}

/** A renewal need not wait for an acquire that waits for a lock. */
const CONNECTIONS = 2;
/** Followers ask once in a while or never: they should not keep a connection of the server's. */
const IDLE_CONNECTION = 10_000;
/** After failed connections: a pause that doubles, at least and at most. */
const BACK_OFF = { first: 50, last: 1000 };

export type Pg = typeof import("pg");

export async function loadPg(): Promise<Pg> {
  try {
    return (await import("pg")).default as unknown as Pg;
  } catch (error) {
    throw notInstalled(error, 'leases in PostgreSQL need the package "pg": npm install pg');
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

export class PostgresConnections {
  private readonly options: PostgresOptions;
  private readonly pg: Pg;
  private pool: Pool;
  private isClosed = false;
  /** Of connections that failed one after another: why, how long the pause after it is, and when that ends. */
  private pausing: { readonly why: string; readonly pause: number; readonly until: number } | null = null;

  constructor(options: PostgresOptions, pg: Pg) {
    this.options = options;
    this.pg = pg;
    this.pool = this.newPool();
  }

  async close(): Promise<void> {
    this.isClosed = true;
    const { pool } = this;
    await this.timed(this.options.requestTimeout, pool.end()).catch(() => {});
  }

  /** Throws after failed connections, until a pause is over. */
  checkPause(): void {
    if (this.pausing !== null && this.options.world.now() < this.pausing.until) throw new Error(this.pausing.why);
  }

  /** With a connection that is given back only if it is fit for others. */
  async within<T>(ms: number, use: (client: PoolClient) => Promise<T>): Promise<T> {
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
    return withLimit(this.options.world, ms, this.options.address.name, () => work);
  }
}
