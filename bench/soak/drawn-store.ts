/** Where the leases of a group of processes lie, its guarded counter, and what can go wrong with them. */
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pass } from "node:timers/promises";
import pg from "pg";
import { FenceRefused } from "../../src/live/guards/fence.ts";
import { loadGuardKeys } from "../../src/live/guards/keys.ts";
import { postgresGuard } from "../../src/live/guards/postgres.ts";
import { sqliteGuard } from "../../src/live/guards/sqlite.ts";
import { PostgresServer } from "../../test/support/postgres-server.ts";

export type Row = readonly [value: number, token: string, id: string];

export interface DrawnStore {
  readonly lease: string;
  readonly env: NodeJS.ProcessEnv;
  /** Processes of its own. */
  readonly pids: readonly number[];
  /** Reads the counter and writes one more, as the leader with this fence. */
  write(fence: string, id: string): Promise<"written" | "refused" | "unknown">;
  /** Rows that it has not given yet, in the order of their commits. */
  rows(): Promise<Row[]>;
  /** Nobody is served for so long. */
  hold(ms: number): Promise<void>;
  /** Null: there is no server that could be killed. */
  readonly kill: ((downMs: number) => Promise<void>) | null;
  remove(): Promise<void>;
}

const tokenOf = (fence: string): string => fence.split("~")[1];

const outcomeOf = (error: unknown) => (error instanceof FenceRefused ? "refused" : "unknown");

export function sqliteStore(folder: string, keyFile: string, group: string): DrawnStore {
  const leases = join(folder, "leases.db");
  const database = new DatabaseSync(join(folder, "counter.db"));
  database.exec("CREATE TABLE counter (at INTEGER PRIMARY KEY AUTOINCREMENT, value INTEGER, token TEXT, id TEXT)");
  const guard = sqliteGuard({ keys: loadGuardKeys(keyFile, group), seat: "leader" });
  let last = 0;
  return {
    lease: `sqlite:${leases}`,
    env: {},
    pids: [],
    async write(fence, id) {
      try {
        guard.guarded(database, fence, () => {
          const [{ value }] = database.prepare("SELECT max(value) AS value FROM counter").all();
          const row = [Number(value ?? 0) + 1, tokenOf(fence), id];
          database.prepare("INSERT INTO counter (value, token, id) VALUES (?, ?, ?)").run(...row);
        });
        return "written";
      } catch (error) {
        return outcomeOf(error);
      }
    },
    async rows() {
      const rows = database.prepare("SELECT at, value, token, id FROM counter WHERE at > ? ORDER BY at").all(last);
      last = Number(rows.at(-1)?.at ?? last);
      return rows.map(({ value, token, id }): Row => [Number(value), String(token), String(id)]);
    },
    async hold(ms) {
      const other = new DatabaseSync(leases, { timeout: 50 });
      try {
        other.exec("BEGIN EXCLUSIVE");
        await pass(ms);
        other.exec("ROLLBACK");
      } catch {
        // A member that was stopped inside its transaction holds it already.
      } finally {
        other.close();
      }
    },
    kill: null,
    async remove() {
      database.close();
    },
  };
}

export async function postgresStore(keyFile: string, group: string): Promise<DrawnStore> {
  const server = await PostgresServer.create();
  await server.sql("CREATE TABLE counter (at bigserial PRIMARY KEY, value bigint, token text, id text)");
  const pool = new pg.Pool({ ...server.client(), max: 6 });
  // Connections end with the server; their users get an error too.
  pool.on("error", () => {});
  const guard = postgresGuard({ keys: loadGuardKeys(keyFile, group), seat: "leader" });
  let last = "0";
  return {
    lease: server.url(),
    env: { PGPASSWORD: server.password },
    get pids() {
      return server.pids;
    },
    async write(fence, id) {
      try {
        await guard.guarded(pool, fence, async (client) => {
          const { rows } = await client.query("SELECT max(value) AS value FROM counter");
          const values = [Number(rows[0].value ?? 0) + 1, tokenOf(fence), id];
          await client.query("INSERT INTO counter (value, token, id) VALUES ($1, $2, $3)", values);
        });
        return "written";
      } catch (error) {
        return outcomeOf(error);
      }
    },
    async rows() {
      const text = "SELECT at, value, token, id FROM counter WHERE at > $1 ORDER BY at";
      const { rows } = await pool.query(text, [last]);
      last = rows.at(-1)?.at ?? last;
      return rows.map(({ value, token, id }): Row => [Number(value), token, id]);
    },
    async hold(ms) {
      server.pause();
      await pass(ms);
      if (server.isRunning) server.resume();
    },
    async kill(downMs) {
      await server.kill();
      await pass(downMs);
      await server.start();
    },
    async remove() {
      if (server.isRunning) await server.kill();
      await pool.end().catch(() => {});
      await server.remove();
    },
  };
}
