/** The tables of leases in SQLite. */
import type { DatabaseSync } from "node:sqlite";
import { InputError } from "../../errors.ts";

/** A file with a newer one is refused. */
const SQLITE_SCHEMA_VERSION = 1;

/** What makes the tables where they are missing, for people who let no program do it. */
export const sqliteSchema = `CREATE TABLE IF NOT EXISTS sortition_schema (
  version INTEGER NOT NULL
) STRICT;
INSERT INTO sortition_schema SELECT ${SQLITE_SCHEMA_VERSION} WHERE NOT EXISTS (SELECT 1 FROM sortition_schema);
CREATE TABLE IF NOT EXISTS sortition_groups (
  grp TEXT NOT NULL PRIMARY KEY,
  incarnation TEXT NOT NULL,
  barred REAL,
  barred_clock TEXT,
  longest REAL NOT NULL,
  changes INTEGER NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS sortition_sessions (
  grp TEXT NOT NULL,
  id TEXT NOT NULL,
  name TEXT NOT NULL,
  life INTEGER NOT NULL,
  ttl REAL NOT NULL,
  expires REAL NOT NULL,
  clock TEXT NOT NULL,
  ended INTEGER NOT NULL,
  counter INTEGER NOT NULL,
  written INTEGER NOT NULL,
  PRIMARY KEY (grp, id)
) STRICT;
CREATE TABLE IF NOT EXISTS sortition_seats (
  grp TEXT NOT NULL,
  name TEXT NOT NULL,
  token INTEGER NOT NULL,
  preemptible INTEGER NOT NULL,
  lease TEXT,
  lease_token INTEGER,
  session TEXT,
  until REAL,
  until_clock TEXT,
  over INTEGER,
  reserved_name TEXT,
  reserved_until REAL,
  reserved_clock TEXT,
  PRIMARY KEY (grp, name)
) STRICT;
CREATE TABLE IF NOT EXISTS sortition_records (
  grp TEXT NOT NULL,
  key TEXT NOT NULL,
  expires REAL NOT NULL,
  row TEXT NOT NULL,
  PRIMARY KEY (grp, key)
) STRICT;
CREATE INDEX IF NOT EXISTS sortition_seats_of ON sortition_seats (grp, session);
`;

export const hasTables = (database: DatabaseSync): boolean =>
  database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'sortition_records'").get() !== undefined;

export const noTables = (name: string): InputError =>
  new InputError(
    `${name} has no tables for leases: make them with the SQL that "sortition lease sql" prints, or let a member make them`,
  );

export function checkVersion(database: DatabaseSync, name: string): void {
  const version = database.prepare("SELECT max(version) AS version FROM sortition_schema").get()!.version as number;
  if (version <= SQLITE_SCHEMA_VERSION) return;
  throw new InputError(
    `${name} has tables of version ${version}, but this program knows up to ${SQLITE_SCHEMA_VERSION}: use the program that made them, or another file`,
  );
}
