/** What stands between a member and a database that grants leases; one for each member and group. */
import { InputError } from "../../errors.ts";
import type { Extension, LeaseAnswer, LeaseRequest } from "../../protocols/lease/messages.ts";
import { variableOf } from "../../settings/member.ts";
import { readSecret } from "../net/keyring.ts";
import type { World } from "../world.ts";

export interface LeaseEngine {
  /** For people, without passwords: "sqlite:leases.db", "postgres://db.example:5432/app". */
  readonly name: string;
  /** Why it could not be used when it was opened, where that may pass: a follower would say nothing before it wins an election. */
  readonly trouble?: string;
  /**
   * Rejects with an error in words where the lease store could not be asked or did not answer in time: then the request may or may not
   * have been carried out. Calls may overlap; each is one step in the engine.
   */
  ask(request: LeaseRequest): Promise<LeaseAnswer>;
  /** Another member says this of its session. Nothing is sent to the store. Missing where the store has a clock of its own. */
  heard?(said: Extension): void;
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

/** An engine once it has looked at what it was given. Rejects where a person has to fix something first; temporary problems are left to the requests. */
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

/** The first setting that has a meaning only with leases; null if none is set. */
export function leaseSettingIn(given: {
  readonly leaseTtl?: number | undefined;
  readonly preemptible: boolean;
  readonly migrate: boolean;
}): "leaseTtl" | "preemptible" | "migrate" | null {
  if (given.leaseTtl !== undefined) return "leaseTtl";
  return given.preemptible ? "preemptible" : given.migrate ? null : "migrate";
}

// Where the address of an engine is read from: it may hold a password.

/** The environment can hold a password: it is not shown to others, as arguments are. */
export const LEASE_VARIABLE = variableOf("lease");

/** The first line that is neither empty nor a comment. */
export function addressIn(file: string): string {
  const example = "postgres://role:password@host/database";
  const lines = readSecret(file, "file", `write a line into it, such as ${example}`).split("\n");
  const address = lines.map((line) => line.trim()).find((line) => line !== "" && !line.startsWith("#"));
  if (address === undefined) {
    throw new InputError(`${file} holds no address: write one line, such as ${example}`);
  }
  return address;
}

/** Of an address that may be shown, or not. */
export const hasPassword = (address: string): boolean =>
  /^[a-z]+:\/\/[^/?#]*:[^/?#]*@/i.test(address) || /[?&]password=/i.test(address);

/** Arguments can be read by everybody on the machine. */
export function refusePassword(address: string): void {
  if (!hasPassword(address)) return;
  throw new InputError(
    "--lease has a password in it, which everybody on this machine can read: write the address into a file for --lease-file, or set PGPASSWORD",
  );
}

/** How long a call to a store may take. */
export interface Limit {
  readonly signal: AbortSignal;
  /** Milliseconds. */
  left(): number;
}

/** Rejects after this many milliseconds, and tells the work by its signal. What the work does later is of no use any more. */
export function withLimit<T>(world: World, ms: number, name: string, work: (limit: Limit) => Promise<T>): Promise<T> {
  const end = world.now() + ms;
  const controller = new AbortController();
  return new Promise<T>((resolve, reject) => {
    const cancel = world.set(ms, () => {
      controller.abort(new Error(`${name} did not answer within ${Math.round(ms)} ms`));
      reject(controller.signal.reason);
    });
    work({ signal: controller.signal, left: () => Math.max(1, end - world.now()) })
      .then(resolve, reject)
      .finally(cancel);
  });
}

/** Waits for this many milliseconds, unless the limit comes first. */
export function paused(world: World, ms: number, { signal }: Limit): Promise<void> {
  return new Promise((resolve, reject) => {
    world.set(ms, () => (signal.aborted ? reject(signal.reason) : resolve()));
  });
}
