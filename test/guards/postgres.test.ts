import pg from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { InputError } from "../../src/errors.ts";
import { postgresGuard } from "../../src/live/guards/postgres.ts";
import { postgresStore } from "../../src/live/guards/sql-stores.ts";
import { admit } from "../../src/live/guards/store.ts";
import { withPostgres } from "../support/with-postgres.ts";
import { everyOrder } from "./interleave.ts";
import { expectFenced, FORGED, NEW, OLD, outcomeOf, RIVAL, scenarios } from "./leaders.ts";
import { fence, guarding, type Lease } from "./lease-fences.ts";
import { planted } from "./planted.ts";
import { changes } from "./planted-sql.ts";
import { LEDGER, PostgresWriter, write } from "./postgres-writer.ts";

await withPostgres("guards in PostgreSQL", (server) => {
  let clients: pg.Client[];
  let watcher: pg.Client;
  const guard = postgresGuard(guarding);

  const connect = async () => {
    clients = Array.from({ length: 3 }, () => new pg.Client(server.client()));
    for (const client of clients) await client.on("error", () => {}).connect();
    watcher = clients[0];
  };
  beforeAll(async () => {
    await connect();
    await watcher.query(LEDGER);
  });
  afterAll(() => Promise.all(clients.map((client) => client.end())));
  beforeEach(() => watcher.query("DROP TABLE IF EXISTS sortition_guards; TRUNCATE ledger"));

  const ledger = async (): Promise<Lease[]> =>
    (await watcher.query("SELECT token, lease FROM ledger ORDER BY number")).rows.map((row) => ({
      token: Number(row.token),
      lease: row.lease,
    }));
  const put = (lease: Lease, text = fence(lease)) => outcomeOf(() => guard.guarded(watcher, text, write(lease)));

  async function orders(scenario: (typeof scenarios)[number], changed?: (text: string) => string): Promise<number> {
    await guard.prepare(watcher);
    return everyOrder(
      async () => {
        await watcher.query("TRUNCATE ledger, sortition_guards");
        for (const lease of scenario.before) await put(lease);
        return {
          writers: scenario.writers.map(
            (lease, index) => new PostgresWriter(clients[index + 1], watcher, guard, lease, changed),
          ),
        };
      },
      async (run, order) => {
        const outcomes = await Promise.all(run.writers.map(({ outcome }) => outcome));
        expectFenced(scenario, await ledger(), outcomes, order);
      },
    );
  }

  describe("in every order of their statements", () => {
    test.each(scenarios)("$name", async (scenario) => {
      expect(await orders(scenario)).toBeGreaterThan(20);
    });

    test.each(planted)("planted and caught: $bug", async ({ bug, scenario }) => {
      await expect(orders(scenario, changes[bug])).rejects.toThrow();
      // What stopped half-way must not stay.
      await Promise.all(clients.map((client) => client.end()));
      await connect();
    });
  });

  test("a paused old leader is refused, and told of the newest token; so is a rival; the newest goes on", async () => {
    expect([await put(OLD), await put(NEW)]).toEqual(["written", "written"]);
    expect(await put(OLD)).toMatchObject({ code: "old", newest: 6n });
    expect(await put(RIVAL)).toMatchObject({ code: "rival", newest: 6n });
    expect(await put(NEW)).toBe("written");
    expect(await ledger()).toEqual([OLD, NEW, NEW]);
  });

  test("a forged token of 2^62 is refused and not remembered; so is none", async () => {
    expect(await put(OLD, FORGED)).toMatchObject({ code: "forged", newest: null });
    expect(await put(OLD, "")).toMatchObject({ code: "missing" });
    expect(await put(OLD)).toBe("written");
    expect(await put(OLD, FORGED)).toMatchObject({ code: "forged" });
    expect(await put(OLD)).toBe("written");
  });

  test("after kill -9 of the server the guard remembers, whatever synchronous_commit is", async () => {
    await watcher.query("SET synchronous_commit = off");
    await put(NEW);
    await server.kill();
    await server.start();
    await connect();
    expect(await put(OLD)).toMatchObject({ code: "old", newest: 6n });
    const inside = guard.guarded(watcher, fence(NEW), async (client) => {
      return (await client.query("SHOW synchronous_commit")).rows[0].synchronous_commit;
    });
    expect(await inside).toBe("on");
  });

  test("the commit waits for the disk where the session's do not, and only this one", async () => {
    const shown = async () => (await watcher.query("SHOW synchronous_commit")).rows[0].synchronous_commit;
    for (const [set, within] of [
      ["off", "on"],
      ["remote_apply", "remote_apply"],
    ]) {
      await watcher.query(`SET synchronous_commit = ${set}`);
      expect(await guard.guarded(watcher, fence(NEW), shown)).toBe(within);
      expect(await shown()).toBe(set);
    }
    await watcher.query("RESET synchronous_commit");
  });

  test("an old leader that was paused inside its transaction keeps the new one waiting only so long, and writes nothing", async () => {
    const impatient = postgresGuard({ ...guarding, idleMs: 1000 });
    const [, old, young] = clients;
    let wake = () => {};
    const paused = new Promise<void>((resolve) => {
      wake = resolve;
    });
    let inside = () => {};
    const entered = new Promise<void>((resolve) => {
      inside = resolve;
    });
    const stuck = impatient.guarded(old, fence(OLD), async (client) => {
      inside();
      await paused;
      await write(OLD)(client);
    });
    await Promise.race([entered, stuck]);
    await guard.guarded(young, fence(NEW), write(NEW));
    wake();
    await expect(stuck).rejects.toThrow();
    expect(await ledger()).toEqual([NEW]);
    await connect();
  });

  test("work that swallows a failed statement is told that nothing was written", async () => {
    const swallowed = guard.guarded(watcher, fence(OLD), async (client) => {
      await write(OLD)(client);
      await client.query("SELECT 1 / 0").catch(() => {});
    });
    await expect(swallowed).rejects.toThrow("nothing was written");
    expect(await ledger()).toEqual([]);
    expect(await put(NEW)).toBe("written");
  });

  test("work that fails leaves neither its writes nor its token behind", async () => {
    const failing = guard.guarded(watcher, fence(NEW), async (client) => {
      await write(NEW)(client);
      throw new Error("the work failed");
    });
    await expect(failing).rejects.toThrow("the work failed");
    expect(await put(OLD)).toBe("written");
  });

  test("a pool gives a connection for the work and takes it back, also after a refusal; many writers make the table at once", async () => {
    const pool = new pg.Pool({ ...server.client(), max: 8 });
    const several = Array.from({ length: 20 }, () => outcomeOf(() => guard.guarded(pool, fence(NEW), write(NEW))));
    expect(new Set(await Promise.all(several))).toEqual(new Set(["written"]));
    expect(await outcomeOf(() => guard.guarded(pool, fence(OLD), write(OLD)))).toMatchObject({ code: "old" });
    expect(pool.idleCount).toBe(pool.totalCount);
    await pool.end();
    expect(await ledger()).toHaveLength(20);
  });

  test("where transactions are serializable, who comes too late is refused or has to try again, and never writes", async () => {
    const [, one, other] = clients;
    for (const client of [one, other]) await client.query("SET default_transaction_isolation = serializable");
    await put(OLD);
    let race: Promise<unknown> = Promise.resolve();
    await guard.guarded(one, fence(NEW), async (client) => {
      race = guard.guarded(other, fence(OLD), write(OLD)).catch((error) => error.code);
      await write(NEW)(client);
    });
    expect(["old", "40001"]).toContain(await race);
    expect(await ledger()).toEqual([OLD, NEW]);
    for (const client of [one, other]) await client.query("RESET default_transaction_isolation");
  });

  test("the caller's own transaction: admitted first, refused where it is old", async () => {
    await guard.prepare(watcher);
    await watcher.query("BEGIN");
    expect(await guard.admit(watcher, fence(NEW))).toMatchObject({ token: 6n, group: "jobs", seat: "leader" });
    await watcher.query("COMMIT");
    await watcher.query("BEGIN");
    expect(await outcomeOf(() => guard.admit(watcher, fence(OLD)))).toMatchObject({ code: "old" });
    await watcher.query("ROLLBACK");
  });

  test("a role needs no more than to select, insert and update; where it may not make the table it says how", async () => {
    await watcher.query("CREATE ROLE writer LOGIN PASSWORD 'not a secret'; GRANT INSERT, SELECT ON ledger TO writer");
    await watcher.query("GRANT USAGE ON ledger_number_seq TO writer");
    const writer = new pg.Client({ ...server.client(), user: "writer" });
    await writer.connect();
    const first = guard.guarded(writer, fence(NEW), write(NEW));
    await expect(first).rejects.toThrow(InputError);
    await expect(guard.guarded(writer, fence(NEW), write(NEW))).rejects.toThrow("CREATE TABLE IF NOT EXISTS");
    const careful = postgresGuard({ ...guarding, migrate: false });
    await expect(careful.guarded(watcher, fence(NEW), write(NEW))).rejects.toThrow("CREATE TABLE IF NOT EXISTS");
    await watcher.query(`${guard.sql.table}; GRANT SELECT, INSERT, UPDATE ON sortition_guards TO writer`);
    await guard.guarded(writer, fence(NEW), write(NEW));
    await writer.end();
    expect(await ledger()).toEqual([NEW]);
  });

  test("a table of a later version stops this one", async () => {
    await put(OLD);
    await watcher.query("ALTER TABLE sortition_guards DROP CONSTRAINT sortition_guards_version_check");
    await watcher.query("ALTER TABLE sortition_guards ADD CHECK (version = 2) NOT VALID");
    await expect(put(NEW)).rejects.toThrow("violates check constraint");
  });

  test("the store for admission shares the table, and its rule", async () => {
    const pool = new pg.Pool({ ...server.client(), max: 2 });
    const store = postgresStore(pool);
    const come = (lease: Lease) => outcomeOf(() => admit({ ...guarding, store }, fence(lease)));
    expect(await Promise.all([come(OLD), come(NEW), come(NEW)])).toContain("written");
    expect(await come(OLD)).toMatchObject({ code: "old", newest: 6n });
    expect(await come(RIVAL)).toMatchObject({ code: "rival" });
    expect(await come(NEW)).toBe("written");
    expect(await put(OLD)).toMatchObject({ code: "old" });
    await pool.end();
  });
});
