/** Connections to PostgreSQL that fail, by a package that does what the test says, in virtual time. */
import { expect, test } from "vitest";
import { InputError } from "../../errors.ts";
import { VirtualNetwork } from "../virtual-world.ts";
import { postgresAddress } from "./postgres-address.ts";
import { type Pg, PostgresConnections } from "./postgres-pool.ts";

function scene(requestTimeout = 5000) {
  const network = new VirtualNetwork(1);
  const { world } = network.machine({ host: "10.0.0.1", port: 1 });
  const log: string[] = [];
  const refused = Object.assign(new Error("no"), { code: "ECONNREFUSED" });
  let connect: () => Promise<unknown> = () => Promise.reject(refused);
  let made = 0;
  class Pool {
    readonly number = ++made;
    connect = () => connect();
    end = async () => void log.push(`pool ${this.number} ends`);
    on() {}
  }
  class Client {}
  const longest = { ...world, draws: { ...world.draws, uniform: () => 1 } };
  const address = postgresAddress("postgres://app@db.example/app", {});
  const connections = new PostgresConnections(
    { address, requestTimeout, world: longest } as never,
    {
      Pool,
      Client,
    } as unknown as Pg,
  );
  const client = { on() {}, off() {}, release: (isBroken?: boolean) => void log.push(`released ${isBroken ?? false}`) };
  return {
    network,
    connections,
    log,
    client,
    /** What comes of connections from now on. */
    give: (next: () => Promise<unknown>) => {
      connect = next;
    },
    fail: () => connections.within(1000, async () => {}).catch((error: unknown) => error),
    /** Milliseconds until connections are tried again. */
    pause: () => {
      for (let ms = 0; ; ms++) {
        try {
          connections.checkPause();
          return ms;
        } catch (error) {
          expect((error as Error).message).toContain("nothing listens at db.example:5432");
          network.runFor(1);
        }
      }
    },
  };
}

async function pauses(it: ReturnType<typeof scene>, count: number): Promise<number[]> {
  const all: number[] = [];
  for (let i = 0; i < count; i++) {
    await it.fail();
    all.push(it.pause());
  }
  return all;
}

test("after connections that fail nothing is tried for a pause, which doubles to a second, or to the time of a request", async () => {
  const it = scene();
  expect(it.pause()).toBe(0);
  expect(await pauses(it, 7)).toEqual([50, 100, 200, 400, 800, 1000, 1000]);
  expect(await pauses(scene(300), 5)).toEqual([50, 100, 200, 300, 300]);
  it.give(async () => it.client);
  await it.connections.within(1000, async () => {});
  it.give(() => Promise.reject(Object.assign(new Error("no"), { code: "ECONNREFUSED" })));
  expect(await pauses(it, 2)).toEqual([50, 100]);
});

test("a connection is given to others unless it has failed, and then no other of its time is used", async () => {
  const it = scene();
  it.give(async () => it.client);
  expect(await it.connections.within(1000, async () => 7)).toBe(7);
  const refusal = new InputError("a request that the server refuses");
  await expect(it.connections.within(1000, () => Promise.reject(refusal))).rejects.toBe(refusal);
  expect(it.log).toEqual(["released false", "released false"]);
  const broken = new Error("the connection has ended");
  await expect(it.connections.within(1000, () => Promise.reject(broken))).rejects.toBe(broken);
  expect(it.log.slice(2)).toEqual(["released true", "pool 1 ends"]);
  await it.connections.close();
  expect(it.log.at(-1)).toBe("pool 2 ends");
});

test("a connection that comes too late is given back, and an answer that comes too late is not waited for", async () => {
  const it = scene();
  let come = (_client: unknown) => {};
  it.give(() => new Promise((resolve) => (come = resolve)));
  const late = it.fail();
  it.network.runFor(1001);
  expect(String(await late)).toContain("did not answer within 1000 ms");
  come(it.client);
  await Promise.resolve();
  expect(it.log).toEqual(["pool 1 ends", "released true"]);
  it.give(async () => it.client);
  const never = it.connections.within(1000, () => new Promise(() => {})).catch((error: unknown) => error);
  for (let i = 0; i < 5; i++) await Promise.resolve();
  it.network.runFor(1001);
  expect(String(await never)).toContain("did not answer within 1000 ms");
  expect(it.log.slice(2)).toEqual(["released true", "pool 2 ends"]);
});
