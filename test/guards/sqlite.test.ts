import { rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { InputError } from "../../src/errors.ts";
import { sqliteStore } from "../../src/live/guards/sql-stores.ts";
import { sqliteGuard } from "../../src/live/guards/sqlite.ts";
import { admit } from "../../src/live/guards/store.ts";
import { memoryFolder } from "../support/lease-disk.ts";
import { everyOrder } from "./interleave.ts";
import { expectFenced, FORGED, NEW, OLD, outcomeOf, RIVAL, type Scenario, scenarios } from "./leaders.ts";
import { fence, guarding, type Lease } from "./lease-fences.ts";
import { planted } from "./planted.ts";
import { LEDGER, write } from "./sqlite-thread.ts";
import { SqliteWriter } from "./sqlite-writer.ts";

// In memory where that is a folder: some hundred orders with a disk's pace would take half a minute.
const folder = memoryFolder();
const file = join(folder, "app.db");
let database = new DatabaseSync(file);
database.exec(LEDGER);
const guard = sqliteGuard(guarding);
let writers = [new SqliteWriter(file), new SqliteWriter(file)];

beforeEach(() => database.exec("DROP TABLE IF EXISTS sortition_guards; DELETE FROM ledger"));
afterAll(async () => {
  for (const writer of writers) await writer.end();
  database.close();
  rmSync(folder, { recursive: true });
});

const ledger = () =>
  database
    .prepare("SELECT token, lease FROM ledger ORDER BY number")
    .all()
    .map((row) => ({ ...row })) as unknown as Lease[];
const put = (lease: Lease, text = fence(lease)) =>
  outcomeOf(() => guard.guarded(database, text, (within) => write(within, lease)));

function orders(scenario: Scenario, bug: string | null = null): Promise<number> {
  return everyOrder(
    async () => {
      database.exec("DROP TABLE IF EXISTS sortition_guards; DELETE FROM ledger");
      for (const lease of scenario.before) await put(lease);
      for (const [index, lease] of scenario.writers.entries()) writers[index].begin({ lease, bug });
      return { writers };
    },
    (_, order) =>
      expectFenced(
        scenario,
        ledger(),
        writers.map(({ outcome }) => outcome!),
        order,
      ),
  );
}

describe("in every order of their statements", () => {
  test.each(scenarios)("$name", async (scenario) => {
    expect(await orders(scenario)).toBeGreaterThan(10);
  });

  test.each(planted)("planted and caught: $bug", async ({ bug, scenario }) => {
    await expect(orders(scenario, bug)).rejects.toThrow();
    // What stopped half-way must not stay.
    for (const writer of writers) await writer.end();
    writers = [new SqliteWriter(file), new SqliteWriter(file)];
  });
});

test("a paused old leader is refused, and told of the newest token; so is a rival; the newest goes on", async () => {
  expect([await put(OLD), await put(NEW)]).toEqual(["written", "written"]);
  expect(await put(OLD)).toMatchObject({ code: "old", newest: 6n });
  expect(await put(RIVAL)).toMatchObject({ code: "rival", newest: 6n });
  expect(await put(NEW)).toBe("written");
  expect(ledger()).toEqual([OLD, NEW, NEW]);
});

test("a forged token of 2^62 is refused and not remembered; so is none", async () => {
  expect(await put(OLD, FORGED)).toMatchObject({ code: "forged", newest: null });
  expect(await put(OLD, "")).toMatchObject({ code: "missing" });
  expect(await put(OLD)).toBe("written");
  expect(await put(OLD, FORGED)).toMatchObject({ code: "forged" });
  expect(await put(OLD)).toBe("written");
});

test("tokens beyond 2^53 are compared to the last digit", async () => {
  const of = (token: bigint) => ({ ...OLD, token: token as unknown as number });
  expect(await put(of(2n ** 62n + 1n))).toBe("written");
  expect(await put(of(2n ** 62n))).toMatchObject({ code: "old", newest: 2n ** 62n + 1n });
});

test("a guard that was started anew remembers", async () => {
  await put(NEW);
  database.close();
  database = new DatabaseSync(file);
  expect(await put(OLD)).toMatchObject({ code: "old", newest: 6n });
});

test("a full disk stores neither the write nor the token, and the guard goes on afterwards", async () => {
  await put(OLD);
  const { page_count: pages } = database.prepare("PRAGMA page_count").get() as { page_count: number };
  database.exec(`PRAGMA max_page_count = ${pages}`);
  const long = { ...NEW, lease: "x".repeat(100) };
  const flood = () =>
    guard.guarded(database, fence(long), (within) => {
      for (let row = 0; row < 1000; row++) write(within, long);
    });
  expect(flood).toThrow("full");
  database.exec("PRAGMA max_page_count = 100000");
  expect(ledger()).toEqual([OLD]);
  expect(await put(OLD)).toBe("written");
});

test("work that fails, or is asynchronous, leaves neither its writes nor its token behind", async () => {
  const failing = (result: () => unknown) =>
    guard.guarded(database, fence(NEW), (within) => {
      write(within, NEW);
      return result();
    });
  expect(() =>
    failing(() => {
      throw new Error("the work failed");
    }),
  ).toThrow("the work failed");
  expect(() => failing(async () => {})).toThrow("must not be asynchronous");
  expect(await put(OLD)).toBe("written");
  expect(ledger()).toEqual([OLD]);
});

test("the commit waits for the disk where others do not", () => {
  const synchronous = () => (database.prepare("PRAGMA synchronous").get() as { synchronous: number }).synchronous;
  database.exec("PRAGMA synchronous = OFF");
  expect(guard.guarded(database, fence(NEW), synchronous)).toBe(2);
  expect(synchronous()).toBe(0);
  database.exec("PRAGMA synchronous = FULL");
});

test("a table that is missing and must not be made is an error that says how", () => {
  const careful = sqliteGuard({ ...guarding, migrate: false });
  expect(() => careful.guarded(database, fence(NEW), () => {})).toThrow(InputError);
  expect(() => careful.guarded(database, fence(NEW), () => {})).toThrow(guard.sql.table);
  database.exec(guard.sql.table);
  careful.guarded(database, fence(NEW), () => {});
});

test("guards with tables of their own know nothing of each other; names are not taken for SQL", async () => {
  const other = sqliteGuard({ ...guarding, table: "other_guards" });
  await put(NEW);
  expect(other.guarded(database, fence(OLD), () => "written")).toBe("written");
  expect(() => sqliteGuard({ ...guarding, table: "x; DROP TABLE ledger" })).toThrow(InputError);
});

test("the caller's own transaction: admitted first, refused where it is old", async () => {
  database.exec("BEGIN IMMEDIATE");
  expect(guard.admit(database, fence(NEW))).toMatchObject({ token: 6n, group: "jobs", seat: "leader" });
  database.exec("COMMIT; BEGIN IMMEDIATE");
  expect(await outcomeOf(() => guard.admit(database, fence(OLD)))).toMatchObject({ code: "old" });
  database.exec("ROLLBACK");
});

test("the store for admission turns WAL off, in which a crash of the machine can take an admission back", () => {
  const path = join(folder, "wal.db");
  const other = new DatabaseSync(path);
  other.exec("PRAGMA journal_mode = WAL; PRAGMA user_version = 1");
  other.close();
  sqliteStore(path);
  const after = new DatabaseSync(path);
  expect(after.prepare("PRAGMA journal_mode").get()).toEqual({ journal_mode: "delete" });
  after.close();
});

test("the store for admission: in a file, remembered by the next process, one rule for two of them", async () => {
  const path = join(folder, "admission.db");
  const [one, other] = [sqliteStore(path), sqliteStore(path)];
  const come = (store: typeof one, lease: Lease) => outcomeOf(() => admit({ ...guarding, store }, fence(lease)));
  expect(await Promise.all([come(one, OLD), come(other, NEW)])).toContain("written");
  expect(await come(one, OLD)).toMatchObject({ code: "old", newest: 6n });
  expect(await come(sqliteStore(path), RIVAL)).toMatchObject({ code: "rival" });
  expect(await come(sqliteStore(path), NEW)).toBe("written");
  expect(() => sqliteStore(":memory:")).toThrow("name a file");
});
