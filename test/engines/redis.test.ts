/** What is Redis's own about its engine: passwords, append-only files, servers that are killed, emptied and promoted. */
import { afterEach, describe, expect, test } from "vitest";
import type { LeaseEngine } from "../../src/live/engines/engine.ts";
import { openEngine } from "../../src/live/engines/open.ts";
import { loadRedis, redisAddress } from "../../src/live/engines/redis.ts";
import { realWorld } from "../../src/live/real-world.ts";
import { isLong } from "../support/effort.ts";
import { REDIS, redisServer, withServer } from "../support/private-server.ts";
import { life } from "../support/register.ts";

/** Milliseconds: longer than the slowest machine takes for a test. */
const TTL = 600_000;
const [A, B] = [life("A", 1, TTL), life("B", 2, TTL)];
const granted = { kind: "granted" };
const barred = { kind: "denied", why: "barred" };
const PASSWORD = "correct";

describe("an address", () => {
  test("is shown without the password", () => {
    expect(redisAddress("rediss://me:secret@db.example/3")).toMatchObject({
      name: "rediss://db.example:6379/3",
      user: "me",
      password: "secret",
      database: 3,
    });
  });

  test.each([
    ["redis://:secret@db:port", "must be a URL"],
    ["redis://db/x", '"x" is no number of a Redis database'],
    ["redis://db?ca=a.pem", "certificates are for rediss://"],
    ["rediss://db?sslmode=on", 'has "sslmode", which is none of ca, cert, key'],
  ])("%s is refused in words", (address, words) => {
    expect(() => redisAddress(address)).toThrow(words);
    expect(() => redisAddress(address)).not.toThrow("secret");
  });
});

const engines: LeaseEngine[] = [];
afterEach(async () => {
  await Promise.all(engines.splice(0).map((engine) => engine.close()));
});
async function open(address: string, group: string, requestTimeout = 20_000): Promise<LeaseEngine> {
  const engine = await openEngine(address, { group, requestTimeout, migrate: true, world: realWorld });
  engines.push(engine);
  return engine;
}
const until = (engine: LeaseEngine, ask: () => Parameters<LeaseEngine["ask"]>[0]) =>
  expect.poll(() => engine.ask(ask()).catch((error: Error) => error.message), { timeout: 40_000 });

const withPassword = () => redisServer(["--appendonly", "yes", "--requirepass", PASSWORD]);
await withServer("leases in Redis", REDIS, withPassword, (server) => {
  const address = `redis://:${PASSWORD}@${server.place}`;

  test("a wrong password, or none, is said in words without it", async () => {
    const { trouble } = await open(`redis://:hunter2@${server.place}`, "g");
    expect(trouble).toContain("does not accept the password of the default user");
    expect(trouble).not.toContain("hunter2");
    expect((await open(`redis://${server.place}`, "g")).trouble).toContain("asks for a password");
  });

  test("killed, it has lost nothing; grants are barred for one TTL, and holders go on", async () => {
    const engine = await open(address, "killed");
    expect(await engine.ask(A.acquire("leader", "A1"))).toMatchObject(granted);
    await server.kill();
    await expect(engine.ask(A.renew())).rejects.toThrow();
    await expect(engine.ask(A.renew())).rejects.toThrow(`nothing listens at ${server.place}`);
    await server.start();
    await until(engine, () => A.renew()).toMatchObject({ kind: "renewed", leases: [{ lease: "A1" }] });
    expect(await engine.ask(B.acquire("other", "B1"))).toMatchObject(barred);
  });

  test("emptied under a member that runs, it grants nothing for one TTL, and repeats no token", async () => {
    const engine = await open(address, "emptied");
    const { token } = (await engine.ask(A.acquire("leader", "A1"))) as { token: number };
    const client = (await loadRedis()).createClient({ url: address });
    await client.connect();
    await client.flushAll();
    client.destroy();
    expect(await engine.ask(A.renew())).toMatchObject({ kind: "ended" });
    expect(await engine.ask(B.acquire("leader", "B1", { floor: token }))).toMatchObject({ ...barred, token });
  });
});

await withServer(
  "leases in Redis without a file",
  REDIS,
  () => redisServer([]),
  (server) => {
    test("without an append-only file a new group waits for one TTL: it may be one that was forgotten", async () => {
      const engine = await open(`redis://${server.place}`, "new");
      const answer = (await engine.ask(A.acquire("leader", "A1"))) as { wait: number };
      expect(answer).toMatchObject(barred);
      expect(answer.wait).toBeGreaterThan(TTL / 2);
      expect(await engine.ask(life("S", 3, 20).acquire("leader", "S1"))).toMatchObject(barred);
      const quick = await open(`redis://${server.place}`, "quick");
      const S = life("S", 3, 20);
      expect(await quick.ask(S.acquire("leader", "S1"))).toMatchObject(barred);
      await until(quick, () => S.acquire("leader", "S2", { session: "S-2" })).toMatchObject(granted);
    });

    if (isLong)
      test("a replica that is promoted grants nothing for one TTL; the old primary goes on, and tokens tell them apart", async () => {
        const primary = await redisServer();
        const replica = await redisServer(["--appendonly", "yes", "--replicaof", "127.0.0.1", String(primary.port)]);
        const client = (await loadRedis()).createClient({ url: `redis://${replica.place}` });
        try {
          const old = await open(`redis://${primary.place}`, "g");
          expect(await old.ask(A.acquire("leader", "A1"))).toMatchObject(granted);
          await client.connect();
          await expect.poll(() => client.hLen("sortition:{g}"), { timeout: 40_000 }).toBeGreaterThan(0);
          const refused = await open(`redis://${replica.place}`, "g");
          await expect(refused.ask(B.acquire("other", "B0"))).rejects.toThrow("this Redis is a replica");
          await client.sendCommand(["REPLICAOF", "NO", "ONE"]);
          const promoted = await open(`redis://${replica.place}`, "g");
          expect(await promoted.ask(B.acquire("other", "B1"))).toMatchObject(barred);
          expect(await promoted.ask(A.renew())).toMatchObject({ kind: "renewed" });
          // Nobody told the old primary.
          expect(await old.ask(B.acquire("other", "B1"))).toMatchObject(granted);
        } finally {
          client.destroy();
          await Promise.all(engines.splice(0).map((engine) => engine.close()));
          await Promise.all([primary.close(), replica.close()]);
        }
      });
  },
);
