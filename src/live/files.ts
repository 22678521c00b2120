/** Files of a process that may die at any moment: synced, locked, replaced as a whole. */
import {
  closeSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { InputError } from "../errors.ts";

type Sync = (descriptor: number) => void;

export function withSynced(
  path: string,
  flags: string,
  act: (descriptor: number) => void,
  sync: Sync = fsyncSync,
): void {
  const descriptor = openSync(path, flags, 0o600);
  try {
    act(descriptor);
    sync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** The new name of a file is part of its folder, which has to reach the disk as well. */
export const syncFolderOf = (file: string, sync?: Sync): void => withSynced(dirname(file), "r", () => {}, sync);

type Write = (descriptor: number, bytes: Uint8Array, at: number) => number;

/** A write may take less than it was given, on a disk that is nearly full for one. */
export function writeAll(descriptor: number, bytes: Uint8Array, write: Write = writeSync): void {
  for (let at = 0; at < bytes.length; ) at += write(descriptor, bytes, at);
}

// One process at a time. The lock of a process that has died is void; so that its number, given to another process since, does
// not keep it (in a container the first process is always number 1), the lock also says when its process was started.

/** Takes the lock, or says who has it. Calling the result gives it back. */
export function lock(file: string): () => void {
  const own = `${file}.${process.pid}`;
  try {
    writeFileSync(own, `${process.pid} ${startOf(process.pid) ?? ""}`.trim(), { mode: 0o600 });
    while (!isTaken(file, own)) {
      const holder = read(file);
      if (holder === null) continue;
      if (isHeld(holder)) {
        throw new InputError(
          `${file} says that process ${Number.parseInt(holder, 10)} uses this state: end it, or remove the lock if that is another program`,
        );
      }
      removeVoid(file, holder);
    }
  } finally {
    rmSync(own, { force: true });
  }
  return () => rmSync(file, { force: true });
}

/** A link appears as a whole: nobody reads a lock that is not written yet. */
function isTaken(file: string, own: string): boolean {
  try {
    linkSync(own, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/** Two processes may find the same void lock: one of them would take away the lock that the other has made, and puts it back. */
function removeVoid(file: string, holder: string): void {
  const aside = `${file}.${process.pid}.void`;
  try {
    renameSync(file, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
    throw error;
  }
  if (read(aside) !== holder) isTaken(file, aside);
  rmSync(aside, { force: true });
}

function read(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

function isHeld(holder: string): boolean {
  const [, pid, started] = /^(\d+)(?: (.+))?$/.exec(holder) ?? [];
  if (pid === undefined || !isAlive(Number(pid))) return false;
  const now = startOf(Number(pid));
  return started === undefined || now === null || started === now;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** When a process was started, in ticks since a boot that has a name; null where the system does not say. */
function startOf(pid: number): string | null {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    // Fields are counted from the end of the command, which may hold anything.
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /s, "")
      .split(" ");
    return `${fields[19]} ${boot}`;
  } catch {
    return null;
  }
}

// Replaces a file that holds a secret, as a whole: whatever happens, there is the old one or the new one, with the same owner and the
// same rights, and nobody else can read either of them on the way.

/** What is asked of the system: tests let it fail. */
export interface FileCalls {
  write(descriptor: number, bytes: Uint8Array, at: number): number;
  sync(descriptor: number): void;
  rename(from: string, to: string): void;
}

const system: FileCalls = {
  write: (descriptor, bytes, at) => writeSync(descriptor, bytes, at),
  sync: fsyncSync,
  rename: renameSync,
};

const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: "the disk is full",
  EDQUOT: "there is no room left for this user",
  EROFS: "it is on a file system that is only read",
  EACCES: "this user may not write there",
  EPERM: "this user may not write there",
};

/** Nobody else edits it meanwhile, if by this function. `edit` is given the file's path with links followed, and gives the new text. */
export function editSecret(file: string, edit: (path: string) => string, calls: FileCalls = system): void {
  try {
    // A link stays one: what it leads to is replaced.
    const path = realpathSync(file);
    const unlock = lock(`${path}.lock`);
    try {
      replace(path, edit(path), calls);
    } finally {
      unlock();
    }
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (error instanceof InputError || code === undefined || syscall === undefined) throw error;
    const why = code === "ENOENT" ? "it is not there" : (REASONS[code] ?? code);
    throw new InputError(`${file} stays as it was, because it could not be written: ${why}`, { cause: error });
  }
}

function replace(path: string, text: string, { write, sync, rename }: FileCalls): void {
  const draft = `${path}.new`;
  // Of somebody who was killed in the midst of it.
  rmSync(draft, { force: true });
  const { uid, gid, mode } = statSync(path);
  const fill = (descriptor: number) => {
    writeAll(descriptor, Buffer.from(text), write);
    const own = fstatSync(descriptor);
    // The owner of this file must be able to read it afterwards.
    if (own.uid !== uid || own.gid !== gid) fchownSync(descriptor, uid, gid);
    fchmodSync(descriptor, mode & 0o777);
  };
  try {
    withSynced(draft, "wx", fill, sync);
    rename(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
  syncFolderOf(path, sync);
}
