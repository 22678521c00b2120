/**
 * The lease register in a file of SQLite, for one member and group. Each request is one transaction: it takes the lock for writing
 * first, reads the clock then, and counts as carried out only once COMMIT has returned.
 */

import { readFileSync, readlinkSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { InputError } from "../../errors.ts";
import type { LeaseAnswer, LeaseRequest } from "../../protocols/lease/messages.ts";
import { carryOut } from "../../protocols/lease/register.ts";
import { checkPlace, fileIdentity, incarnationOf, sqliteErrorInWords } from "./sqlite-file.ts";
import { SqliteRows } from "./sqlite-rows.ts";
import { checkVersion, hasTables, noTables, sqliteSchema } from "./sqlite-tables.ts";
import { type MachineClock, Watched } from "./watched.ts";

export interface SqliteSetup {
  /** An absolute path. */
  readonly file: string;
  /** As users know it. */
  readonly name: string;
  readonly group: string;
  /** Whether file and tables are made where they are missing. */
  readonly migrate: boolean;
}

interface Opened {
  readonly database: DatabaseSync;
  readonly rows: SqliteRows;
  readonly identity: string;
}

/** Of an engine before the present one; never the identity of a file. */
const OLDER = "older";

export class SqliteRegister {
  private readonly setup: SqliteSetup;
  private readonly clock: MachineClock;
  private readonly watched: Watched;
  private opened: Opened | null = null;
  /** Of the last request that was carried out: in which file, and how many changes its group had seen. */
  private last: { readonly identity: string; readonly changes: number } | null = null;
  /** Another file, or an old copy, took the place of the one before, and grants were not barred for it yet. */
  private isOlder = false;

  constructor(setup: SqliteSetup, clock: MachineClock) {
    this.setup = setup;
    this.clock = clock;
    this.watched = new Watched(clock);
  }

  /** Throws an error in words, an `InputError` where a person has to fix something. `patience`: for locks of others, in ms. */
  ask(request: LeaseRequest, patience: number): LeaseAnswer {
    const deadline = this.clock.now() + patience;
    const begin = request.kind === "look" || request.kind === "recall" ? "BEGIN" : "BEGIN IMMEDIATE";
    const { answer, last } = this.withFile(patience, (opened) =>
      inTransaction(opened.database, begin, () => {
        // The caller has given up: it does not expect the request to be carried out now.
        if (this.clock.now() > deadline) throw new Error(`${this.setup.name} was kept locked by others for too long`);
        return this.carryOut(request, opened);
      }),
    );
    this.last = last;
    if (request.kind === "acquire") this.isOlder = false;
    return answer;
  }

  /** Throws as `ask` does, where it could not be asked now. What is there counts as seen: a member may ask for the first time much later. */
  check(patience: number): void {
    this.last = this.withFile(patience, ({ rows, identity }) => ({ identity, changes: rows.changes() }));
  }

  close(): void {
    const { opened } = this;
    this.opened = null;
    opened?.database.close();
  }

  private withFile<T>(patience: number, act: (opened: Opened) => T): T {
    const { name } = this.setup;
    try {
      if (this.isMoved()) throw new Error(`${name} was removed or replaced: what there is now is used from now on`);
      this.opened ??= this.open(patience);
      // SQLite takes pages that it has in memory for those of the file, by a count in it: after an old copy was written over the file
      // that count is soon the same again. So it keeps none.
      this.opened.database.exec(`PRAGMA shrink_memory; PRAGMA busy_timeout = ${Math.ceil(patience)}`);
      const answer = act(this.opened);
      if (this.isMoved()) throw new Error(`${name} was removed or replaced while it was written`);
      return answer;
    } catch (error) {
      // Whatever went wrong, the next request begins with a fresh look at the file.
      this.close();
      throw sqliteErrorInWords(error, name);
    }
  }

  private isMoved(): boolean {
    return this.opened !== null && fileIdentity(this.setup.file) !== this.opened.identity;
  }

  private carryOut(request: LeaseRequest, { rows, identity }: Opened) {
    const clock = this.watched.reading(incarnationOf(identity));
    rows.begin(clock.stamp);
    if (this.last !== null && this.last.identity !== identity) this.isOlder = true;
    else if (this.last !== null && this.last.changes > rows.changes()) this.complainOfOldCopy();
    if (this.isOlder && request.kind === "acquire") {
      const group = rows.group() ?? { barred: null, longest: request.ttl };
      rows.setGroup({ ...group, incarnation: OLDER });
    }
    const answer = carryOut(rows, request, clock);
    if (answer.kind === "granted") rows.prune();
    if (rows.changed) rows.countChange();
    return { answer, last: { identity, changes: rows.changes() } };
  }

  /** Once, so that people hear of it; then it is used, with grants barred. */
  private complainOfOldCopy(): never {
    this.isOlder = true;
    this.last = null;
    throw new Error(`${this.setup.name} was written over with an old copy: that is used from now on`);
  }

  private open(patience: number): Opened {
    const { file, name, group, migrate } = this.setup;
    checkPlace(file, name, migrate);
    const database = new DatabaseSync(file);
    try {
      database.exec(`PRAGMA busy_timeout = ${Math.ceil(patience)}`);
      leaveWal(database, name);
      database.exec("PRAGMA synchronous = FULL");
      if (!hasTables(database)) {
        if (!migrate) throw noTables(name);
        inTransaction(database, "BEGIN IMMEDIATE", () => database.exec(sqliteSchema));
      }
      checkVersion(database, name);
      return { database, rows: new SqliteRows(database, group), identity: fileIdentity(file) ?? "" };
    } catch (error) {
      database.close();
      throw error;
    }
  }
}

function inTransaction<T>(database: DatabaseSync, begin: "BEGIN" | "BEGIN IMMEDIATE", act: () => T): T {
  database.exec(begin);
  try {
    // Another program may have turned it on since the file was opened, which shows only in a transaction.
    if (journalMode(database) !== "delete")
      throw new Error("another program has turned WAL on; it is turned off again");
    const answer = act();
    database.exec("COMMIT");
    return answer;
  } catch (error) {
    rollBack(database);
    throw error;
  }
}

/** With WAL, a file that is removed goes on to be written by some members, while others make a new one. */
function leaveWal(database: DatabaseSync, name: string): void {
  if (journalMode(database) === "delete") return;
  try {
    if (database.prepare("PRAGMA journal_mode = DELETE").get()!.journal_mode === "delete") return;
  } catch {}
  throw new InputError(`${name} is used by another program with WAL, which is not safe for leases: name another file`);
}

const journalMode = (database: DatabaseSync): unknown => database.prepare("PRAGMA journal_mode").get()!.journal_mode;

/** After a failed COMMIT too: the transaction would still be open. Some errors have rolled back already. */
function rollBack(database: DatabaseSync): void {
  try {
    database.exec("ROLLBACK");
  } catch {}
}

// The clock of leases in a file. Processes compare each other's times only where they read one and the same clock: the machine's
// monotonic one, since one and the same start, in one time namespace. Otherwise they watch whether anything changes.

/** The same text in all processes whose monotonic clocks can be compared; where the system does not tell, `own`. */
export function clockName(own: string): string {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    return `${boot} ${timeNamespace()}`;
  } catch {
    return own;
  }
}

function timeNamespace(): string {
  try {
    return readlinkSync("/proc/self/ns/time");
  } catch (error) {
    // Linux before 5.6 has no time namespaces: all processes read one clock.
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}
