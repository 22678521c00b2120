/** postgres://role@host:port/database?sslmode=...: what it means, and how it is shown. */
import { readFileSync } from "node:fs";
import { userInfo } from "node:os";
import type { ClientConfig } from "pg";
import { didYouMean, InputError } from "../../errors.ts";
import { DEFAULT_SCHEMA } from "./postgres-table.ts";

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

/** As libpq does it, but for "prefer", which encrypts or not as whoever stands in between likes it. */
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
