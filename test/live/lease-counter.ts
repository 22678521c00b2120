/** A counter that only the newest leader may raise, with a row for each time: what was written, under which token, in which order. */
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import type { GuardKeys } from "../../src/live/guards/keys.ts";

export type Place =
  | { readonly kind: "sqlite"; readonly file: string }
  | { readonly kind: "postgres"; readonly client: pg.ClientConfig };

export interface Entry {
  readonly token: number;
  readonly lease: string;
  readonly writer: string;
}

/** The guards as the counting process has loaded them. */
type Guards = typeof import("../../src/entries/guards.ts");

export interface Counter {
  /** Gives the number back that it has been raised to. */
  add(fence: string, entry: Entry): Promise<number>;
}

export const LEDGER = "CREATE TABLE counted (number integer PRIMARY KEY, token bigint, lease text, writer text)";
const HIGHEST = "SELECT coalesce(max(number), 0) AS highest FROM counted";

/** Short: a process that is stopped inside its transaction keeps the next leader waiting for this long. */
const IDLE_MS = 300;
const REQUEST_MS = 1000;

export function openCounter(place: Place, { sqliteGuard, postgresGuard }: Guards, keys: GuardKeys): Counter {
  if (place.kind === "sqlite") {
    const database = new DatabaseSync(place.file, { timeout: 50 });
    const guard = sqliteGuard({ keys, seat: "leader" });
    return {
      add: async (fence, { token, lease, writer }) =>
        guard.guarded(database, fence, () => {
          const number = (database.prepare(HIGHEST).get() as { highest: number }).highest + 1;
          database.prepare("INSERT INTO counted VALUES (?, ?, ?, ?)").run(number, token, lease, writer);
          return number;
        }),
    };
  }
  const limits = { connectionTimeoutMillis: REQUEST_MS, query_timeout: REQUEST_MS, statement_timeout: REQUEST_MS };
  const pool = new pg.Pool({ ...place.client, ...limits, max: 2 });
  // The server may go away while nobody uses it.
  pool.on("error", () => {});
  const guard = postgresGuard({ keys, seat: "leader", idleMs: IDLE_MS });
  return {
    add: (fence, { token, lease, writer }) =>
      guard.guarded(pool, fence, async (client) => {
        const number = Number((await client.query(HIGHEST)).rows[0].highest) + 1;
        await client.query("INSERT INTO counted VALUES ($1, $2, $3, $4)", [number, token, lease, writer]);
        return number;
      }),
  };
}
