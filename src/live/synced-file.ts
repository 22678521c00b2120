/** Files whose content has reached the disk before anything goes on. */
import { closeSync, fsyncSync, openSync, writeSync } from "node:fs";
import { dirname } from "node:path";

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
