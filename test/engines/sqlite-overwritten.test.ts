/** What others do to a file that is open: SQLite keeps pages of it in memory, and takes them for what is in the file. */
import { copyFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { SqliteRegister } from "../../src/live/engines/sqlite-register.ts";
import { memoryFolder } from "../support/lease-disk.ts";
import { life } from "../support/register.ts";

const TTL = 1000;
const [A, B, C] = [life("A", 1, TTL), life("B", 2, TTL), life("C", 3, TTL)];

let folder: string;
let file: string;
let time = 0;
const opened: SqliteRegister[] = [];
beforeEach(() => {
  folder = memoryFolder();
  file = join(folder, "leases.db");
});
afterEach(() => {
  for (const register of opened.splice(0)) register.close();
  rmSync(folder, { recursive: true, force: true });
});

function member() {
  const clock = { name: "clock", now: () => time, stamp: () => 1_800_000_000_000 + time };
  const register = new SqliteRegister({ file, name: "sqlite:leases.db", group: "g", migrate: true }, clock);
  opened.push(register);
  return { ask: (request: Parameters<SqliteRegister["ask"]>[0]) => register.ask(request, 1000) };
}

test("an old copy is written over it, and then as much as before: nobody goes on with what only it remembers", () => {
  const [a, b] = [member(), member()];
  expect(a.ask(A.acquire("leader", "A1"))).toMatchObject({ kind: "granted" });
  expect(b.ask(B.acquire("leader", "B0"))).toMatchObject({ kind: "denied", why: "held" });
  time += TTL;
  copyFileSync(file, join(folder, "copy"));
  expect(b.ask(B.acquire("leader", "B1"))).toMatchObject({ kind: "granted" });
  copyFileSync(join(folder, "copy"), file);
  // It cannot know of B's lease: no token of it was seen here.
  expect(a.ask(A.acquire("leader", "A2", { session: "another" }))).toMatchObject({ kind: "granted" });
  expect(b.ask(B.renew())).toMatchObject({ kind: "ended" });
  expect(member().ask(C.acquire("leader", "C1"))).toMatchObject({ kind: "denied", holder: { lease: "A2" } });
});

test("somebody turns WAL on: that is said, and it is turned off again", () => {
  const a = member();
  expect(a.ask(A.acquire("leader", "A1"))).toMatchObject({ kind: "granted" });
  const other = new DatabaseSync(file);
  other.exec("PRAGMA journal_mode = WAL");
  expect(() => a.ask(A.renew())).toThrow("another program has turned WAL on");
  expect(a.ask(A.renew())).toMatchObject({ kind: "renewed" });
  other.close();
  const after = new DatabaseSync(file);
  expect(after.prepare("PRAGMA journal_mode").get()).toEqual({ journal_mode: "delete" });
  after.close();
});
