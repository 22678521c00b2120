/**
 * A control group of Linux (cgroup v2) for one command. The kernel keeps all descendants in it, also if they leave their parents, sessions
 * or environments, and kills all of them at once. This needs Linux 5.14, and a cgroup in which this process may create others: root has
 * one, and so has a systemd unit with Delegate=yes.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { isDead, readProcess, type SystemProcess } from "./processes.ts";

const NAME = "sortition-";

/** The folder of this process's cgroup; null if it is not known. The texts are those of /proc/self. */
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

/** Creates a cgroup for the processes with this marker; null if that is not possible. */
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

/** Removes a cgroup and those below it, if no process is left in them. */
export function removeCgroup(folder: string): void {
  try {
    for (const below of foldersIn(folder)) removeCgroup(below);
    rmdirSync(folder);
  } catch {
    // It is removed already, or the next run of this member removes it.
  }
}

/**
 * Starts a process inside a cgroup: this process enters the cgroup, forks, and leaves again, so that the new process is inside before it
 * runs. If that is not allowed, it starts the process outside and says so.
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

/** Kills all processes of a cgroup, also those that are just being forked. */
export function killCgroup(folder: string): void {
  try {
    writeFileSync(join(folder, "cgroup.kill"), "1");
  } catch {
    // It has gone.
  }
}

/** The cgroups whose marker passes this test. */
export function cgroupsOf(isIt: (marker: string) => boolean, own = ownCgroup()): string[] {
  if (own === null) return [];
  return foldersIn(own).filter((folder) => {
    const name = basename(folder);
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
