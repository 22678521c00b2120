/** Folders in which a commit does not wait for a real disk, and small disks that can be full. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NEEDS_ROOT } from "./not-tested.ts";
import { RUN } from "./setup.ts";

const MEMORY = "/dev/shm";

/** In memory where the system has a folder for that. The name contains the run's id: its warden removes what a test leaves behind. */
export function memoryFolder(): string {
  const parent = existsSync(MEMORY) ? join(MEMORY, `sortition-${process.env[RUN]}-`) : join(tmpdir(), "sortition-");
  return mkdtempSync(parent);
}

export interface SmallDisk {
  readonly folder: string;
  /** Such as "ro" or "size=1m". */
  remount(options: string): void;
  remove(): void;
}

/** A disk of that size at a new folder. In a string: why there can be none here. */
export function smallDisk(folder: string, size: string): SmallDisk | string {
  if (process.getuid?.() !== 0) return NEEDS_ROOT;
  const mount = (...args: string[]) => void execFileSync("mount", args, { stdio: "pipe" });
  mkdirSync(folder);
  try {
    mount("-t", "tmpfs", "-o", `size=${size}`, "tmpfs", folder);
  } catch (error) {
    // In most containers root may not.
    return `${NEEDS_ROOT} that may mount a disk (${String(error).split("\n")[0]})`;
  }
  return {
    folder,
    remount: (options) => mount("-o", `remount,${options}`, folder),
    // Lazily: a process that has just been killed may still have a file of it open.
    remove: () => void execFileSync("umount", ["-l", folder], { stdio: "pipe" }),
  };
}
