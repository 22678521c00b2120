/** Every engine by the scheme of its address, as users write it. What an engine needs is loaded only when it is asked for. */
import { didYouMean, InputError } from "../../errors.ts";
import type { EngineOptions, LeaseEngine } from "./engine.ts";

interface EngineKind {
  /** What its address looks like. */
  readonly form: string;
  /** An engine that is down is no error here: whoever asks it is told. */
  open(address: string, options: EngineOptions): Promise<LeaseEngine>;
  /** What an administrator runs where members must not make tables: `sortition lease sql`. */
  sql(address: string): Promise<string>;
}

export const ENGINES: Readonly<Record<string, EngineKind>> = {
  sqlite: {
    form: "sqlite:FILE",
    open: async (address, options) => (await sqlite()).openSqlite(address, options),
    sql: async () => (await import("./sqlite-rows.ts")).sqliteSchema,
  },
  postgres: {
    form: "postgres://ROLE@HOST/DATABASE",
    async open(address, options) {
      const { postgresAddress } = await import("./postgres-address.ts");
      const { postgresEngine } = await import("./postgres.ts");
      return postgresEngine({ ...options, address: postgresAddress(address) });
    },
    async sql(address) {
      const { postgresAddress } = await import("./postgres-address.ts");
      const { migrationSql } = await import("./postgres-tables.ts");
      return migrationSql(postgresAddress(address).schema);
    },
  },
};

export async function openEngine(address: string, options: EngineOptions): Promise<LeaseEngine> {
  return engineAt(address).open(address, options);
}

/** The kind of engine of an address. PostgreSQL's own programs take both spellings of its scheme. */
export function engineAt(address: string): EngineKind {
  const scheme = /^([a-z]+):/i.exec(address)?.[1].toLowerCase() ?? "";
  const name = scheme === "postgresql" ? "postgres" : scheme;
  if (Object.hasOwn(ENGINES, name)) return ENGINES[name];
  const forms = Object.values(ENGINES).map(({ form }) => form);
  // The address is not shown: it may contain a password.
  throw new InputError(
    `leases are kept in ${forms.join(" or ")}${scheme === "" ? ": write that in front" : didYouMean(scheme, Object.keys(ENGINES))}`,
  );
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
