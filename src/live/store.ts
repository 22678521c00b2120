/** Where a node keeps what must survive a crash. A write has reached the disk when it returns. */
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";
import { join } from "node:path";
import { InputError } from "../errors.ts";
import { Malformed } from "../wire/bytes.ts";
import { decode, encode } from "../wire/codec.ts";

export interface Store {
  /** Null where nothing was saved yet. */
  load(): unknown;
  save(saved: unknown): void;
}

/** One file per election and member, replaced as a whole: after a crash it holds the old state or the new one. */
export function fileStore(folder: string, name: string): Store {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${name}.state`);
  const draft = `${file}.new`;
  let written: Buffer | null = null;
  return {
    load() {
      if (!existsSync(file)) return null;
      written = readFileSync(file);
      try {
        return decode(written);
      } catch (error) {
        if (error instanceof Malformed)
          throw new InputError(`${file} is damaged: ${error.message}; remove it to start afresh`);
        throw error;
      }
    },
    save(saved) {
      const bytes = encode(saved);
      if (written?.equals(bytes)) return;
      const descriptor = openSync(draft, "w", 0o600);
      writeSync(descriptor, bytes);
      fsyncSync(descriptor);
      closeSync(descriptor);
      renameSync(draft, file);
      // The new name of the file is part of the folder, which has to reach the disk as well.
      const parent = openSync(folder, "r");
      fsyncSync(parent);
      closeSync(parent);
      written = Buffer.from(bytes);
    },
  };
}

/** For protocols and tests that need nothing to survive. */
export function memoryStore(): Store {
  let kept: unknown = null;
  return {
    load: () => kept,
    save: (saved) => {
      kept = structuredClone(saved);
    },
  };
}
