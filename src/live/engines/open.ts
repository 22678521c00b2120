/** An engine by its address, as users write it. What an engine needs is loaded only when it is asked for. */
import { didYouMean, InputError } from "../../errors.ts";
import type { EngineOptions, LeaseEngine } from "./engine.ts";

/** An engine that is down is no error here: whoever asks it is told. */
export async function openEngine(address: string, options: EngineOptions): Promise<LeaseEngine> {
  const scheme = /^([a-z]+):/i.exec(address)?.[1].toLowerCase() ?? "";
  switch (scheme) {
    case "sqlite":
      return (await sqlite()).openSqlite(address, options);
    case "postgres":
    case "postgresql": {
      const { postgresAddress } = await import("./postgres-address.ts");
      const { postgresEngine } = await import("./postgres.ts");
      return postgresEngine({ ...options, address: postgresAddress(address) });
    }
    default:
      // The address is not shown: it may contain a password.
      throw new InputError(
        `leases are kept in sqlite:FILE or postgres://ROLE@HOST/DATABASE${scheme === "" ? ": write that in front" : didYouMean(scheme, ["sqlite", "postgres"])}`,
      );
  }
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
