/** Every engine by the scheme of its address, as users write it. What an engine needs is loaded only when it is asked for. */
import { didYouMean, InputError } from "../../errors.ts";
import type { EngineOptions, LeaseEngine } from "./engine.ts";

interface EngineKind {
  /** What its address looks like. */
  readonly form: string;
  /** Other spellings of its scheme. */
  readonly also?: readonly string[];
  /** An engine that is down is no error here: the member that asks it is told. */
  open(address: string, options: EngineOptions): Promise<LeaseEngine>;
  /** What an administrator runs where members must not make tables: `sortition lease sql`. Missing: there are no tables. */
  sql?(address: string): Promise<string>;
}

export const ENGINES: Readonly<Record<string, EngineKind>> = {
  sqlite: {
    form: "sqlite:FILE",
    open: async (address, options) => (await sqlite()).openSqlite(address, options),
    sql: async () => (await import("./sqlite-tables.ts")).sqliteSchema,
  },
  postgres: {
    form: "postgres://ROLE@HOST/DATABASE",
    // PostgreSQL's own programs take both.
    also: ["postgresql"],
    open: async (address, options) => (await import("./postgres.ts")).openPostgres(address, options),
    async sql(address) {
      const { postgresAddress } = await import("./postgres-address.ts");
      const { migrationSql } = await import("./postgres-table.ts");
      return migrationSql(postgresAddress(address).schema);
    },
  },
  etcd: {
    form: "etcd://HOST:2379,HOST:2379",
    open: async (address, options) => (await import("./etcd.ts")).openEtcd(address, options),
  },
  redis: {
    form: "redis://HOST:6379",
    also: ["rediss"],
    open: async (address, options) => (await import("./redis.ts")).openRedis(address, options),
  },
  kubernetes: {
    form: "kubernetes:",
    open: async (address, options) => (await import("./kubernetes.ts")).openKubernetes(address, options),
  },
  nats: {
    form: "nats://HOST:4222",
    open: async (address, options) => (await import("./nats.ts")).openNatsLeases(address, options),
  },
};

export async function openEngine(address: string, options: EngineOptions): Promise<LeaseEngine> {
  return engineAt(address).open(address, options);
}

/** The kind of engine of an address. */
function engineAt(address: string): EngineKind {
  const scheme = /^([a-z]+):/i.exec(address)?.[1].toLowerCase() ?? "";
  const found = Object.entries(ENGINES).find(([name, { also }]) => name === scheme || also?.includes(scheme));
  if (found !== undefined) return found[1];
  const forms = Object.values(ENGINES).map(({ form }) => form);
  // The address is not shown: it may contain a password.
  throw new InputError(
    `leases are kept in ${forms.join(" or ")}${scheme === "" ? ": write that in front" : didYouMean(scheme, Object.keys(ENGINES))}`,
  );
}

/** What makes the tables of that store, for people. */
export async function engineSql(address: string): Promise<string> {
  const { sql, form } = engineAt(address);
  if (sql === undefined)
    throw new InputError(`${form.split(":")[0]} has no tables to make: members make what they need`);
  return sql(address);
}

async function sqlite(): Promise<typeof import("./sqlite.ts")> {
  try {
    await import("node:sqlite");
  } catch {
    throw new InputError(
      "leases in a file need Node 22.13 or newer, which has SQLite: update Node, or use postgres://",
    );
  }
  return import("./sqlite.ts");
}
