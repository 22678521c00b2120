/**
 * The processes of this machine, as Linux shows them under /proc, and which of them belong to a command: its process group and session, the
 * processes with its marker in their environment, and the descendants of all these.
 */
import { accessSync, constants, readdirSync, readFileSync, readlinkSync, statSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { delimiter, join } from "node:path";

/** The variable of the marker. The command and all processes that it starts have it, unless one cleans its environment. */
export const MARKER_VARIABLE = "SORTITION_RUN";

export interface SystemProcess {
  readonly pid: number;
  readonly state: string;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  readonly threads: number;
  /** Ticks since the start of the machine. With the pid, it identifies the process. */
  readonly started: number;
}

/** What to look for. */
export interface Quarry {
  /** The command, which leads a process group and a session of its own; null: only the marker counts. */
  readonly leader: { readonly pid: number; readonly started: number | null } | null;
  isMarked(marker: string): boolean;
  /** Processes that are never in the result. */
  readonly spared: readonly number[];
  /** The cgroup that holds its processes. */
  readonly cgroup?: string | null;
  /** Whether they may be outside of that cgroup as well. Otherwise nothing else is searched. */
  readonly mayBeOutside?: boolean;
}

/** All processes; null if the system has no /proc like Linux. */
export function listProcesses(): readonly SystemProcess[] | null {
  let names: string[];
  try {
    names = readdirSync("/proc");
  } catch {
    return null;
  }
  const found = names.filter((name) => /^\d+$/.test(name)).map((name) => readProcess(Number(name)));
  return found.some((it) => it?.pid === process.pid) ? found.filter((it) => it !== null) : null;
}

export const readProcess = (pid: number): SystemProcess | null => processIn(pid, read(`/proc/${pid}/stat`));

function processIn(pid: number, text: string | null): SystemProcess | null {
  // The name of the program is in parentheses, and may have parentheses itself.
  const end = text?.lastIndexOf(")") ?? -1;
  if (text === null || end < 0) return null;
  const fields = text.slice(end + 2).split(" ");
  const [parent, group, session] = fields.slice(1, 4).map(Number);
  return {
    pid,
    state: fields[0],
    parent,
    group,
    session,
    threads: Number(fields[17]),
    started: Number(fields[19]),
  };
}

/** The marker of a process; null if it has none, or if its environment must not be read. */
export const markerOf = (pid: number): string | null => markerIn(read(`/proc/${pid}/environ`));

function markerIn(environment: string | null): string | null {
  const entry = environment?.split("\0").find((one) => one.startsWith(`${MARKER_VARIABLE}=`));
  return entry?.slice(MARKER_VARIABLE.length + 1) ?? null;
}

/** The pid namespace of this process; null if it is not known. */
export function pidNamespace(): string | null {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return null;
  }
}

/** Reads as Latin-1, which keeps all bytes. */
function read(file: string): string | null {
  try {
    return readFileSync(file, "latin1");
  } catch {
    return null;
  }
}

/** Whether a process is dead but not yet reaped by its parent. A main thread that has ended while other threads go on is not dead. */
export const isDead = ({ state, threads }: SystemProcess): boolean => (state === "Z" || state === "X") && threads <= 1;

/** The files that are read at a time, so that other work goes on however many processes there are. */
const AT_ONCE = 16;

/** Processes without a marker: pid and start. Such a process never gets a marker, so it is not read again. */
const unmarked = new Map<number, number>();

/** The live processes of a command; null if the system does not show them. */
export function find(quarry: Quarry, found: (left: readonly SystemProcess[] | null) => void): void {
  look(quarry).then(found, () => found(null));
}

async function look(quarry: Quarry): Promise<readonly SystemProcess[] | null> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number);
  const all: SystemProcess[] = [];
  const markers = new Map<number, string>();
  const rest = pids.values();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const pid of rest) {
        const it = processIn(pid, await readSoon(`/proc/${pid}/stat`));
        if (it === null) continue;
        all.push(it);
        if (isDead(it) || unmarked.get(pid) === it.started) continue;
        const environment = await readSoon(`/proc/${pid}/environ`);
        const marker = markerIn(environment);
        if (marker !== null) markers.set(pid, marker);
        else if (environment) unmarked.set(pid, it.started);
      }
    }),
  );
  const there = new Set(pids);
  for (const pid of unmarked.keys()) if (!there.has(pid)) unmarked.delete(pid);
  return all.some(({ pid }) => pid === process.pid) ? belonging(quarry, all, markers) : null;
}

const readSoon = (file: string): Promise<string | null> => readFile(file, "latin1").catch(() => null);

function belonging(
  { leader, isMarked, spared }: Quarry,
  all: readonly SystemProcess[],
  markers: ReadonlyMap<number, string>,
): readonly SystemProcess[] {
  // If another process has the leader's pid by now, the group and session do not count.
  const known = all.find(({ pid }) => pid === leader?.pid);
  const isOurs =
    leader !== null && (known === undefined || leader.started === null || known.started === leader.started);
  const isOfLeader = ({ group, session }: SystemProcess) => isOurs && (group === leader.pid || session === leader.pid);
  const found = new Set<number>();
  for (const it of all) {
    if (isOfLeader(it) || (!isDead(it) && isMarked(markers.get(it.pid) ?? ""))) found.add(it.pid);
  }
  for (let before = -1; before < found.size; ) {
    before = found.size;
    for (const { pid, parent } of all) if (found.has(parent)) found.add(pid);
  }
  return all.filter((it) => found.has(it.pid) && !spared.includes(it.pid) && !isDead(it));
}

// Where a command is, before it is started: so that one that is not there is told in a sentence, and with the status of a shell.

export const NOT_FOUND = 127;
export const NOT_EXECUTABLE = 126;

type Found = { readonly file: string } | { readonly status: number; readonly why: string };

export function findProgram(name: string, path: string | undefined): Found {
  const places = name.includes("/")
    ? [name]
    : (path ?? "/usr/bin:/bin").split(delimiter).map((dir) => join(dir || ".", name));
  let isThere = false;
  for (const file of places) {
    try {
      const isFolder = statSync(file).isDirectory();
      isThere ||= !isFolder || name.includes("/");
      if (isFolder) continue;
      accessSync(file, constants.X_OK);
      return { file };
    } catch {
      // Not this one.
    }
  }
  if (isThere) return { status: NOT_EXECUTABLE, why: `${name} cannot be run: is it a program, and may you run it?` };
  const where = name.includes("/") ? "there is no such file" : "it is in none of the folders of PATH";
  return { status: NOT_FOUND, why: `the command ${name} was not found: ${where}` };
}
