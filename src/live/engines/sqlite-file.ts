/**
 * The file itself: what it must be, and whether it still is the one that was opened. Only by its name, never by opening it: a
 * process that closes a file of SQLite's gives back all locks that it has on the file.
 */
import { accessSync, constants, existsSync, type Stats, statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { InputError } from "../../errors.ts";

/** Of statfs on Linux. Locks there are missing, or known to fail, and no two machines share a clock. */
const NETWORK_FILE_SYSTEMS: ReadonlyMap<number, string> = new Map([
  [0x6969, "NFS"],
  [0x517b, "SMB"],
  [0xff534d42, "CIFS"],
  [0xfe534d42, "SMB"],
  [0x01021997, "9P"],
  [0x65735546, "FUSE"],
  [0x00c36400, "Ceph"],
  [0x5346414f, "AFS"],
  [0x73757245, "Coda"],
  [0x0bd00bd0, "Lustre"],
  [0x47504653, "GPFS"],
  [0x7461636f, "OCFS2"],
  [0x01161970, "GFS2"],
  [0x19830326, "BeeGFS"],
  [0x786f4256, "a shared folder of VirtualBox"],
]);

/** Refuses what can never be a file for leases. */
export function checkPlace(file: string, name: string, create: boolean): void {
  const folder = dirname(file);
  if (!existsSync(folder)) throw new InputError(`${name} lies in a folder that does not exist: make ${folder} first`);
  if (statOf(file)?.isDirectory()) {
    throw new InputError(`${name} is a folder: name a file in it, such as ${name.replace(/\/*$/, "")}/leases.db`);
  }
  if (!create && statOf(file) === null)
    throw new InputError(
      `${name} does not exist: is the path right? A member that may (without --no-migrate) makes it`,
    );
  for (const path of create ? [folder, ...(statOf(file) === null ? [] : [file])] : []) checkWritable(path, name);
  const type = process.platform === "linux" ? statfsSync(folder).type : 0;
  const system = networkFileSystem(type);
  if (system !== null) {
    throw new InputError(
      `${name} lies on ${system}, where locks cannot be trusted: put it on a disk of this machine, or use postgres://`,
    );
  }
}

/** At the start, and not when an election is won months later. */
function checkWritable(path: string, name: string): void {
  try {
    accessSync(path, constants.W_OK);
  } catch {
    throw new InputError(`${name} ${WORDS[READONLY]}`);
  }
}

/** The name of a file system that is, or may be, shared between machines. */
export const networkFileSystem = (type: number): string | null => NETWORK_FILE_SYSTEMS.get(type >>> 0) ?? null;

/** Tells a file from others that have or had its name while this process runs; null if there is none. */
export function fileIdentity(file: string): string | null {
  const stat = statOf(file);
  return stat === null ? null : `${stat.dev} ${stat.ino}`;
}

/** What of that is the same for all processes, and after a restart of the machine: a disk may get another number then. */
export const incarnationOf = (identity: string): string => identity.split(" ")[1] ?? "";

function statOf(file: string): Stats | null {
  try {
    return statSync(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

/** Primary result codes of SQLite. */
const [BUSY, LOCKED, READONLY, IO, CORRUPT, FULL, CANT_OPEN, NOT_A_DATABASE] = [5, 6, 8, 10, 11, 13, 14, 26];
const WORDS: Readonly<Record<number, string>> = {
  [BUSY]: "is in use by others, who kept it locked for too long",
  [LOCKED]: "is in use by others, who kept it locked for too long",
  [READONLY]: "cannot be written: this process needs the right to write the file and its folder",
  [IO]: "could not be read or written",
  [CORRUPT]: "is damaged: stop all members, and remove it or restore a copy",
  [FULL]: "could not be written: the disk is full",
  [CANT_OPEN]: "cannot be opened: this process needs the right to read and write the file and its folder",
  [NOT_A_DATABASE]: "is no database of SQLite: name another file",
};

/** What a user must fix before a start. */
const MENDABLE = [READONLY, CORRUPT, CANT_OPEN, NOT_A_DATABASE];

/** An error in words, for one of SQLite's or of the file system's. */
export function sqliteErrorInWords(error: unknown, name: string): Error {
  const { errcode, message } = error as Error & { errcode?: number };
  // Said by ourselves.
  if (message.startsWith(name)) return error as Error;
  if ((error as NodeJS.ErrnoException).code === "EACCES")
    return new InputError(`${name} ${WORDS[CANT_OPEN]}`, { cause: error });
  if (errcode === undefined) return new Error(`${name} could not be used: ${message}`, { cause: error });
  const words = WORDS[errcode & 0xff];
  const said = words === undefined ? `could not be used: ${message}` : words + detail(errcode, message);
  const text = `${name} ${said}`;
  return MENDABLE.includes(errcode & 0xff) ? new InputError(text, { cause: error }) : new Error(text, { cause: error });
}

const detail = (errcode: number, message: string): string =>
  (errcode & 0xff) === IO ? ` (${message}, code ${errcode})` : "";
