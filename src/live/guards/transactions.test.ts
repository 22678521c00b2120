/** Guards inside SQL databases, statement by statement: what they say to a connection, and how they leave it. */
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { InputError } from "../../errors.ts";
import { keyringOf } from "../net/keyring.ts";
import { fenceOf } from "./fence.ts";
import { guardKeys } from "./keys.ts";
import { type PostgresGuardOptions, postgresGuard } from "./postgres.ts";
import { postgresStore } from "./sql-stores.ts";
import { sqliteGuard } from "./sqlite.ts";

const keys = guardKeys(keyringOf([Buffer.alloc(32, 1)]), "jobs");
const guarding = { keys, seat: "leader" };
const fence = (token = 7) => fenceOf(keys, { seat: "leader", token, lease: `k.${token}.a` });

const failure = (code: string, message: string) => Object.assign(new Error(message), { code });
const MISSING = failure("42P01", 'relation "sortition_guards" does not exist in INTO sortition_guards');

/** Answers by the first word of a statement; an error is thrown. A list is used up, and its last answer stays. */
type Answers = Readonly<Record<string, unknown | readonly unknown[]>>;

function connection(answers: Answers = {}) {
  const left = new Map(Object.entries(answers).map(([word, all]) => [word, Array.isArray(all) ? [...all] : [all]]));
  const said: string[] = [];
  const released: (boolean | undefined)[] = [];
  let listeners = 0;
  const client = {
    said,
    released,
    get listeners() {
      return listeners;
    },
    on: () => listeners++,
    off: () => listeners--,
    release: (destroy?: boolean) => void released.push(destroy),
    async query(text: string, values?: unknown[]) {
      const word = /^[A-Z]+/.exec(text)![0];
      said.push(text.includes("advisory") ? "LOCK" : values === undefined ? text : word);
      const answered = left.get(text.includes("advisory") ? "LOCK" : word) ?? [{}];
      const answer = answered.length > 1 ? answered.shift() : answered[0];
      if (answer instanceof Error) throw answer;
      return { rows: [], rowCount: 0, ...(answer as object) };
    },
  };
  return client;
}

const ADMITTED = { INSERT: { rows: [{}] } };
const REFUSED = { INSERT: { rows: [] }, SELECT: { rows: [{ token: "9", lease: "k.9.b" }] } };
const BEGIN = "BEGIN; SET LOCAL idle_in_transaction_session_timeout = 5000";

const run = (client: ReturnType<typeof connection>, given: Partial<PostgresGuardOptions> = {}, work = async () => 42) =>
  postgresGuard({ ...guarding, ...given }).guarded(client, fence(), work);

test("PostgreSQL: the guard's statement comes first, then the work, and all of it in one transaction", async () => {
  const client = connection(ADMITTED);
  const work = async () => {
    client.said.push("work");
    return 42;
  };
  expect(await run(client, {}, work)).toBe(42);
  expect(client.said).toEqual([BEGIN, "INSERT", "work", "COMMIT"]);
  expect(client.listeners).toBe(0);
});

test("PostgreSQL: how long a transaction may be idle is a whole number of milliseconds; 0 leaves it to the server", async () => {
  for (const [idleMs, begin] of [
    [0, "BEGIN"],
    [1, BEGIN.replace("5000", "1")],
  ] as const) {
    const client = connection(ADMITTED);
    await run(client, { idleMs });
    expect(client.said[0]).toBe(begin);
  }
  for (const idleMs of [-1, 0.5, Number.NaN, 2 ** 53])
    expect(() => postgresGuard({ ...guarding, idleMs })).toThrow("idleMs is a whole number of milliseconds");
});

test("PostgreSQL: a leader that is not the newest is refused with what is newest, and nothing of its work runs", async () => {
  const client = connection(REFUSED);
  const refusal = await run(client, {}, () => Promise.reject(new Error("it ran"))).catch((error) => error);
  expect(refusal).toMatchObject({ code: "old", newest: 9n });
  expect(client.said).toEqual([BEGIN, "INSERT", "SELECT", "ROLLBACK"]);
});

test("PostgreSQL: work that fails, and a commit that the server answers with a rollback, write nothing", async () => {
  const failed = connection(ADMITTED);
  await expect(run(failed, {}, () => Promise.reject(new Error("of the work")))).rejects.toThrow("of the work");
  expect(failed.said.at(-1)).toBe("ROLLBACK");
  const undone = connection({ ...ADMITTED, COMMIT: { command: "ROLLBACK" } });
  await expect(run(undone)).rejects.toThrow("nothing was written");
});

test("PostgreSQL: a connection goes back to its pool, unless a transaction may still be open on it", async () => {
  const pool = (client: ReturnType<typeof connection>) => ({ totalCount: 1, connect: async () => client });
  const guard = postgresGuard(guarding);
  const fine = connection(ADMITTED);
  expect(await guard.guarded(pool(fine), fence(), async () => 1)).toBe(1);
  const refused = connection(REFUSED);
  await expect(guard.guarded(pool(refused), fence(), async () => 1)).rejects.toThrow("is older");
  const broken = connection({ INSERT: new Error("the server is gone"), ROLLBACK: new Error("the server is gone") });
  await expect(guard.guarded(pool(broken), fence(), async () => 1)).rejects.toThrow("the server is gone");
  expect([fine.released, refused.released, broken.released]).toEqual([[false], [false], [true]]);
  expect([fine.listeners, refused.listeners, broken.listeners]).toEqual([0, 0, 0]);
});

test("PostgreSQL: the table is made where it is missing and the guard may, and never for another table", async () => {
  const once = () => connection({ INSERT: [MISSING, { rows: [{}] }] });
  const made = once();
  expect(await run(made)).toBe(42);
  expect(made.said).toEqual([BEGIN, "INSERT", "ROLLBACK", "LOCK", BEGIN, "INSERT", "COMMIT"]);
  const kept = once();
  await expect(run(kept, { migrate: false })).rejects.toThrow("the table of the guards is missing");
  expect(kept.said).toEqual([BEGIN, "INSERT", "ROLLBACK"]);
  const denied = connection({ INSERT: MISSING, LOCK: failure("42501", "permission denied") });
  await expect(run(denied)).rejects.toThrow(InputError);
  const full = connection({ INSERT: MISSING, LOCK: failure("53100", "the disk is full") });
  await expect(run(full)).rejects.toThrow("the disk is full");
  for (const error of [failure("42P01", 'relation "orders" does not exist'), failure("40001", MISSING.message)]) {
    const other = connection({ INSERT: error });
    await expect(run(other)).rejects.toBe(error);
    expect(other.said).toEqual([BEGIN, "INSERT", "ROLLBACK"]);
  }
});

test("a store in PostgreSQL makes its table too, and says whether the statement let the fence in", async () => {
  const seat = { group: "jobs", seat: "leader" };
  const newest = { token: 7n, lease: "k.7.a" };
  const client = connection({ INSERT: [MISSING, { rows: [{}] }, { rows: [] }] });
  const store = postgresStore(client);
  expect([await store.replace(seat, null, newest), await store.replace(seat, null, newest)]).toEqual([true, false]);
  expect(client.said).toEqual(["INSERT", "LOCK", "INSERT", "INSERT"]);
  expect(await postgresStore(connection()).read(seat)).toBeNull();
  expect(await postgresStore(connection(REFUSED)).read(seat)).toEqual({ token: 9n, lease: "k.9.b" });
  const kept = connection({ INSERT: MISSING });
  await expect(postgresStore(kept, { migrate: false }).replace(seat, null, newest)).rejects.toThrow(InputError);
  const other = connection({ INSERT: new Error("the server is gone") });
  await expect(postgresStore(other).replace(seat, null, newest)).rejects.toThrow("the server is gone");
  expect([kept.said, other.said]).toEqual([["INSERT"], ["INSERT"]]);
});

test.each([
  [0, ["PRAGMA synchronous = FULL", "PRAGMA synchronous = 0"]],
  [1, ["PRAGMA synchronous = FULL", "PRAGMA synchronous = 1"]],
  [2, []],
  [3, []],
])(
  "SQLite: with synchronous = %i a guarded write waits for the disk, and the setting is left as it was",
  (level, pragmas) => {
    const database = new DatabaseSync(":memory:");
    database.exec(`CREATE TABLE work (x); PRAGMA synchronous = ${level}`);
    const said: string[] = [];
    const spied = {
      exec(sql: string) {
        said.push(sql);
        database.exec(sql);
      },
      prepare: (sql: string) => database.prepare(sql),
    };
    const guard = sqliteGuard(guarding);
    const write = () =>
      guard.guarded(spied, fence(), (db) => db.prepare("INSERT INTO work VALUES (1) RETURNING x").all());
    expect(write()).toHaveLength(1);
    expect(said.filter((sql) => sql.startsWith("PRAGMA"))).toEqual(pragmas);
    expect(said.filter((sql) => !sql.startsWith("PRAGMA"))).toEqual(["BEGIN IMMEDIATE", guard.sql.table, "COMMIT"]);
    expect(() => guard.guarded(spied, fence(6), () => 1)).toThrow("is older");
    expect(() => guard.guarded(spied, fence(8), async () => 1)).toThrow("must not be asynchronous");
    expect(said.filter((sql) => sql === "ROLLBACK")).toHaveLength(2);
    expect(database.prepare("PRAGMA synchronous").get()).toEqual({ synchronous: level });
    expect(database.prepare("SELECT token FROM sortition_guards").all()).toEqual([{ token: 7 }]);
    expect(() =>
      sqliteGuard({ ...guarding, table: "others", migrate: false }).guarded(spied, fence(), () => 1),
    ).toThrow("CREATE TABLE IF NOT EXISTS others");
  },
);
