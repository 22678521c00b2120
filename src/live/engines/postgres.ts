/**
 * Leases in PostgreSQL 14 or newer. A request is one message with one function call, in a transaction of its own: nothing is kept in
 * the server between requests (so it may stand behind a pooler), and a client that is stopped never leaves a lock behind.
 */
import type { Pool, PoolClient, PoolConfig } from "pg";
import { InputError } from "../../errors.ts";
import type { LeaseAnswer, LeaseRequest } from "../../protocols/lease/messages.ts";
import { checked, type EngineOptions, type LeaseEngine } from "./engine.ts";
import type { PostgresAddress } from "./postgres-address.ts";
import { migrate } from "./postgres-migration.ts";
import { quoted, SCHEMA_VERSION } from "./postgres-tables.ts";

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

export async function postgresEngine(options: PostgresOptions): Promise<LeaseEngine> {
  return checked(new PostgresEngine(options, await loadPg()));
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

class PostgresEngine implements LeaseEngine {
  readonly name: string;
  trouble?: string;
  private readonly options: PostgresOptions;
  private readonly pg: Pg;
  private pool: Pool;
  private isClosed = false;
  /** Of connections that failed one after another: why, how long the pause after it is, and when that ends. */
  private pausing: { readonly why: string; readonly pause: number; readonly until: number } | null = null;

  constructor(options: PostgresOptions, pg: Pg) {
    this.name = options.address.name;
    this.options = options;
    this.pg = pg;
    this.pool = this.newPool();
  }

  async ask(request: LeaseRequest): Promise<LeaseAnswer> {
    return (await this.order(request))!;
  }

  /** Makes the tables where they are missing. */
  async check(): Promise<void> {
    await this.order({ kind: "check" });
  }

  private async order(request: LeaseRequest | { readonly kind: "check" }): Promise<LeaseAnswer | null> {
    const { world, requestTimeout, address } = this.options;
    if (this.isClosed) throw new Error("the engine is closed");
    if (this.pausing !== null && world.now() < this.pausing.until) throw new Error(this.pausing.why);
    const deadline = world.now() + requestTimeout;
    let isPrepared = false;
    for (;;) {
      try {
        return await this.within(deadline, (client) => this.call(client, request, deadline));
      } catch (error) {
        if (this.isClosed) throw new Error("the engine is closed");
        if (error instanceof InputError) throw error;
        if (isUndone(error) && world.now() < deadline) continue;
        const isUnprepared = isMissingObject(error) || isOtherVersion(error);
        if (isPrepared || !isUnprepared) throw new Error(wordsFor(error, address));
      }
      await this.prepare(Math.max(deadline, world.now() + PREPARING));
      isPrepared = true;
    }
  }

  async close(): Promise<void> {
    this.isClosed = true;
    const { pool } = this;
    await this.timed(this.options.requestTimeout, pool.end()).catch(() => {});
  }

  private async prepare(deadline: number): Promise<void> {
    const { address } = this.options;
    try {
      await this.within(deadline, (client) => migrate(client, address, this.options.migrate));
    } catch (error) {
      throw error instanceof InputError ? error : new Error(wordsFor(error, address));
    }
  }

  /** All in one message, and so one transaction; values are literals, for a message of several statements takes no others. */
  private async call(client: PoolClient, request: object, deadline: number): Promise<LeaseAnswer | null> {
    const { group, address, world } = this.options;
    const literal = (text: string) => client.escapeLiteral(text);
    const timeout = Math.max(1, Math.ceil(deadline - world.now()));
    const results = (await client.query(
      `SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
      SET LOCAL statement_timeout = ${timeout};
      SELECT ${quoted(address.schema)}.sortition_lease(${SCHEMA_VERSION}, ${literal(group)}, ${literal(JSON.stringify(request))}::jsonb) AS answer`,
    )) as unknown as readonly { readonly rows: readonly { readonly answer: LeaseAnswer | null }[] }[];
    return results[results.length - 1].rows[0].answer;
  }

  /** With a connection that is given back only if it is fit for others. */
  private async within<T>(deadline: number, use: (client: PoolClient) => Promise<T>): Promise<T> {
    const { world } = this.options;
    const left = () => Math.max(1, deadline - world.now());
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

  /** `pg` has no time-outs of its own; what it does later is of no use any more. */
  private async timed<T>(ms: number, work: Promise<T>): Promise<T> {
    const { world } = this.options;
    return new Promise<T>((resolve, reject) => {
      const cancel = world.set(ms, () => reject(new Error(`no answer within ${this.options.requestTimeout} ms`)));
      work.then(
        (value) => {
          cancel();
          resolve(value);
        },
        (error) => {
          cancel();
          reject(error);
        },
      );
    });
  }
}

// What PostgreSQL and the network say, in words that tell a person what to do. Never with a password.

/** https://www.postgresql.org/docs/current/errcodes-appendix.html, or the code of a system's error. */
const codeOf = (error: unknown): string => String((error as { code?: unknown } | null)?.code ?? "");

/** Undone by the server as a whole, so that the same request can be asked again at once: rows had moved, or a deadlock. */
const isUndone = (error: unknown): boolean => ["40001", "40P01"].includes(codeOf(error));

/** There is no such schema, table or function. */
const isMissingObject = (error: unknown): boolean => ["3F000", "42P01", "42883"].includes(codeOf(error));

const isOtherVersion = (error: unknown): boolean => codeOf(error) === "SO001";

/** Whether the connection can be used again: the server answered, and did not say that it ends it. */
const isConnectionFine = (error: unknown): boolean =>
  error instanceof InputError || (error as { severity?: unknown } | null)?.severity === "ERROR";

function wordsFor(error: unknown, { client, role, schema }: PostgresAddress): string {
  const code = codeOf(error);
  const said = String((error as Error | null)?.message ?? error);
  const where = String(client.host).startsWith("/") ? client.host : `${client.host}:${client.port}`;
  switch (code) {
    case "ECONNREFUSED":
    case "ENOENT":
      return `nothing listens at ${where}: start the server, or mend the address`;
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return `the name ${client.host} cannot be looked up: mend the address, or the resolver of this machine`;
    case "28P01":
      return `the password of role "${role}" is not accepted; PGPASSWORD or the lease file must have the right one`;
    case "28000":
      return `role "${role}" is not let in: ${said}`;
    case "3D000":
      return `there is no database "${client.database}": create it, or name another one in the address`;
    case "42501":
      return `role "${role}" lacks a right (${said}); GRANT USAGE ON SCHEMA ${schema} and EXECUTE ON FUNCTION ${schema}.sortition_lease, or have the tables made by somebody who may (see "sortition lease sql")`;
    case "25006":
      return "the server only reads: it is a standby, or set to; give the address of the primary";
    case "53300":
      return "the server has no connection left (max_connections)";
    case "53100":
      return "the server's disk is full";
    case "57014":
      return "the server did not finish in time";
    case "57P01":
    case "57P02":
    case "57P03":
      return `the server is starting or stopping (${said})`;
  }
  if (/SASL|client password must be a string/.test(said)) {
    return `the server asks for a password of role "${role}": set PGPASSWORD, or use a lease file`;
  }
  if (said === "The server does not support SSL connections") {
    return "the server has no TLS, which sslmode asks for: switch ssl on there, or say sslmode=disable on a network you trust";
  }
  return said === "" ? "the server has answered with something that is no answer" : said;
}
