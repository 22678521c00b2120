/** postgres://role@host:port/database?sslmode=...: what it means, how it is shown, and what PostgreSQL says, in words. Never with a password. */
import { readFileSync } from "node:fs";
import { userInfo } from "node:os";
import type { ClientConfig } from "pg";
import { didYouMean, InputError } from "../../errors.ts";

/** Where the table is, if the address does not say otherwise. */
const DEFAULT_SCHEMA = "sortition";

export interface PostgresAddress {
  /** Without the password. */
  readonly name: string;
  readonly schema: string;
  readonly role: string;
  readonly client: Readonly<ClientConfig>;
}

/** Of the URL's query; those of PostgreSQL mean what they mean to its own programs. */
const PARAMETERS = ["host", "schema", "sslmode", "sslrootcert", "sslcert", "sslkey", "application_name"];

const TLS_MODES = ["disable", "require", "verify-ca", "verify-full"];

/** PostgreSQL's names can have any character; these need no thought about quotes, in SQL that people may run too. */
const PLAIN_NAME = /^[a-z_][a-z0-9_]{0,62}$/;

/** What the URL does not say is taken from PostgreSQL's own variables of the environment. */
export function postgresAddress(text: string, env: NodeJS.ProcessEnv = process.env): PostgresAddress {
  const url = parsed(text);
  const given = new Map(url.searchParams);
  for (const name of given.keys()) {
    if (PARAMETERS.includes(name)) continue;
    throw new InputError(
      `the address of PostgreSQL has "${name}", which is none of ${PARAMETERS.join(", ")}${didYouMean(name, PARAMETERS)}`,
    );
  }
  const host = given.get("host") ?? (unescaped(url.hostname).replace(/^\[(.*)\]$/, "$1") || env.PGHOST || "localhost");
  const port = Number(url.port || env.PGPORT || 5432);
  const role = unescaped(url.username) || env.PGUSER || userInfo().username;
  const database = unescaped(url.pathname.slice(1)) || env.PGDATABASE || role;
  const password = unescaped(url.password) || env.PGPASSWORD;
  const schema = given.get("schema") ?? DEFAULT_SCHEMA;
  if (!PLAIN_NAME.test(schema)) {
    throw new InputError(
      `schema=${schema}: give a name of small letters, digits and _ that does not begin with a digit, such as ${DEFAULT_SCHEMA}`,
    );
  }
  const shownHost = host.startsWith("/") ? "" : host.includes(":") ? `[${host}]` : host;
  return {
    name: `postgres://${shownHost}:${port}/${database}${host.startsWith("/") ? `?host=${host}` : ""}`,
    schema,
    role,
    client: {
      host,
      port,
      user: role,
      database,
      ...(password === undefined ? {} : { password }),
      ssl: tlsOf(host, given, env),
      application_name: given.get("application_name") ?? env.PGAPPNAME ?? "sortition",
      keepAlive: true,
    },
  };
}

function parsed(text: string): URL {
  try {
    return new URL(text);
  } catch {
    // The text is not shown: it may contain a password.
    throw new InputError(
      "the address of PostgreSQL must be a URL, such as postgres://role@db.example:5432/database?sslmode=verify-full",
    );
  }
}

function unescaped(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new InputError("the address of PostgreSQL has a % that is not followed by two hexadecimal digits: write %25");
  }
}

/** As libpq does it, but for "prefer", with which an attacker in between decides about encryption. */
function tlsOf(host: string, given: ReadonlyMap<string, string>, env: NodeJS.ProcessEnv): ClientConfig["ssl"] {
  const mode = given.get("sslmode") ?? (env.PGSSLMODE || "disable");
  if (!TLS_MODES.includes(mode)) {
    throw new InputError(`sslmode=${mode} is none of ${TLS_MODES.join(", ")}${didYouMean(mode, TLS_MODES)}`);
  }
  if (mode === "disable") return false;
  const ca = fileOf("sslrootcert", given.get("sslrootcert") ?? env.PGSSLROOTCERT);
  const cert = fileOf("sslcert", given.get("sslcert") ?? env.PGSSLCERT);
  const key = fileOf("sslkey", given.get("sslkey") ?? env.PGSSLKEY);
  if (mode === "verify-ca" && ca === undefined) {
    throw new InputError(
      "sslmode=verify-ca needs sslrootcert=FILE: with the system's authorities any server of the world would pass; or take verify-full",
    );
  }
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    ...(/^[\d.]+$|:/.test(host) ? {} : { servername: host }),
    rejectUnauthorized: mode !== "require" || ca !== undefined,
    ...(mode === "verify-full" ? {} : { checkServerIdentity: () => undefined }),
  };
}

function fileOf(option: string, file: string | undefined): string | undefined {
  if (file === undefined || file === "") return undefined;
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new InputError(`${option}: cannot read ${file}: ${(error as Error).message}`);
  }
}

/** https://www.postgresql.org/docs/current/errcodes-appendix.html, or the code of a system's error. */
const codeOf = (error: unknown): string => String((error as { code?: unknown } | null)?.code ?? "");

/** Undone by the server as a whole, so that the same request can be asked again at once: a row came first, or a deadlock. */
export const isUndone = (error: unknown): boolean => ["40001", "40P01", "23505"].includes(codeOf(error));

/** There is no such schema or table. */
export const isMissingObject = (error: unknown): boolean => ["3F000", "42P01"].includes(codeOf(error));

/** Whether the connection can be used again: the server answered, and did not say that it ends it. */
export const isConnectionFine = (error: unknown): boolean =>
  error instanceof InputError || (error as { severity?: unknown } | null)?.severity === "ERROR";

export function wordsFor(error: unknown, { client, role, schema }: PostgresAddress): string {
  const code = codeOf(error);
  const said = String((error as Error | null)?.message ?? error);
  const where = String(client.host).startsWith("/") ? client.host : `${client.host}:${client.port}`;
  switch (code) {
    case "ECONNREFUSED":
    case "ENOENT":
      return `nothing listens at ${where}: start the server, or fix the address`;
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return `the name ${client.host} cannot be looked up: fix the address, or the resolver of this machine`;
    case "28P01":
      return `the password of role "${role}" is not accepted; PGPASSWORD or the lease file must have the right one`;
    case "28000":
      return `role "${role}" is not let in: ${said}`;
    case "3D000":
      return `there is no database "${client.database}": create it, or name another one in the address`;
    case "42501":
      return `role "${role}" lacks a right (${said}); GRANT USAGE ON SCHEMA ${schema} and SELECT, INSERT, UPDATE, DELETE ON ${schema}.sortition_rows, or have the table made by a role that may create it (see "sortition lease sql")`;
    case "25006":
      return "the server only reads: it is a standby, or set to; give the address of the primary";
    case "53300":
      return "the server has no connection left (max_connections)";
    case "53100":
      return "the server's disk is full";
    case "57014":
      return "the server did not finish in time";
    case "57P01":
    case "57P02":
    case "57P03":
      return `the server is starting or stopping (${said})`;
  }
  if (/SASL|client password must be a string/.test(said)) {
    return `the server asks for a password of role "${role}": set PGPASSWORD, or use a lease file`;
  }
  if (said === "The server does not support SSL connections") {
    return "the server has no TLS, which sslmode asks for: switch ssl on there, or say sslmode=disable on a network you trust";
  }
  return said === "" ? "the server has answered with something that is no answer" : said;
}
