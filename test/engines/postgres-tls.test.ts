/** Addresses of PostgreSQL, and the encrypted connections that they ask for. */
import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { postgresEngine } from "../../src/live/engines/postgres.ts";
import { postgresAddress } from "../../src/live/engines/postgres-address.ts";
import { realWorld } from "../../src/live/real-world.ts";
import { notTested } from "../support/not-tested.ts";
import { life } from "../support/register.ts";
import { withPostgres } from "../support/with-postgres.ts";

describe("an address", () => {
  test("is shown without the password; what it leaves out comes from PostgreSQL's own variables", () => {
    const { name, schema, role, client } = postgresAddress("postgres://app:s%3Fecret@db.example/leases", {});
    expect({ name, schema, role }).toEqual({
      name: "postgres://db.example:5432/leases",
      schema: "sortition",
      role: "app",
    });
    expect(client).toMatchObject({ user: "app", password: "s?ecret", database: "leases", ssl: false });
    const env = { PGHOST: "h", PGPORT: "1", PGUSER: "u", PGPASSWORD: "p", PGDATABASE: "d", PGSSLMODE: "require" };
    expect(postgresAddress("postgresql:///", env).client).toMatchObject({
      host: "h",
      port: 1,
      user: "u",
      password: "p",
      database: "d",
      ssl: { rejectUnauthorized: false },
    });
    expect(postgresAddress("postgres:///d?host=/run/postgresql", {}).name).toBe(
      "postgres://:5432/d?host=/run/postgresql",
    );
  });

  test.each([
    ["postgres://app@db.example/a?sslmod=require", 'has "sslmod".*did you mean "sslmode"'],
    ["postgres://app@db.example/a?sslmode=prefer", "sslmode=prefer is none of disable, require"],
    ["postgres://app@db.example/a?sslmode=verify-ca", "needs sslrootcert"],
    ["postgres://app@db.example/a?sslmode=verify-full&sslrootcert=none.pem", "sslrootcert: cannot read none.pem"],
    ["postgres://app@db.example/a?schema=my-app", "schema=my-app: give a name of small letters"],
    ["postgres://app:secret@db:port/a", "must be a URL"],
  ])("%s is refused in words", (address, words) => {
    expect(() => postgresAddress(address, {})).toThrow(new RegExp(words));
    expect(() => postgresAddress(address, {})).not.toThrow("secret");
  });
});

/** An authority, and a certificate by it for "localhost"; null where there is no openssl. */
function certificates(): { folder: string; authority: string; certificate: string; key: string } | null {
  const folder = mkdtempSync(join(tmpdir(), "sortition-tls-"));
  chmodSync(folder, 0o755);
  const at = (name: string) => join(folder, name);
  const openssl = (...args: string[]) => execFileSync("openssl", args, { stdio: "pipe" });
  const fresh = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  try {
    const own = ["-keyout", at("ca.key"), "-out", at("ca.pem"), "-subj", "/CN=Tests of Sortition", "-days", "2"];
    openssl("req", "-x509", ...fresh, ...own);
    openssl("req", ...fresh, "-keyout", at("server.key"), "-out", at("server.csr"), "-subj", "/CN=localhost");
    const by = ["-CA", at("ca.pem"), "-CAkey", at("ca.key"), "-CAcreateserial", "-days", "2"];
    openssl("x509", "-req", "-in", at("server.csr"), ...by, "-out", at("server.pem"));
  } catch (error) {
    rmSync(folder, { recursive: true });
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
  return { folder, authority: at("ca.pem"), certificate: at("server.pem"), key: at("server.key") };
}

await withPostgres("encrypted connections to PostgreSQL", async (server) => {
  const made = certificates();
  if (made === null) {
    return notTested("encrypted connections to PostgreSQL", "there is no openssl to make certificates");
  }
  afterAll(() => rmSync(made.folder, { recursive: true }));
  const key = server.keep(made.key);
  for (const [name, value] of [
    ["ssl_cert_file", made.certificate],
    ["ssl_key_file", key],
    ["ssl", "on"],
  ]) {
    await server.sql(`ALTER SYSTEM SET ${name} = '${value}'`);
  }
  await server.sql("SELECT pg_reload_conf()");

  async function isEncrypted(query: string, host = "localhost"): Promise<boolean> {
    const url = `postgres://${server.user}@${host}:${server.port}/postgres${query}`;
    const address = postgresAddress(url, { PGPASSWORD: server.password });
    const engine = await postgresEngine({
      address,
      group: "g",
      requestTimeout: 30_000,
      migrate: true,
      world: realWorld,
    });
    try {
      await engine.ask(life("A", 1).look());
      const [{ ssl }] = await server.sql(
        `SELECT bool_or(ssl) AS ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name = 'sortition'`,
      );
      return ssl as boolean;
    } finally {
      await engine.close();
    }
  }

  test("are made where sslmode asks for them, and only to servers that it trusts", async () => {
    expect(await isEncrypted("")).toBe(false);
    expect(await isEncrypted("?sslmode=require")).toBe(true);
    const trusting = `&sslrootcert=${made.authority}`;
    expect(await isEncrypted(`?sslmode=verify-full${trusting}`)).toBe(true);
    expect(await isEncrypted(`?sslmode=verify-ca${trusting}`, "127.0.0.1")).toBe(true);
    await expect(isEncrypted(`?sslmode=verify-full${trusting}`, "127.0.0.1")).rejects.toThrow(/127\.0\.0\.1/);
    await expect(isEncrypted("?sslmode=verify-full")).rejects.toThrow(/certificate/);
  });
});
