/**
 * A control group of Linux (cgroup v2) for one command. The kernel keeps all descendants in it, whatever they do to their parents,
 * sessions and environments, and kills all of them at once. It takes Linux 5.14, and a cgroup in which this process may make others:
 * root has one, and so has a unit of systemd with Delegate=yes.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isDead, readProcess, type SystemProcess } from "./processes.ts";

const NAME = "sortition-";

/** The folder of the cgroup that this process is in; null where that cannot be known. The texts are those of /proc/self. */
export function ownCgroup(cgroups = read("/proc/self/cgroup"), mounts = read("/proc/self/mountinfo")): string | null {
  const [, path] = /^0::(\/.*)$/m.exec(cgroups) ?? [];
  if (path === undefined || path.startsWith("/..")) return null;
  for (const line of mounts.split("\n")) {
    const [mount, source] = line.split(" - ");
    if (!source?.startsWith("cgroup2 ")) continue;
    const [, , , root, point] = mount.split(" ");
    if (root === "/") return join(point, path);
    if (path === root || path.startsWith(`${root}/`)) return join(point, path.slice(root.length));
  }
  return null;
}

/** Makes a cgroup for what carries this marker; null where that is not possible. */
export function makeCgroup(marker: string): string | null {
  const own = ownCgroup();
  if (own === null) return null;
  const folder = join(own, `${NAME}${marker}`);
  try {
    mkdirSync(folder);
  } catch {
    return null;
  }
  if (existsSync(join(folder, "cgroup.kill"))) return folder;
  removeCgroup(folder);
  return null;
}

/** Removes it with all below it, if nothing lives in it. */
export function removeCgroup(folder: string): void {
  try {
    for (const below of foldersIn(folder)) removeCgroup(below);
    rmdirSync(folder);
  } catch {
    // It is removed already, or by the next run of this member.
  }
}

/**
 * Starts a process inside: this process enters, forks, and leaves again, so that nothing can run before it is inside. False where
 * that is not allowed; then the process is started outside.
 */
export function startInside<Child>(folder: string | null, start: () => Child): { child: Child; isInside: boolean } {
  const own = folder === null ? null : ownCgroup();
  if (folder === null || own === null || !enter(folder)) return { child: start(), isInside: false };
  try {
    return { child: start(), isInside: true };
  } finally {
    enter(own);
  }
}

function enter(folder: string): boolean {
  try {
    writeFileSync(join(folder, "cgroup.procs"), String(process.pid));
    return true;
  } catch {
    return false;
  }
}

/** By the kernel's own count, which misses no process that is just being made. */
export const isPopulated = (folder: string): boolean =>
  !/^populated 0$/m.test(read(join(folder, "cgroup.events"))) && existsSync(folder);

/** What lives in it, as far as a list can tell: a process may start another and end while it is read. */
export function processesIn(folder: string): readonly SystemProcess[] {
  return pidsIn(folder).flatMap((pid) => {
    const it = readProcess(pid);
    return it === null || isDead(it) ? [] : [it];
  });
}

/** All of it, also what is being forked at this moment. */
export function killCgroup(folder: string): void {
  try {
    writeFileSync(join(folder, "cgroup.kill"), "1");
  } catch {
    // It has gone.
  }
}

/** Those that were made for a marker of which this is true. */
export function cgroupsOf(isIt: (marker: string) => boolean): string[] {
  const own = ownCgroup();
  if (own === null) return [];
  return foldersIn(own).filter((folder) => {
    const name = folder.slice(own.length + (own.endsWith("/") ? 0 : 1));
    return name.startsWith(NAME) && isIt(name.slice(NAME.length));
  });
}

function pidsIn(folder: string): number[] {
  const own = read(join(folder, "cgroup.procs")).split("\n").filter(Boolean).map(Number);
  return [...own, ...foldersIn(folder).flatMap(pidsIn)];
}

function foldersIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => join(folder, entry.name));
  } catch {
    return [];
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, "latin1");
  } catch {
    return "";
  }
}
