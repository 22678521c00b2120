/** What is PostgreSQL's own about its engine: rights, first use, time-outs, servers that go and come. */
import { afterEach, describe, expect, test } from "vitest";
import type { LeaseEngine } from "../../src/live/engines/engine.ts";
import { postgresEngine } from "../../src/live/engines/postgres.ts";
import { postgresAddress } from "../../src/live/engines/postgres-address.ts";
import { migrationSql } from "../../src/live/engines/postgres-table.ts";
import { realWorld } from "../../src/live/real-world.ts";
import type { LeaseRequest } from "../../src/protocols/lease/messages.ts";
import { life } from "../support/register.ts";
import { withPostgres } from "../support/with-postgres.ts";

await withPostgres("leases in PostgreSQL", (server) => {
  const open: LeaseEngine[] = [];
  afterEach(async () => {
    await Promise.all(open.splice(0).map((engine) => engine.close()));
  });

  interface Opening {
    readonly user?: string;
    readonly password?: string;
    readonly database?: string;
    readonly query?: string;
    readonly group?: string;
    readonly migrate?: boolean;
    readonly requestTimeout?: number;
  }

  async function engine(opening: Opening = {}): Promise<LeaseEngine> {
    const { user, password = server.password, database, query = "", group = "g" } = opening;
    const { migrate = true, requestTimeout = 30_000 } = opening;
    const address = postgresAddress(server.url(database, user) + query, { PGPASSWORD: password });
    const made = await postgresEngine({ address, group, requestTimeout, migrate, world: realWorld });
    open.push(made);
    return made;
  }

  let databases = 0;
  async function freshDatabase(): Promise<string> {
    const name = `d${databases++}`;
    await server.sql(`CREATE DATABASE ${name}`);
    return name;
  }

  /** Milliseconds: longer than the slowest machine takes for a test. */
  const TTL = 600_000;
  const A = life("A", 1, TTL);
  const B = life("B", 2, TTL);
  /** Of what must happen sooner or later. */
  const LIMIT = { timeout: 40_000 };
  /** An engine with few milliseconds for a request: a busy machine may need more at first. */
  const until = (engine: LeaseEngine, request: () => LeaseRequest) =>
    expect.poll(() => engine.ask(request()).catch((error: Error) => error.message), LIMIT);

  describe("first use", () => {
    test("twelve members that start at once in an empty database all get on", async () => {
      const database = await freshDatabase();
      const engines = await Promise.all(Array.from({ length: 12 }, () => engine({ database })));
      const answers = await Promise.all(engines.map((each) => each.ask(A.look())));
      expect(answers.map(({ kind }) => kind)).toEqual(Array(12).fill("seen"));
    });

    test("with the table there, a role needs the schema and that table", async () => {
      const database = await freshDatabase();
      await server.sql(migrationSql("app"), undefined, database);
      await server.sql("CREATE ROLE worker LOGIN PASSWORD 'w'", undefined, database);
      const opening = { database, user: "worker", password: "w", query: "?schema=app" };
      await expect((await engine(opening)).ask(A.look())).rejects.toThrow(
        /role "worker" lacks a right.*GRANT USAGE ON SCHEMA app/,
      );
      await server.sql("GRANT USAGE ON SCHEMA app TO worker", undefined, database);
      await expect((await engine(opening)).ask(A.look())).rejects.toThrow("permission denied for table sortition_rows");
      const grant = "GRANT SELECT, INSERT, UPDATE, DELETE ON app.sortition_rows TO worker";
      await server.sql(grant, undefined, database);
      expect(await (await engine(opening)).ask(A.acquire("leader", "A1"))).toMatchObject({ kind: "granted" });
    });

    test("a role that may not make tables is told what to do, and so is one that was told not to make them", async () => {
      const database = await freshDatabase();
      await server.sql("CREATE ROLE guest LOGIN PASSWORD 'g'");
      const guest = await engine({ database, user: "guest", password: "g" });
      await expect(guest.ask(A.look())).rejects.toThrow(/role "guest" lacks a right .*sortition lease sql/);
      await expect(engine({ database, migrate: false })).rejects.toThrow(
        /has no table of leases in schema "sortition".*sortition lease sql/,
      );
    });

    test("rows of a newer version, and tables of an older one, are refused", async () => {
      const database = await freshDatabase();
      await (await engine({ database })).ask(A.look());
      const newer = JSON.stringify({ v: 2, nonce: "", at: 0, row: {} });
      await server.sql("INSERT INTO sortition.sortition_rows VALUES ('g', 'group', $1)", [newer], database);
      await expect(engine({ database })).rejects.toThrow("has rows of version 2, and this Sortition knows 1");
      await server.sql("CREATE SCHEMA former; CREATE TABLE former.sortition_version ()", undefined, database);
      await expect(engine({ database, query: "?schema=former" })).rejects.toThrow(
        "tables of leases of an older Sortition",
      );
    });
  });

  describe("a request", () => {
    test("is committed to disk and reads what is committed, whatever the defaults of the database are", async () => {
      const database = await freshDatabase();
      await server.sql(
        `ALTER DATABASE ${database} SET synchronous_commit = off;
        ALTER DATABASE ${database} SET default_transaction_isolation = 'serializable'`,
      );
      await (await engine({ database })).ask(A.look());
      await server.sql(
        `CREATE TABLE noted (how text);
        CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
          INSERT INTO noted VALUES (current_setting('synchronous_commit') || ' ' || current_setting('transaction_isolation'));
          RETURN NULL;
        END $$;
        CREATE TRIGGER note AFTER INSERT ON sortition.sortition_rows EXECUTE FUNCTION note()`,
        undefined,
        database,
      );
      expect(await (await engine({ database })).ask(A.acquire("leader", "A1"))).toMatchObject({ kind: "granted" });
      const noted = await server.sql("SELECT DISTINCT how FROM noted", undefined, database);
      expect(noted).toEqual([{ how: "on read committed" }]);
    });

    test("that waits for a lock ends in time, at the server too, and the next one is answered", async () => {
      const made = await engine({ requestTimeout: 400 });
      await until(made, () => A.acquire("leader", "A1")).toMatchObject({ kind: "granted" });
      const locked = await server.locking("SELECT FROM sortition.sortition_rows FOR UPDATE");
      await expect(made.ask(A.renew())).rejects.toThrow(
        /did not finish in time|no answer within|did not answer within/,
      );
      const waiting = "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'";
      await expect.poll(() => server.sql(waiting), LIMIT).toEqual([]);
      await locked.release();
      await until(made, () => A.renew()).toMatchObject({ kind: "renewed" });
    });

    test("that waits longer than its lease prolongs nothing: the lease counts from before the wait", async () => {
      const group = "waiting";
      const made = await engine({ group });
      const [short, other] = [life("A", 1, 300), life("B", 2, 300)];
      expect(await made.ask(short.acquire("leader", "A1"))).toMatchObject({ kind: "granted" });
      const locked = await server.locking("SELECT FROM sortition.sortition_rows WHERE grp = 'waiting' FOR UPDATE");
      const renewed = made.ask(short.renew());
      await server.sql("SELECT pg_sleep(0.35)");
      await locked.release();
      await renewed;
      expect(await made.ask(other.acquire("leader", "B1"))).toMatchObject({ kind: "granted" });
      expect(await made.ask(short.renew())).toMatchObject({ kind: "ended" });
    });
  });

  describe("a server that", () => {
    test("is down at start is asked again, and says why meanwhile", async () => {
      await (await engine()).ask(A.look());
      await server.stop();
      const made = await engine();
      await expect(made.ask(B.look())).rejects.toThrow(`nothing listens at 127.0.0.1:${server.port}`);
      await expect(made.ask(B.look())).rejects.toThrow("nothing listens");
      await server.start();
      await until(made, () => B.look()).toMatchObject({ kind: "seen" });
    });

    test("is killed loses nothing that was answered, bars new grants for a TTL, and lets holders renew", async () => {
      const group = "killed";
      const made = await engine({ group });
      const granted = await made.ask(A.acquire("leader", "A1"));
      await server.kill();
      await expect(made.ask(A.renew())).rejects.toThrow();
      await server.start();
      await until(made, () => A.renew()).toMatchObject({
        kind: "renewed",
        leases: [{ lease: "A1", token: (granted as { token: number }).token }],
      });
      expect(await made.ask(B.acquire("other", "B1"))).toMatchObject({ kind: "denied", why: "barred" });
    });

    test("is paused costs a timeout, and nothing once it continues", async () => {
      const made = await engine({ requestTimeout: 300 });
      await until(made, () => A.look()).toMatchObject({ kind: "seen" });
      server.pause();
      try {
        // Less is left for the answer where a connection had to be found first.
        const late = /(no answer|did not answer) within (2\d\d|300) ms/;
        await expect(made.ask(A.look())).rejects.toThrow(late);
        await expect(made.ask(A.look())).rejects.toThrow(late);
      } finally {
        server.resume();
      }
      await until(made, () => A.look()).toMatchObject({ kind: "seen" });
    });

    test("was put back to an old copy repeats no token, and bars grants for a TTL", async () => {
      const made = await engine({ group: "restored" });
      const tokenOf = async (lease: string) => {
        const answer = await made.ask(A.acquire("leader", lease));
        expect(answer.kind).toBe("granted");
        return (answer as { token: number }).token;
      };
      const first = await tokenOf("A1");
      const copy = server.copy();
      await made.ask(A.release("leader", "A1", first));
      const second = await tokenOf("A2");
      expect(second).toBeGreaterThan(first);
      await server.restore(copy);
      await until(made, () => B.acquire("other", "B1")).toMatchObject({ kind: "denied", why: "barred" });
      // As if the bar and A1, which is there again, had expired.
      await server.sql(
        `UPDATE sortition.sortition_rows SET text = jsonb_set(text::jsonb, '{row,barred}', 'null')::text WHERE key = 'group';
        UPDATE sortition.sortition_rows SET text = jsonb_set(text::jsonb, '{row,expires,at}', '1')::text WHERE key LIKE 'session/%'`,
      );
      const third = await made.ask(B.acquire("leader", "B2"));
      expect(third).toMatchObject({ kind: "granted" });
      expect((third as { token: number }).token).toBeGreaterThan(second);
    });

    test("refuses the password says so, without the password", async () => {
      const made = await engine({ password: "hunter2" });
      // Known from the start: a follower asks nothing before it wins.
      expect(made.trouble).toContain('the password of role "sortition" is not accepted');
      const refused = await made.ask(A.look()).catch((error: Error) => error.message);
      expect(refused).toBe(
        'the password of role "sortition" is not accepted; PGPASSWORD or the lease file must have the right one',
      );
      const none = await engine({ password: "" });
      await expect(none.ask(A.look())).rejects.toThrow('asks for a password of role "sortition"');
    });

    test("a connection that came to nothing is closed: the server would keep it for a minute, and so would the process", async () => {
      const sockets = () => process.getActiveResourcesInfo().filter((name) => name === "TCPSocketWrap").length;
      const before = sockets();
      const none = await engine({ password: "" });
      await none.close();
      await expect.poll(sockets, LIMIT).toBeLessThanOrEqual(before);
    });
  });
});
