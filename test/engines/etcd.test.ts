/** What is etcd's own about its engine: endpoints, users, and clusters. */
import { afterEach, describe, expect, test } from "vitest";
import type { LeaseEngine } from "../../src/live/engines/engine.ts";
import { EtcdClient, etcdAddress } from "../../src/live/engines/etcd.ts";
import { openEngine } from "../../src/live/engines/open.ts";
import { realWorld } from "../../src/live/real-world.ts";
import { isLong } from "../support/effort.ts";
import { freePort } from "../support/ports.ts";
import { ETCD, etcdCluster, etcdServer, withServer } from "../support/private-server.ts";
import { life } from "../support/register.ts";

/** Milliseconds: longer than the slowest machine takes for a test. */
const TTL = 600_000;
const [A, B] = [life("A", 1, TTL), life("B", 2, TTL)];
const granted = { kind: "granted" };

describe("an address", () => {
  test("is shown without the password", () => {
    expect(etcdAddress("etcd://me:s%3Aecret@a:1,b/apps?tls=on")).toMatchObject({
      name: "etcd://a:1,b/apps",
      endpoints: ["https://a:1", "https://b:2379"],
      user: "me",
      password: "s:ecret",
      prefix: "apps",
    });
  });

  test.each([
    ["etcd://", "must look like etcd://HOST"],
    ["etcd://me:secret@a b", "is no host of etcd"],
    ["etcd://a?cas=x", 'has "cas", which is none of tls, ca'],
    ["etcd://a?ca=none.pem", "ca: cannot read none.pem"],
    ["etcd://a?tls=off", "tls=on asks for TLS"],
  ])("%s is refused in words", (address, words) => {
    expect(() => etcdAddress(address)).toThrow(words);
    expect(() => etcdAddress(address)).not.toThrow("secret");
  });
});

await withServer("leases in etcd", ETCD, etcdServer, (server) => {
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

  test("an endpoint where nothing listens is left out; where all are, it is said", async () => {
    const dead = `127.0.0.1:${await freePort()}`;
    const engine = await open(`etcd://${dead},${server.place}`, "endpoints");
    expect(engine.trouble).toBeUndefined();
    expect(await engine.ask(A.acquire("leader", "A1"))).toMatchObject(granted);
    expect((await open(`etcd://${dead}`, "endpoints")).trouble).toContain(`nothing listens at ${dead}`);
  });

  test("a user with the right to the prefix is let in; a wrong password and a missing right are said in words", async () => {
    const etcd = new EtcdClient(`etcd://${server.place}`);
    const key = Buffer.from("sortition/").toString("base64");
    const perm = { permType: "READWRITE", key, range_end: Buffer.from("sortition0").toString("base64") };
    await etcd.post("/v3/auth/user/add", { name: "root", password: "r" });
    await etcd.post("/v3/auth/user/grant", { user: "root", role: "root" });
    await etcd.post("/v3/auth/user/add", { name: "member", password: "m" });
    await etcd.post("/v3/auth/role/add", { name: "leases" });
    await etcd.post("/v3/auth/role/grant", { name: "leases", perm });
    await etcd.post("/v3/auth/enable", {});
    try {
      const refused = (address: string) => open(address, "users").then(({ trouble }) => trouble);
      expect(await refused(`etcd://member:wrong@${server.place}`)).toContain('does not let the user "member" in');
      expect(await refused(`etcd://${server.place}`)).toContain("lacks a right for members without a user");
      expect(await refused(`etcd://member:m@${server.place}`)).toContain('lacks a right for the user "member"');
      const root = new EtcdClient(`etcd://root:r@${server.place}`);
      await root.post("/v3/auth/user/grant", { user: "member", role: "leases" });
      const engine = await open(`etcd://member:m@${server.place}`, "users");
      expect(await engine.ask(A.acquire("leader", "A1"))).toMatchObject(granted);
      // A token of etcd's does not outlive the server.
      await server.kill();
      await server.start();
      await until(engine, () => A.renew()).toMatchObject({ kind: "renewed" });
      await until(engine, () => A.look()).toMatchObject({ kind: "seen" });
    } finally {
      await new EtcdClient(`etcd://root:r@${server.place}`).post("/v3/auth/disable", {});
    }
  });
});

if (isLong)
  await withServer("leases in three etcd servers", ETCD, etcdServer, () => {
    test("three servers: each is killed in turn, and leases go on", async () => {
      const servers = await etcdCluster(3);
      const address = `etcd://${servers.map(({ place }) => place).join()}`;
      const engine = await openEngine(address, { group: "g", requestTimeout: 2000, migrate: true, world: realWorld });
      const poll = (ask: () => Parameters<LeaseEngine["ask"]>[0]) =>
        expect.poll(() => engine.ask(ask()).catch((error: Error) => error.message), { timeout: 60_000 });
      try {
        await poll(() => A.acquire("leader", "A1")).toMatchObject(granted);
        for (const server of servers) {
          await server.kill();
          await poll(() => A.renew()).toMatchObject({ kind: "renewed", leases: [{ lease: "A1" }] });
          await poll(() => B.acquire("leader", "B1")).toMatchObject({ kind: "denied", why: "held" });
          await server.start();
        }
      } finally {
        await engine.close();
        await Promise.all(servers.map((server) => server.close()));
      }
    });
  });
