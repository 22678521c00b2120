/**
 * Replaces a file that holds a secret, as a whole: whatever happens, there is the old one or the new one, with the same owner and the
 * same rights, and nobody else can read either of them on the way.
 */
import {
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { InputError } from "../errors.ts";
import { lock } from "./lock.ts";
import { syncFolderOf, withSynced, writeAll } from "./synced-file.ts";

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
    // Whoever runs with this file as its owner must be able to read it afterwards.
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
