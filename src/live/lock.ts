/**
 * One process at a time. The lock of a process that has died is void; so that its number, given to another process since, does
 * not keep it (in a container the first process is always number 1), the lock also says when its process was started.
 */
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { InputError } from "../errors.ts";

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
