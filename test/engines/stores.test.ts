import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { afterEach, expect, test } from "vitest";
import type { LeaseEngine } from "../../src/live/engines/engine.ts";
import { openEngine } from "../../src/live/engines/open.ts";
import { RowEngine, type RowStore } from "../../src/live/engines/row-engine.ts";
import { Watched } from "../../src/live/engines/watched.ts";
import { realWorld } from "../../src/live/real-world.ts";
import type { LeaseAnswer, LeaseRequest } from "../../src/protocols/lease/messages.ts";
import { effort, isLong } from "../support/effort.ts";
import { life } from "../support/register.ts";
import { conformance } from "./conformance.ts";
import { rowBench } from "./row-bench.ts";
import { forEachStore, STORES } from "./stores.ts";

/** With a renewal of a kilobyte, any share of 200 records would show. */
const JOBS = effort(200, 5000);

await forEachStore("the conformance of leases", ({ name, open, port }) => {
  const bench = rowBench({ name, open: () => open("g") });
  test.each(["goes back", "is emptied"])(
    "%s under members that run: nothing is granted for one longest TTL",
    async (how) => {
      const [A, B, C] = [life("A", 1, 100), life("B", 2, 100), life("C", 3, 300)];
      const engine = await bench.begin();
      await engine.ask(A.acquire("leader", "A1"), 0);
      await engine.snapshot();
      await engine.ask(C.acquire("other", "C1"), 2);
      // All that B ever sees of the lease that is forgotten.
      await engine.ask(B.look(), 1);
      await (how === "goes back" ? engine.restore("running") : engine.empty());
      const asked = B.acquire("third", "B1");
      expect(await engine.ask(asked, 1)).toMatchObject({ kind: "denied", why: "barred", wait: 300 });
      await engine.turn(299);
      expect(await engine.ask(asked, 1)).toMatchObject({ kind: "denied", why: "barred", wait: 1 });
      await engine.turn(1);
      expect(await engine.ask(asked, 1)).toMatchObject({ kind: "granted" });
    },
  );

  test("records of many jobs make no renewal larger, and those whose time is over are removed by later jobs", async () => {
    const proxy = await countingProxy(port);
    const [A, store] = [life("A", 1, 60_000), open("many")];
    const asking = async (what: LeaseRequest) => {
      const clock = { name: "one", now: () => realWorld.now(), stamp: () => realWorld.wall() };
      const through = open("many", proxy.port);
      const engine = new RowEngine(through, new Watched(clock), { world: realWorld, requestTimeout: 20_000 });
      const before = proxy.bytes;
      const answer = await engine.ask(what);
      await engine.close();
      return { answer, bytes: proxy.bytes - before };
    };
    const granted = (await asking(A.acquire("leader", "A1"))).answer as Extract<LeaseAnswer, { kind: "granted" }>;
    const renewal = async () => (await asking(A.renew({ keeps: [{ seat: "leader", lease: "A1" }] }))).bytes;
    const few = await renewal();
    await fill(store, JOBS, 3_600_000, "kept");
    await fill(store, 40, 1, "over");
    expect(await renewal()).toBeLessThan(1.05 * few + 100);
    const isThere = async (row: string) => (await store.read(LIMIT, { row, after: "" })).texts.has(row);
    // More than a request looks through.
    expect([await isThere(`record/kept ${JOBS - 1}`), await isThere("record/over 0")]).toEqual([true, true]);
    // Later jobs take long where each is several requests.
    if (!isLong && name !== "Redis") {
      await store.close();
      proxy.close();
      return;
    }
    const clock = { name: "one", now: () => realWorld.now(), stamp: () => realWorld.wall() };
    const engine = new RowEngine(store, new Watched(clock), { world: realWorld, requestTimeout: 20_000 });
    const of = {
      seat: "leader",
      lease: "A1",
      token: granted.token,
      name: "A",
      occurrence: 0,
      repeat: null,
      attempts: 3,
    };
    const rest = new Set(Array.from({ length: 40 }, (_, number) => `record/over ${number}`));
    for (let number = 0; rest.size > 20 && number < 400; number++) {
      const key = `later ${number}`;
      const begin: LeaseRequest = { kind: "begin", id: 9, life: 1, ...of, key, attempt: key, noted: false, keep: 1 };
      expect(await engine.ask(begin)).toMatchObject({ verdict: "begun" });
      for (const row of rest) if (number % 40 === 39 && !(await isThere(row))) rest.delete(row);
    }
    expect(rest.size).toBeLessThanOrEqual(20);
    expect(await isThere(`record/kept ${JOBS - 1}`)).toBe(true);
    await engine.close();
    proxy.close();
  });

  conformance(bench);
});

const LIMIT = { signal: new AbortController().signal, left: () => 30_000 };

/** Records of jobs that are done. */
async function fill(store: RowStore, count: number, keep: number, name: string): Promise<void> {
  const at = realWorld.wall() - 1000;
  const row = {
    occurrence: 0,
    attempt: "x",
    attempts: 1,
    failures: 0,
    state: "done",
    name: "A",
    token: 1,
    status: 0,
    at,
    keep,
  };
  // etcd writes no more than 128 rows at once.
  const size = store.name.startsWith("etcd") ? 100 : count;
  for (let from = 0; from < count; from += size) {
    const keys = Array.from({ length: size }, (_, number) => `record/${name} ${from + number}`);
    const puts = new Map(keys.map((key) => [key, JSON.stringify({ v: 1, nonce: key, at, row })]));
    const { image } = await store.commit({ seen: new Map(keys.map((key) => [key, null])), puts }, LIMIT);
    expect(image).toBeNull();
  }
}

/** Counts what passes, in both directions. */
async function countingProxy(to: number) {
  const counted = { bytes: 0, port: 0, close: () => void server.close() };
  const server = createServer((socket) => {
    const on = connect(to, "127.0.0.1");
    for (const [from, into] of [
      [socket, on],
      [on, socket],
    ]) {
      from.on("data", (chunk) => (counted.bytes += chunk.length)).on("error", () => into.destroy());
      from.pipe(into);
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  counted.port = (server.address() as AddressInfo).port;
  return counted;
}

await forEachStore(
  "who only looks",
  ({ name, address }) => {
    test(`${name}: who only looks makes nothing, and is told that there is nothing`, async () => {
      const options = { group: "nobody's", requestTimeout: 10_000, migrate: false, world: realWorld };
      const engine = await openEngine(address(), options);
      expect(engine.trouble).toBeUndefined();
      const A = life("A", 1);
      expect(await engine.ask(A.look())).toMatchObject({ kind: "seen", seats: [] });
      await expect(engine.ask(A.acquire("leader", "A1"))).rejects.toThrow("this process must not make it");
      await engine.close();
    });
  },
  Object.keys(STORES).filter((name) => /NATS|Kubernetes/.test(name)),
);

/** Milliseconds: longer than the slowest machine takes for a test. */
const TTL = 600_000;

if (isLong)
  await forEachStore("stores that are killed, paused, put back and emptied", (server) => {
    const [A, B] = [life("A", 1, TTL), life("B", 2, TTL)];
    const granted = { kind: "granted" };
    const engines: LeaseEngine[] = [];
    afterEach(async () => {
      await Promise.all(engines.splice(0).map((engine) => engine.close()));
    });
    async function open(group: string, requestTimeout = 20_000): Promise<LeaseEngine> {
      const options = { group, requestTimeout, migrate: true, world: realWorld };
      const engine = await openEngine(server.address(), options);
      engines.push(engine);
      return engine;
    }
    const until = (engine: LeaseEngine, ask: () => Parameters<LeaseEngine["ask"]>[0]) =>
      expect.poll(() => engine.ask(ask()).catch((error: Error) => error.message), { timeout: 60_000 });

    test("killed, it has lost nothing; paused, it costs a timeout, and nothing once it goes on", async () => {
      const engine = await open("killed", 1000);
      await until(engine, () => A.acquire("leader", "A1")).toMatchObject(granted);
      await server.kill();
      await server.start();
      await until(engine, () => A.renew()).toMatchObject({ kind: "renewed", leases: [{ lease: "A1" }] });
      server.pause();
      try {
        // A process that is told to stop may answer once more.
        await until(engine, () => A.renew()).toSatisfy((said) => typeof said === "string");
      } finally {
        server.resume();
      }
      await until(engine, () => A.renew()).toMatchObject({ kind: "renewed", leases: [{ lease: "A1" }] });
      await until(engine, () => B.acquire("leader", "B1")).toMatchObject({ kind: "denied" });
    });

    test("put back to an old copy, or emptied, it grants nothing for one TTL, and repeats no token", async () => {
      const [engine, other] = [await open("restored"), await open("restored")];
      const first = (await engine.ask(A.acquire("leader", "A1"))) as { token: number };
      expect(first).toMatchObject(granted);
      await server.copy();
      await until(engine, () => A.release("leader", "A1", first.token)).toMatchObject({ was: true });
      // A server that bars grants when it starts again has granted nothing since.
      const second = (await engine.ask(A.acquire("leader", "A2"))) as { kind: string; token: number };
      if (second.kind === "granted") expect(second.token).toBeGreaterThan(first.token);
      await server.restore();
      await until(engine, () => B.acquire("other", "B1")).toMatchObject({ kind: "denied", why: "barred" });
      // One that was not there before knows the token by gossip.
      await until(other, () => B.acquire("leader", "B2", { floor: second.token })).toMatchObject({ kind: "denied" });
      await server.empty();
      await until(engine, () => B.acquire("third", "B3")).toMatchObject({ kind: "denied", why: "barred" });
    });
  });
