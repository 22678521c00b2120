/** Where a node keeps what must survive a crash. A write has reached the disk when it returns. */
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { InputError } from "../errors.ts";
import { Malformed } from "../wire/bytes.ts";
import { decode, encode } from "../wire/codec.ts";

/** A place for what one member must not forget about one election. */
export interface Store {
  /** Null where nothing was saved yet. */
  load(): unknown;
  save(saved: unknown): void;
  close(): void;
}

/** The first byte of every file; a newer one is refused. */
const VERSION = 1;

/** One file per election and member, replaced as a whole: after a crash it holds the old state or the new one. */
export function fileStore(folder: string, name: string): Store {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${name}.state`);
  const draft = `${file}.new`;
  const unlock = lock(join(folder, `${name}.lock`));
  let written: Buffer | null = null;
  return {
    load() {
      if (!existsSync(file)) return null;
      written = readFileSync(file);
      if (written[0] !== VERSION) {
        throw new InputError(
          `${file} has version ${written[0]}, but this program reads ${VERSION}: use the program that wrote it, or remove it`,
        );
      }
      try {
        return decode(written.subarray(1));
      } catch (error) {
        if (error instanceof Malformed)
          throw new InputError(`${file} is damaged: ${error.message}; remove it to start afresh`);
        throw error;
      }
    },
    save(saved) {
      const bytes = Buffer.concat([Buffer.from([VERSION]), encode(saved)]);
      if (written?.equals(bytes)) return;
      withFile(draft, "w", (descriptor) => {
        // A write may take less than it was given, on a disk that is nearly full for one.
        for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at);
      });
      renameSync(draft, file);
      // The new name of the file is part of the folder, which has to reach the disk as well.
      withFile(folder, "r", () => {});
      written = bytes;
    },
    close: unlock,
  };
}

function withFile(path: string, flags: string, act: (descriptor: number) => void): void {
  const descriptor = openSync(path, flags, 0o600);
  try {
    act(descriptor);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Two processes with one state would overwrite what the other has promised. The lock of a process that has died is void. */
function lock(file: string): () => void {
  for (;;) {
    try {
      writeFileSync(file, String(process.pid), { flag: "wx", mode: 0o600 });
      return () => rmSync(file, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
    const holder = Number(readFileSync(file, "utf8"));
    if (holder > 0 && isAlive(holder)) {
      throw new InputError(
        `${file} says that process ${holder} uses this state: end it, or remove the lock if that is another program`,
      );
    }
    rmSync(file, { force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** For protocols and tests that need nothing to survive. */
export function memoryStore(): Store {
  let kept: unknown = null;
  return {
    load: () => kept,
    save: (saved) => {
      kept = structuredClone(saved);
    },
    close: () => {},
  };
}
