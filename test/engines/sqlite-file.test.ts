import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { LeaseEngine } from "../../src/live/engines/engine.ts";
import { openEngine } from "../../src/live/engines/open.ts";
import { networkFileSystem } from "../../src/live/engines/sqlite-file.ts";
import { sqliteSchema } from "../../src/live/engines/sqlite-tables.ts";
import { realWorld } from "../../src/live/real-world.ts";
import { memoryFolder } from "../support/lease-disk.ts";
import { life } from "../support/register.ts";

let folder: string;
let file: string;
const engines: LeaseEngine[] = [];
beforeEach(() => {
  folder = memoryFolder();
  file = join(folder, "leases.db");
});
afterEach(async () => {
  await Promise.all(engines.splice(0).map((engine) => engine.close()));
  rmSync(folder, { recursive: true, force: true });
});

interface Opening {
  readonly path?: string;
  readonly group?: string;
  readonly migrate?: boolean;
  readonly requestTimeout?: number;
}

async function open({ path = file, group = "g", migrate = true, requestTimeout = 3000 }: Opening = {}) {
  const engine = await openEngine(`sqlite:${path}`, { group, migrate, requestTimeout, world: realWorld });
  engines.push(engine);
  return engine;
}

const [A, B] = [life("A", 1), life("B", 2)];
const given = { kind: "granted" };
const refused = (why: string) => ({ kind: "denied", why });

test("members on one machine share a file, and groups do not see each other", async () => {
  const [one, other, stranger] = await Promise.all([open(), open(), open({ group: "h" })]);
  expect(await one.ask(A.acquire("leader", "A1"))).toMatchObject(given);
  expect(await other.ask(B.acquire("leader", "B1"))).toMatchObject({ ...refused("held"), holder: { name: "A" } });
  expect(await stranger.ask(B.acquire("leader", "B1"))).toMatchObject(given);
  expect(one.name).toBe(`sqlite:${file}`);
});

/** What another program does to the file. */
function elsewhere(sql: string): DatabaseSync {
  const database = new DatabaseSync(file);
  database.exec(sql);
  return database;
}

describe("refused in words", () => {
  test.each(["sqlite:", "sqlite::memory:", "sqlite://leases.db"])("%s names no file", async (address) => {
    const options = { group: "g", migrate: true, requestTimeout: 1000, world: realWorld };
    await expect(openEngine(address, options)).rejects.toThrow(`${address} names no file: write sqlite:FILE`);
  });

  test("an address of another kind, which is not shown, for it may contain a password", async () => {
    const options = { group: "g", migrate: true, requestTimeout: 1000, world: realWorld };
    await expect(openEngine("sqlit:leases.db", options)).rejects.toThrow(
      /leases are kept in sqlite:FILE or postgres:.*did you mean "sqlite"\?/,
    );
    await expect(openEngine("leases.db", options)).rejects.toThrow(/sqlite:FILE or .*: write that in front$/);
    await expect(openEngine("mysql://me:secret@db/app", options)).rejects.not.toThrow("secret");
  });

  test("a folder, a folder that is missing, and what is no database", async () => {
    await expect(open({ path: folder })).rejects.toThrow(
      `is a folder: name a file in it, such as sqlite:${folder}/leases.db`,
    );
    await expect(open({ path: join(folder, "no", "leases.db") })).rejects.toThrow(
      "lies in a folder that does not exist",
    );
    writeFileSync(file, "not a database, and long enough to be one ".repeat(100));
    await expect(open()).rejects.toThrow(`sqlite:${file} is no database of SQLite: name another file`);
  });

  test("tables of a newer version", async () => {
    elsewhere("CREATE TABLE sortition_schema (version INTEGER); INSERT INTO sortition_schema VALUES (2)").close();
    await expect(open()).rejects.toThrow("has tables of version 2, but this program knows up to 1");
  });

  test("a file that another program uses with WAL; one that is only left in that mode is taken out of it", async () => {
    const other = elsewhere("PRAGMA journal_mode = WAL; CREATE TABLE own (x)");
    await expect(open({ requestTimeout: 300 })).rejects.toThrow(/used by another program with WAL/);
    other.close();
    expect(await (await open()).ask(A.acquire("leader", "A1"))).toMatchObject(given);
  });

  test.each([
    [0x6969, "NFS"],
    [-11317950, "CIFS"],
    [0xff534d42, "CIFS"],
    [0x65735546, "FUSE"],
    [0xef53, null],
    [0x1021994, null],
  ])("file systems by their number: %i is %s", (type, name) => {
    expect(networkFileSystem(type)).toBe(name);
  });
});

describe("without the right to make tables", () => {
  test("nothing is made, and the words say what to run", async () => {
    await expect(open({ migrate: false })).rejects.toThrow("does not exist: is the path right?");
    expect(existsSync(file)).toBe(false);
    elsewhere("CREATE TABLE own (x)").close();
    await expect(open({ migrate: false })).rejects.toThrow(/has no tables for leases: .*sortition lease sql/);
  });

  test("the SQL makes what is needed, beside tables of others, and does no harm twice", async () => {
    elsewhere(`CREATE TABLE own (x); ${sqliteSchema} ${sqliteSchema}`).close();
    expect(await (await open({ migrate: false })).ask(A.acquire("leader", "A1"))).toMatchObject(given);
  });
});

describe("time-outs", () => {
  test("a file that others keep locked is waited for, and no longer than a request may take", async () => {
    const engine = await open({ requestTimeout: 200 });
    const patient = await open({ requestTimeout: 5000 });
    const other = elsewhere("BEGIN EXCLUSIVE");
    await expect(engine.ask(A.acquire("leader", "A1"))).rejects.toThrow(
      /in use by others|did not answer within 200 ms/,
    );
    const late = patient.ask(A.acquire("leader", "A1"));
    other.exec("COMMIT");
    other.close();
    expect(await late).toMatchObject(given);
  });

  test("what was not begun in time is not carried out later", async () => {
    const engine = await open({ requestTimeout: 800 });
    const other = elsewhere("BEGIN EXCLUSIVE");
    const asked = Promise.allSettled([1, 2, 3].map((n) => engine.ask(A.acquire("leader", `A${n}`))));
    expect((await asked).map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
    other.exec("COMMIT");
    other.close();
    expect(await engine.ask(A.look())).toMatchObject({ seats: [] });
  });

  test("a locked file does not keep an engine from being opened", async () => {
    await open();
    const other = elsewhere("BEGIN EXCLUSIVE");
    const engine = await open({ requestTimeout: 800 });
    other.exec("COMMIT");
    other.close();
    expect(await engine.ask(A.acquire("leader", "A1"))).toMatchObject(given);
  });
});

test("closed, it says so", async () => {
  const engine = await open();
  await engine.close();
  await expect(engine.ask(A.look())).rejects.toThrow("the lease store is closed");
  await engine.close();
});

test("members that make the tables at the same time do not stand in each other's way", async () => {
  const all = await Promise.all(Array.from({ length: 6 }, () => open()));
  const answers = await Promise.all(
    all.map((engine, n) => engine.ask(life(`m${n}`, n + 1).acquire("leader", `l${n}`))),
  );
  expect(answers.filter(({ kind }) => kind === "granted")).toHaveLength(1);
});
