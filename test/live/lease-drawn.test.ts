/** Members and engines killed, stopped, cut off, delayed and restored in an order that a seed draws, while a guarded counter watches. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, expect, test } from "vitest";
import { HostStream } from "../../src/random/streams.ts";
import { FaultyProxy } from "../engines/linear-proxy.ts";
import { effort } from "../support/effort.ts";
import { memoryFolder } from "../support/lease-disk.ts";
import { type Fault, memberFaults, serverFaults, strike, wayFaults } from "../support/lease-faults.ts";
import { LeaseGroup } from "../support/lease-group.ts";
import { passwordInEnvironment, withPostgres } from "../support/with-postgres.ts";
import { LEDGER } from "./lease-counter.ts";

const TTL = 600;
const NAMES = ["a", "b", "c", "d", "e"].slice(0, effort(3, 5));
const FAULTS = effort(3, 30);
const LIMIT = { timeout: effort(60_000, 900_000) };
const seeds = process.env.SEED === undefined ? effort([1], [1, 2]) : [Number(process.env.SEED)];

const folder = mkdtempSync(join(tmpdir(), "sortition-leases-"));
const quick = memoryFolder();
afterAll(() => {
  for (const each of [folder, quick]) rmSync(each, { recursive: true });
});

interface Setting {
  readonly lease: (name: string) => string;
  readonly faults: readonly Fault[];
}

async function run(name: string, draws: HostStream, { lease, faults }: Setting): Promise<void> {
  const own = join(folder, name);
  mkdirSync(own);
  const file = join(quick, `${name}.db`);
  const counter = new DatabaseSync(file);
  counter.exec(LEDGER);
  const group = new LeaseGroup({ folder: own, ttl: TTL, lease, counter: { kind: "sqlite", file } });
  let done: readonly string[] = [];
  try {
    await group.start(NAMES);
    await group.leads();
    done = await strike(group, [...memberFaults(group, NAMES), ...faults], draws, { count: FAULTS, ttl: TTL });
    await group.leads();
    await group.end();
    const counted = counter.prepare("SELECT number, token, lease FROM counted ORDER BY number").all();
    group.judge(counted as unknown as Parameters<typeof group.judge>[0]);
    expect(group.errors).toBe("");
  } catch (error) {
    throw new Error(`after ${done.join(", ")}`, { cause: error });
  } finally {
    await group.end();
    counter.close();
  }
}

// Nothing but members can be struck here that lease-sqlite.test.ts does not strike: only where there is time.
test.each(effort([], seeds))("seed %i, leases in a file", LIMIT, (seed) =>
  run(`sqlite-${seed}`, new HostStream(seed, 1, "schedule"), {
    lease: () => `sqlite:${join(quick, `leases-${seed}.db`)}`,
    faults: [],
  }),
);

await withPostgres("a group with leases in PostgreSQL under drawn faults", (server) => {
  passwordInEnvironment(server);
  test.each(seeds)("seed %i, leases in PostgreSQL", LIMIT, async (seed) => {
    const draws = new HostStream(seed, 2, "schedule");
    const ways = new Map<string, FaultyProxy>();
    for (const name of NAMES) ways.set(name, await FaultyProxy.to(server.port, draws));
    await server.sql("DROP SCHEMA IF EXISTS sortition CASCADE");
    try {
      await run(`postgres-${seed}`, draws, {
        lease: (name) => server.url().replace(String(server.port), String(ways.get(name)!.port)),
        faults: [...serverFaults(server), ...wayFaults(ways, TTL)],
      });
    } finally {
      for (const way of ways.values()) await way.close();
    }
  });
});
