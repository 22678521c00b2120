/**
 * A file that appears only when it is complete: written beside its place under another name, renamed at the end. Writing
 * is synchronous, so that a slow disk holds the campaign back instead of filling the memory.
 */
import { randomBytes } from "node:crypto";
import {
  accessSync,
  closeSync,
  constants,
  openSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { InputError } from "../errors.ts";

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "its folder does not exist; create it or choose another place",
  ENOTDIR: "its folder is not a folder; choose another place",
  EISDIR: "it is a folder; give the name of a file",
  EACCES: "permission denied; choose another place",
  EPERM: "permission denied; choose another place",
  EROFS: "the file system is read-only; choose another place",
  ENOSPC: "the disk is full; make room or choose another place",
  EDQUOT: "the disk quota is used up; make room or choose another place",
  EFBIG: "the file grew too large; run fewer trials or choose .parquet",
};

export class OutputFile {
  private readonly name: string;
  private readonly target: string;
  private readonly temporary: string;
  private descriptor: number;
  private readonly onExit = () => this.discard();

  /** Throws an `InputError` when the place cannot be written to. */
  constructor(name: string) {
    this.name = name;
    try {
      this.target = writableTarget(name);
      removeLeftovers(this.target);
      const unique = `${process.pid}-${randomBytes(4).toString("hex")}`;
      this.temporary = join(dirname(this.target), `.${basename(this.target)}.${unique}.part`);
      this.descriptor = openSync(this.temporary, "wx");
    } catch (error) {
      throw unwritable(name, error);
    }
    process.once("exit", this.onExit);
  }

  write(data: string | Uint8Array): void {
    const bytes = typeof data === "string" ? Buffer.from(data) : data;
    this.attempt(() => {
      for (let done = 0; done < bytes.length; ) done += writeSync(this.descriptor, bytes, done);
    });
  }

  /** Puts the file in its place. */
  finish(): void {
    this.attempt(() => {
      this.close();
      renameSync(this.temporary, this.target);
    });
    process.removeListener("exit", this.onExit);
  }

  /** Leaves nothing behind, and an earlier file of that name as it was. Harmless after `finish`. */
  discard(): void {
    process.removeListener("exit", this.onExit);
    this.close();
    rmSync(this.temporary, { force: true });
  }

  private attempt(action: () => void): void {
    try {
      action();
    } catch (error) {
      this.discard();
      throw unwritable(this.name, error);
    }
  }

  private close(): void {
    if (this.descriptor < 0) return;
    const descriptor = this.descriptor;
    this.descriptor = -1;
    closeSync(descriptor);
  }
}

/** What processes that were killed had written of this file; those that run still need theirs. */
function removeLeftovers(target: string): void {
  const [before, after] = [`.${basename(target)}.`, /^(\d+)-[0-9a-f]{8}\.part$/];
  for (const name of readdirSync(dirname(target))) {
    const pid = name.startsWith(before) ? after.exec(name.slice(before.length))?.[1] : undefined;
    if (pid !== undefined && !isRunning(Number(pid))) rmSync(join(dirname(target), name), { force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Where the file will be: behind a link rather than in its place, and never instead of a folder or a device. */
function writableTarget(name: string): string {
  const existing = statSync(name, { throwIfNoEntry: false });
  if (existing === undefined) return name;
  if (existing.isDirectory()) throw Object.assign(new Error(), { code: "EISDIR" });
  if (!existing.isFile())
    throw new InputError(`cannot write "${name}": it is not an ordinary file; choose another name`);
  accessSync(name, constants.W_OK);
  return realpathSync(name);
}

function unwritable(name: string, error: unknown): Error {
  if (error instanceof InputError) return error;
  const { code } = error as NodeJS.ErrnoException;
  if (code === undefined) return error as Error;
  return new InputError(`cannot write "${name}": ${REASONS[code] ?? `${code}; choose another place`}`);
}
