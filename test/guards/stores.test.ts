/** Guards in real etcd and Redis servers: an old and a new leader in every order of their requests, with bugs planted that must be found. */
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { EtcdClient, etcdText } from "../../src/live/engines/etcd.ts";
import { loadRedis } from "../../src/live/engines/redis.ts";
import { etcdGuard } from "../../src/live/guards/etcd.ts";
import { fenceOf } from "../../src/live/guards/fence.ts";
import { redisGuard } from "../../src/live/guards/redis.ts";
import { ETCD, etcdServer, REDIS, redisServer, withServer } from "../support/private-server.ts";
import { everyOrder, Gate, type Standing } from "./interleave.ts";
import { expectFenced, FORGED, NEW, OLD, type Outcome, outcomeOf, RIVAL, type Scenario, scenarios } from "./leaders.ts";
import { fence, guarding, keys, type Lease } from "./lease-fences.ts";

/** A writer whose requests pass a gate each. */
class GatedWriter {
  readonly outcome: Promise<Outcome>;
  private readonly gate = new Gate();

  constructor(write: (pass: () => Promise<void>) => Promise<unknown>) {
    this.outcome = outcomeOf(() => write(this.gate.pass)).finally(() => this.gate.end());
    this.outcome.catch(() => {});
  }

  async step(): Promise<void> {
    this.gate.step();
  }

  async standing(): Promise<Standing> {
    for (;;) {
      const { standing } = this.gate;
      if (standing !== null) return standing;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}

interface Place {
  /** One write of that leader; `pass` comes before each request. */
  write(lease: Lease, text: string, pass: () => Promise<void>): Promise<unknown>;
  empty(): Promise<unknown>;
  /** All that was written, in its order. */
  ledger(): Promise<Lease[]>;
}

const at = async () => {};

function guards({ write, empty, ledger }: Place, least: number): void {
  beforeEach(async () => {
    await empty();
  });
  const put = (lease: Lease, text = fence(lease)) => outcomeOf(() => write(lease, text, at));

  const orders = (scenario: Scenario) =>
    everyOrder(
      async () => {
        await empty();
        for (const lease of scenario.before) await put(lease);
        return {
          writers: scenario.writers.map((lease) => new GatedWriter((pass) => write(lease, fence(lease), pass))),
        };
      },
      async ({ writers }, order) =>
        expectFenced(scenario, await ledger(), await Promise.all(writers.map(({ outcome }) => outcome)), order),
    );

  test.each(scenarios)("in every order of their requests: $name", async (scenario) => {
    expect(await orders(scenario)).toBeGreaterThanOrEqual(least);
  });

  test("an old leader is refused, and told of the newest token; so is a rival; the newest goes on", async () => {
    expect([await put(OLD), await put(NEW)]).toEqual(["written", "written"]);
    expect(await put(OLD)).toMatchObject({ code: "old", newest: 6n });
    expect(await put(RIVAL)).toMatchObject({ code: "rival", newest: 6n });
    expect(await put(NEW)).toBe("written");
    expect(await ledger()).toEqual([OLD, NEW, NEW]);
  });

  test("a forged token of 2^62 is refused and not remembered; tokens beyond 2^53 are told apart", async () => {
    expect(await put(OLD, FORGED)).toMatchObject({ code: "forged", newest: null });
    expect(await put(OLD)).toBe("written");
    const large = { token: 2 ** 53, lease: "l.1.large" };
    expect(await put(large)).toBe("written");
    const next = { seat: "leader", token: 2n ** 53n + 1n, lease: "m.1.more" };
    expect(await put({ token: 2 ** 53 + 2, lease: next.lease }, fenceOf(keys, next))).toBe("written");
    expect(await put(large)).toMatchObject({ code: "old", newest: 2n ** 53n + 1n });
  });
}

await withServer("guards in etcd", ETCD, etcdServer, ({ place }) => {
  const etcd = new EtcdClient(`etcd://${place}`);
  afterAll(() => etcd.close());
  const all = { key: "AA==", range_end: "AA==" };
  /** `spoil`: what becomes of a transaction on its way. */
  const through = (pass: () => Promise<void>, spoil = (body: object) => body) =>
    ({
      post: async (path: string, body: object) => {
        await pass();
        return etcd.post(path, spoil(body));
      },
    }) as unknown as EtcdClient;
  let number = 0;
  const store: Place = {
    write: (lease, text, pass) =>
      etcdGuard(guarding).guarded(through(pass), text, {
        puts: { [`ledger/${lease.lease} ${++number}`]: JSON.stringify(lease) },
      }),
    empty: () => etcd.post("/v3/kv/deleterange", all),
    async ledger() {
      const { kvs = [] } = await etcd.post("/v3/kv/range", { ...all, sort_target: "CREATE", sort_order: "ASCEND" });
      return kvs
        .filter(({ key }: { key: string }) => etcdText(key).startsWith("ledger/"))
        .map(({ value }: { value: string }) => JSON.parse(etcdText(value)));
    },
  };

  describe("etcd", () => {
    guards(store, 6);

    test("planted and caught: a transaction that does not compare the newest lease", async () => {
      const spoilt: Place = {
        ...store,
        write: (lease, text, pass) =>
          etcdGuard(guarding).guarded(
            through(pass, (body) => ({ ...body, compare: [] })),
            text,
            { puts: { [`ledger/${lease.lease} ${++number}`]: JSON.stringify(lease) } },
          ),
      };
      const [, scenario] = scenarios;
      const run = everyOrder(
        async () => {
          await store.empty();
          for (const lease of scenario.before) await store.write(lease, fence(lease), at);
          const writers = scenario.writers.map(
            (lease) => new GatedWriter((pass) => spoilt.write(lease, fence(lease), pass)),
          );
          return { writers };
        },
        async ({ writers }, order) =>
          expectFenced(scenario, await store.ledger(), await Promise.all(writers.map(({ outcome }) => outcome)), order),
      );
      await expect(run).rejects.toThrow("a write with an old token");
    });

    test("what the caller demands is compared in the same transaction", async () => {
      const guard = etcdGuard(guarding);
      const write = (where: Record<string, string | null>) =>
        guard.guarded(etcd, fence(NEW), { puts: { state: "b" }, where });
      expect(await write({ state: null })).toBe(true);
      expect(await write({ state: "a" })).toBe(false);
      expect(await write({ state: "b" })).toBe(true);
    });
  });
});

await withServer("guards in Redis", REDIS, redisServer, async ({ port }) => {
  const client = (await loadRedis()).createClient({ socket: { host: "127.0.0.1", port } });
  await client.connect();
  afterAll(() => client.destroy());
  const work = "redis.call('RPUSH', KEYS[1], ARGV[1]) return redis.call('LLEN', KEYS[1])";
  const guard = redisGuard(guarding);

  describe("Redis", () => {
    guards(
      {
        async write(lease, text, pass) {
          await pass();
          return guard.guarded(client as never, text, work, { keys: ["ledger"], arguments: [JSON.stringify(lease)] });
        },
        empty: () => client.flushAll(),
        ledger: async () => (await client.lRange("ledger", 0, -1)).map((text) => JSON.parse(text)),
      },
      2,
    );

    test("gives the result of the work back", async () => {
      const given = { keys: ["ledger"], arguments: ["{}"] };
      expect(await guard.guarded(client as never, fence(NEW), work, given)).toBe(1);
      expect(await guard.guarded(client as never, fence(NEW), work, given)).toBe(2);
      expect(await guard.guarded(client as never, fence(NEW), "return nil")).toBe(null);
    });
  });
});
