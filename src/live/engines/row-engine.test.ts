/** The memory of a member that asks a store of rows: a store that went back to an older state is noticed, and grants are barred for it. */
import { expect, test } from "vitest";
import { MemoryRows } from "../../../test/engines/memory-rows.ts";
import { life } from "../../../test/support/register.ts";
import { VirtualNetwork } from "../virtual-world.ts";
import { RowEngine } from "./row-engine.ts";
import { Watched } from "./watched.ts";

const TTL = 1000;

test("a store that went back grants nothing for one TTL, also if a renewal was the first to notice; after that it grants again", async () => {
  const rows = new MemoryRows();
  rows.now = 5000;
  const { world } = new VirtualNetwork(1).machine({ host: "10.0.0.1", port: 1 });
  const clock = { name: "ann", now: () => world.now(), stamp: () => world.wall() };
  const engine = new RowEngine(rows.store(), new Watched(clock), { world, requestTimeout: 1000 });
  const [A, B] = [life("A", 1, TTL), life("B", 2, TTL)];
  const granted = async (seat: string, lease: string) => (await engine.ask(A.acquire(seat, lease))).kind;
  expect(await granted("a", "A1")).toBe("granted");
  const older = rows.texts;
  expect(await granted("b", "A2")).toBe("granted");
  rows.texts = older;
  const keeps = [{ seat: "a", lease: "A1" }];
  for (let times = 0; times < 2; times++) {
    expect(await engine.ask(A.renew({ keeps }))).toMatchObject({ kind: "renewed", leases: [{ lease: "A1" }] });
  }
  expect(await engine.ask(B.acquire("c", "B1"))).toMatchObject({ kind: "denied", why: "barred", wait: TTL });
  rows.now += TTL - 1;
  expect(await engine.ask(B.acquire("c", "B2"))).toMatchObject({ kind: "denied", why: "barred", wait: 1 });
  rows.now += 1;
  expect(await engine.ask(B.acquire("c", "B3"))).toMatchObject({ kind: "granted" });
  await engine.close();
  await expect(engine.ask(A.look())).rejects.toThrow("the lease store is closed");
});
