/** An address of PostgreSQL: what each part means, what stands for it where it is missing, and errors in words. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { InputError } from "../../errors.ts";
import { isConnectionFine, isMissingObject, isUndone, postgresAddress, wordsFor } from "./postgres-address.ts";

const folder = mkdtempSync(join(tmpdir(), "sortition-test-"));
const ca = join(folder, "ca.pem");
writeFileSync(ca, "authority");
afterAll(() => rmSync(folder, { recursive: true }));

const ENV = { PGHOST: "env-host", PGPORT: "6000", PGUSER: "env-user", PGDATABASE: "env-db", PGPASSWORD: "env-secret" };

describe("an address", () => {
  test("that says everything", () => {
    const { client, ...rest } = postgresAddress(
      "postgres://ann:p%40ss@db.example:5433/main?schema=own&application_name=app",
      ENV,
    );
    expect(rest).toEqual({ name: "postgres://db.example:5433/main", schema: "own", role: "ann" });
    expect(client).toEqual({
      host: "db.example",
      port: 5433,
      user: "ann",
      database: "main",
      password: "p@ss",
      ssl: false,
      application_name: "app",
      keepAlive: true,
    });
  });

  test("that says nothing is completed from the environment, and then with what everybody takes", () => {
    const { client } = postgresAddress("postgres://", { ...ENV, PGAPPNAME: "env-app" });
    expect(client).toMatchObject({
      host: "env-host",
      port: 6000,
      user: "env-user",
      database: "env-db",
      password: "env-secret",
      application_name: "env-app",
    });
    const { username } = userInfo();
    const bare = postgresAddress("postgres://", {});
    expect(bare).toMatchObject({ name: `postgres://localhost:5432/${username}`, schema: "sortition", role: username });
    expect(bare.client).toEqual({
      host: "localhost",
      port: 5432,
      user: username,
      database: username,
      ssl: false,
      application_name: "sortition",
      keepAlive: true,
    });
  });

  test.each([
    ["postgres://a@[::1]/d", "::1", "postgres://[::1]:5432/d"],
    ["postgres:///d?host=/run/pg", "/run/pg", "postgres://:5432/d?host=/run/pg"],
    ["postgres://a@ignored/d?host=other", "other", "postgres://other:5432/d"],
  ])("%s is of host %s and shown as %s", (text, host, name) => {
    const address = postgresAddress(text, {});
    expect([address.client.host, address.name]).toEqual([host, name]);
  });

  test.each(["a", "_", "a1_", `a${"b".repeat(62)}`])("the schema may be %s", (schema) => {
    expect(postgresAddress(`postgres://a@h/d?schema=${schema}`, {}).schema).toBe(schema);
  });

  test.each([
    ["postgres://a@h/d?schema=1a", "schema=1a"],
    ["postgres://a@h/d?schema=A", "schema=A"],
    [`postgres://a@h/d?schema=a${"b".repeat(63)}`, "give a name of small letters"],
    ["postgres://a@h/d?sslmod=require", 'has "sslmod"'],
    ["postgres://a@h/d?sslmode=prefer", "sslmode=prefer is none of"],
    ["postgres://a@h/d?sslmode=verify-ca", "needs sslrootcert=FILE"],
    ["postgres://a@h/d?sslmode=require&sslkey=/none/such", "sslkey: cannot read /none/such"],
    ["postgres://a%zz@h/d", "write %25"],
    ["no url", "must be a URL"],
  ])("%s is refused: %s", (text, words) => {
    expect(() => postgresAddress(text, {})).toThrow(InputError);
    expect(() => postgresAddress(text, {})).toThrow(words);
  });
});

describe("TLS", () => {
  const tls = (query: string, env: NodeJS.ProcessEnv = {}, host = "db.example") =>
    postgresAddress(`postgres://a@${host}/d?${query}`, env).client.ssl as Record<string, unknown> | false;

  test.each([
    ["require", "", { rejectUnauthorized: false, servername: "db.example" }, true],
    ["require", `&sslrootcert=${ca}`, { rejectUnauthorized: true, ca: "authority" }, true],
    ["verify-ca", `&sslrootcert=${ca}`, { rejectUnauthorized: true, ca: "authority" }, true],
    ["verify-full", "", { rejectUnauthorized: true }, false],
    ["verify-full", `&sslcert=${ca}&sslkey=${ca}`, { cert: "authority", key: "authority" }, false],
  ])("%s%s", (mode, more, expected, anyName) => {
    const ssl = tls(`sslmode=${mode}${more}`) as Record<string, unknown>;
    expect(ssl).toMatchObject(expected);
    for (const field of ["ca", "cert", "key"]) expect(field in ssl).toBe(field in expected);
    expect("checkServerIdentity" in ssl).toBe(anyName);
  });

  test("is off where nothing asks for it, and follows the environment where the address says nothing", () => {
    expect([tls(""), tls("sslmode=disable", { PGSSLMODE: "require" }), tls("", { PGSSLMODE: "" })]).toEqual([
      false,
      false,
      false,
    ]);
    expect(tls("", { PGSSLMODE: "verify-ca", PGSSLROOTCERT: ca })).toMatchObject({ ca: "authority" });
    expect(tls("", { PGSSLMODE: "verify-full", PGSSLROOTCERT: "" })).not.toHaveProperty("ca");
  });

  test.each(["127.0.0.1", "[::1]"])("names no server that is a number: %s", (host) => {
    expect(tls("sslmode=require", {}, host)).not.toHaveProperty("servername");
  });
});

describe("what PostgreSQL says", () => {
  const address = postgresAddress("postgres://ann@db.example:5433/main?schema=own", {});
  const socket = postgresAddress("postgres:///main?host=/run/pg", {});

  test.each([
    ["ECONNREFUSED", "nothing listens at db.example:5433"],
    ["ENOENT", "nothing listens at db.example:5433"],
    ["ENOTFOUND", "the name db.example cannot be looked up"],
    ["EAI_AGAIN", "the name db.example cannot be looked up"],
    ["28P01", 'the password of role "ann" is not accepted'],
    ["28000", 'role "ann" is not let in: text'],
    ["3D000", 'there is no database "main"'],
    ["42501", 'role "ann" lacks a right (text); GRANT USAGE ON SCHEMA own'],
    ["25006", "the server only reads"],
    ["53300", "no connection left"],
    ["53100", "disk is full"],
    ["57014", "did not finish in time"],
    ["57P01", "starting or stopping (text)"],
    ["57P02", "starting or stopping (text)"],
    ["57P03", "starting or stopping (text)"],
    ["99999", "text"],
  ])("code %s in words: %s", (code, words) => {
    expect(wordsFor(Object.assign(new Error("text"), { code }), address)).toContain(words);
  });

  test.each([
    ["SASL: SCRAM-SERVER-FIRST-MESSAGE", "set PGPASSWORD"],
    ["client password must be a string", "set PGPASSWORD"],
    ["The server does not support SSL connections", "the server has no TLS"],
    ["", "something that is no answer"],
    ["anything else", "anything else"],
  ])("without a code: %j", (message, words) => {
    expect(wordsFor(new Error(message), address)).toContain(words);
  });

  test("a socket is named by its path, and what is no error by itself", () => {
    expect(wordsFor(Object.assign(new Error(""), { code: "ENOENT" }), socket)).toContain("nothing listens at /run/pg:");
    expect([wordsFor("bare", address), wordsFor(null, address)]).toEqual(["bare", "null"]);
  });

  test.each([
    ["40001", true, false],
    ["40P01", true, false],
    ["23505", true, false],
    ["3F000", false, true],
    ["42P01", false, true],
    ["42501", false, false],
  ])("after %s: to be asked again: %s; an object is missing: %s", (code, undone, missing) => {
    expect([isUndone({ code }), isMissingObject({ code })]).toEqual([undone, missing]);
  });

  test("the connection is fine after an error of a statement, and after one of this program's own", () => {
    expect([{ severity: "ERROR" }, new InputError("x")].map(isConnectionFine)).toEqual([true, true]);
    expect([{ severity: "FATAL" }, new Error("x"), null, undefined].map(isConnectionFine)).toEqual(
      new Array(4).fill(false),
    );
    expect([isUndone(null), isMissingObject(undefined)]).toEqual([false, false]);
  });
});
