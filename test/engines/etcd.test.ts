/** What is etcd's own about its engine: endpoints, users, TLS, and servers that are killed, emptied and restored. */
import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generate } from "selfsigned";
import { afterEach, describe, expect, test } from "vitest";
import type { LeaseEngine } from "../../src/live/engines/engine.ts";
import { EtcdClient, etcdAddress } from "../../src/live/engines/etcd.ts";
import { openEngine } from "../../src/live/engines/open.ts";
import { realWorld } from "../../src/live/real-world.ts";
import { isLong } from "../support/effort.ts";
import { freePort } from "../support/ports.ts";
import { ETCD, etcdCluster, etcdServer, type PrivateServer, withServer } from "../support/private-server.ts";
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
  const here = (group: string) => open(`etcd://${server.place}`, group);
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

  const atLength = isLong ? test : () => {};
  atLength("killed, it has lost nothing; paused, it costs a timeout, and nothing once it goes on", async () => {
    const engine = await open(`etcd://${server.place}`, "killed", 1000);
    await until(engine, () => A.acquire("leader", "A1")).toMatchObject(granted);
    await server.kill();
    await expect(engine.ask(A.renew())).rejects.toThrow(/nothing listens|closed the connection/);
    await server.start();
    await until(engine, () => A.renew()).toMatchObject({ kind: "renewed", leases: [{ lease: "A1" }] });
    server.pause();
    try {
      await expect(engine.ask(A.renew())).rejects.toThrow("did not answer within 1000 ms");
    } finally {
      server.resume();
    }
    await until(engine, () => A.renew()).toMatchObject({ kind: "renewed", leases: [{ lease: "A1" }] });
    await until(engine, () => B.acquire("leader", "B1")).toMatchObject({ kind: "denied", why: "held" });
  });

  atLength("put back to an old copy, or emptied, it grants nothing for one TTL, and repeats no token", async () => {
    const [engine, other] = [await here("restored"), await here("restored")];
    const first = (await engine.ask(A.acquire("leader", "A1"))) as { token: number };
    await server.kill("SIGTERM");
    server.copy();
    await server.start();
    await until(engine, () => A.release("leader", "A1", first.token)).toMatchObject({ was: true });
    const second = (await engine.ask(A.acquire("leader", "A2"))) as { token: number };
    expect(second.token).toBeGreaterThan(first.token);
    await server.kill("SIGTERM");
    server.restore();
    await server.start();
    await until(engine, () => B.acquire("other", "B1")).toMatchObject({ kind: "denied", why: "barred" });
    // One that was not there before knows the token by gossip.
    expect(await other.ask(B.acquire("leader", "B2", { floor: second.token }))).toMatchObject({ kind: "denied" });
    await server.kill();
    server.forget();
    await server.start();
    await until(engine, () => B.acquire("third", "B3")).toMatchObject({ kind: "denied", why: "barred" });
  });
});

async function withTls(): Promise<{ server: PrivateServer; ca: string }> {
  const pems = await generate([{ name: "commonName", value: "127.0.0.1" }], {
    keySize: 2048,
    extensions: [{ name: "subjectAltName", altNames: [{ type: 7, ip: "127.0.0.1" }] }],
  });
  const [cert, key] = ["cert", "key"].map((name) => join(tmpdir(), `sortition-etcd-${process.pid}-${name}.pem`));
  writeFileSync(cert, pems.cert);
  writeFileSync(key, pems.private, { mode: 0o600 });
  return { server: await etcdServer(["--cert-file", cert, "--key-file", key], "https"), ca: cert };
}

if (isLong)
  await withServer("leases in etcd over TLS", ETCD, etcdServer, () => {
    test("over TLS, by an authority of the user's alone", async () => {
      const { server, ca } = await withTls();
      const open = (query: string) =>
        openEngine(`etcd://${server.place}?${query}`, {
          group: "g",
          requestTimeout: 5000,
          migrate: true,
          world: realWorld,
        });
      try {
        const engine = await open(`ca=${ca}`);
        expect(await engine.ask(A.acquire("leader", "A1"))).toMatchObject(granted);
        await engine.close();
        const stranger = await open("tls=on");
        expect(stranger.trouble).toMatch(/self.signed|certificate/);
        await stranger.close();
      } finally {
        await server.close();
      }
    });

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
