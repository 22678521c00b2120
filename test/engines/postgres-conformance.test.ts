import pg from "pg";
import type { LeaseEngine } from "../../src/live/engines/engine.ts";
import { postgresEngine } from "../../src/live/engines/postgres.ts";
import { postgresAddress } from "../../src/live/engines/postgres-address.ts";
import { realWorld } from "../../src/live/real-world.ts";
import type { PostgresServer } from "../support/postgres-server.ts";
import { withPostgres } from "../support/with-postgres.ts";
import type { Bench } from "./bench.ts";
import { conformance } from "./conformance.ts";

/** In place of the clock of the server and of what tells one start of it from another. */
const CONTROLS = `
CREATE TABLE sortition.controls (now bigint, incarnation text);
INSERT INTO sortition.controls VALUES (0, '');
CREATE OR REPLACE FUNCTION sortition.sortition_now() RETURNS bigint LANGUAGE sql
  RETURN (SELECT now FROM sortition.controls);
CREATE OR REPLACE FUNCTION sortition.sortition_incarnation() RETURNS text LANGUAGE sql
  RETURN (SELECT incarnation FROM sortition.controls);
`;

const TABLES = ["groups", "sessions", "seats", "records"].map((name) => `sortition.sortition_${name}`);

async function bench(server: PostgresServer): Promise<Bench> {
  const address = postgresAddress(server.url(), { PGPASSWORD: server.password });
  const open = (group: string): Promise<LeaseEngine> =>
    postgresEngine({ address, group, requestTimeout: 30_000, migrate: true, world: realWorld });
  const first = await open("first");
  await first.ask({ kind: "look", id: 1, life: 1 });
  await first.close();
  const control = new pg.Client(server.client());
  await control.connect();
  await control.query(CONTROLS);
  // Connections are kept from one engine to the next: making them takes longer than most tests.
  const engines = await Promise.all([0, 1, 2].map(() => open("g")));
  return {
    name: "PostgreSQL",
    slack: 0,
    speed: "disk",
    async begin() {
      await control.query(TABLES.map((table) => `DELETE FROM ${table}`).join(";"));
      let [now, starts] = [1_000_000, 0];
      const set = () => control.query("UPDATE sortition.controls SET now = $1, incarnation = $2", [now, starts]);
      await set();
      return {
        ask: (request, connection = 0) => engines[connection].ask(request),
        async turn(ms) {
          now += ms;
          await set();
        },
        stamp: () => now,
        async restart() {
          starts++;
          await set();
        },
        async snapshot() {
          for (const table of TABLES) {
            const copy = `${table.replace("sortition.", "")}_copy`;
            await control.query(
              `DROP TABLE IF EXISTS pg_temp.${copy}; CREATE TEMP TABLE ${copy} AS SELECT * FROM ${table}`,
            );
          }
        },
        async restore() {
          for (const table of TABLES) {
            const copy = `${table.replace("sortition.", "")}_copy`;
            await control.query(`DELETE FROM ${table}; INSERT INTO ${table} SELECT * FROM pg_temp.${copy}`);
          }
        },
        end: async () => {},
      };
    },
    async end() {
      await Promise.all(engines.map((engine) => engine.close()));
      await control.end();
    },
  };
}

await withPostgres("the conformance of leases in PostgreSQL", async (server) => conformance(await bench(server)));
