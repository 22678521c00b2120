/** What stands between a member and a database that grants leases; one for each member and group. */
import { InputError } from "../../errors.ts";
import type { LeaseAnswer, LeaseRequest } from "../../protocols/lease/messages.ts";
import type { World } from "../world.ts";

export interface LeaseEngine {
  /** For people, without passwords: "sqlite:leases.db", "postgres://db.example:5432/app". */
  readonly name: string;
  /** Why it could not be used when it was opened, where that may pass: a follower would say nothing before it wins an election. */
  readonly trouble?: string;
  /**
   * Rejects with an error in words where the engine could not be asked or did not answer in time: then the request may or may not
   * have been carried out. Calls may overlap; each is one step in the engine.
   */
  ask(request: LeaseRequest): Promise<LeaseAnswer>;
  close(): Promise<void>;
}

export interface EngineOptions {
  /** Whose rows these are: groups can share a database. */
  readonly group: string;
  /** Milliseconds for a request, with all that it needs: connections, waiting for locks of others. */
  readonly requestTimeout: number;
  /** Whether tables (and the file) are made where they are missing. */
  readonly migrate: boolean;
  readonly world: World;
}

/** An engine once it has looked at what it was given. Rejects where somebody has to mend something first; what may pass by itself is left to those who ask. */
export async function checked(engine: LeaseEngine & { check(): Promise<void> }): Promise<LeaseEngine> {
  try {
    await engine.check();
  } catch (error) {
    if (!(error instanceof InputError)) return Object.assign(engine, { trouble: (error as Error).message });
    await engine.close();
    throw error;
  }
  return engine;
}
