/** Members with leases in each store of rows, which count in a file while they lead: a leader is killed, the store is killed, paused, and goes on. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, expect, test } from "vitest";
import { forEachStore, STORES, type StoreServer } from "../engines/stores.ts";
import { effort, isLong } from "../support/effort.ts";
import { memoryFolder } from "../support/lease-disk.ts";
import { LeaseGroup } from "../support/lease-group.ts";
import { LEDGER } from "./lease-counter.ts";

const TTL = 700;
/** PostgreSQL has a test of its own: lease-postgres.test.ts. */
const HERE = effort(
  ["etcd", "Redis"],
  Object.keys(STORES).filter((name) => name !== "PostgreSQL"),
);

function tests(server: StoreServer): void {
  test("one leads at a time, whatever is killed or paused, and a guarded counter never goes back", async () => {
    const folder = mkdtempSync(join(tmpdir(), "sortition-leases-"));
    const quick = memoryFolder();
    const file = join(quick, "counter.db");
    const counter = new DatabaseSync(file);
    counter.exec(LEDGER);
    const group = new LeaseGroup({
      folder,
      ttl: TTL,
      lease: () => server.address(),
      counter: { kind: "sqlite", file },
    });
    afterAll(() => {
      counter.close();
      for (const each of [folder, quick]) rmSync(each, { recursive: true });
    });
    try {
      await group.start(["a", "b", "c"]);
      let leader = await group.leads();
      for (let round = 0; round < effort(1, 8); round++) {
        await group.kill(leader.self);
        const next = await group.leads(leader.token);
        if (isLong) await group.join(leader.self);
        leader = isLong ? await group.pauseLeader(next) : next;
        if (round % 2 === 0) {
          await server.kill();
          await server.start();
          await group.leads();
        } else {
          await group.pauseServer(server);
        }
        leader = await group.leads();
      }
    } finally {
      await group.end();
    }
    const counted = counter.prepare("SELECT number, token, lease FROM counted ORDER BY number").all() as never;
    group.judge(counted);
    expect(group.errors).toBe("");
  });
}

await forEachStore("a group with leases", tests, HERE);
