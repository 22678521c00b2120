/** Where a node keeps what must survive a crash. A write has reached the disk when it returns. */
import { existsSync, mkdirSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { InputError } from "../errors.ts";
import { Malformed } from "../wire/bytes.ts";
import { decode, encode } from "../wire/codec.ts";
import { lock, syncFolderOf, withSynced, writeAll } from "./files.ts";

/** Loaded with the first file that is read or written: an import costs 2 MB. */
const crc32 = (bytes: Uint8Array): number => process.getBuiltinModule("node:zlib").crc32(bytes);

/** A place for what one member must not forget. */
export interface Store {
  /** Null where nothing was saved yet. */
  load(): unknown;
  save(saved: unknown): void;
  close(): void;
}

/** The first byte of every file, then a checksum of the rest. A file of a newer version is refused. */
const VERSION = 1;
const HEAD_BYTES = 5;

/** What is done about files that cannot be read, here or by others. */
interface FileStoreOptions {
  /** Told why; then it counts as if nothing had been saved, and is kept beside. Where missing, it is an error. */
  readonly damaged?: (why: string) => void;
}

/**
 * One file per name, replaced as a whole: after a crash it holds the old state or the new one. Two processes with one state
 * would overwrite what the other has promised: the second is refused.
 */
export function fileStore(folder: string, name: string, { damaged }: FileStoreOptions = {}): Store {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${name}.state`);
  const draft = `${file}.new`;
  const unlock = lock(join(folder, `${name}.lock`));
  let written: Buffer | null = null;
  return {
    load() {
      if (!existsSync(file)) return null;
      const bytes = readFileSync(file);
      try {
        const saved = savedIn(bytes, file);
        written = bytes;
        return saved;
      } catch (error) {
        if (!(error instanceof Malformed)) throw error;
        const why = `${file} is damaged: ${error.message}`;
        if (damaged === undefined) throw new InputError(`${why}; remove it to start afresh`);
        renameSync(file, `${file}.damaged`);
        damaged(why);
        return null;
      }
    },
    save(saved) {
      const rest = encode(saved);
      const head = Buffer.alloc(HEAD_BYTES, VERSION);
      head.writeUInt32BE(crc32(rest), 1);
      const bytes = Buffer.concat([head, rest]);
      if (written?.equals(bytes)) return;
      withSynced(draft, "w", (descriptor) => writeAll(descriptor, bytes));
      renameSync(draft, file);
      syncFolderOf(file);
      written = bytes;
    },
    close: unlock,
  };
}

/** Throws `Malformed`, or an InputError where another version has written it. */
export function savedIn(bytes: Buffer, file: string): unknown {
  if (bytes[0] > VERSION) {
    throw new InputError(
      `${file} has version ${bytes[0]}, but this program reads up to ${VERSION}: use the program that wrote it, or remove it`,
    );
  }
  if (bytes[0] !== VERSION || bytes.length < HEAD_BYTES) throw new Malformed("it ends too early");
  const rest = bytes.subarray(HEAD_BYTES);
  if (crc32(rest) !== bytes.readUInt32BE(1)) throw new Malformed("its checksum is another one");
  return decode(rest);
}

/** For protocols and tests that need nothing to survive. In the form of files: `structuredClone` takes six times as long. */
export function memoryStore(): Store {
  let kept: Uint8Array | null = null;
  return {
    load: () => kept && decode(kept),
    save: (saved) => {
      kept = encode(saved);
    },
    close: () => {},
  };
}
