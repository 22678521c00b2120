/**
 * How `run` or its guardian ends a command: a signal to all its processes, and after the grace (or at the deadline, if that comes first)
 * SIGKILL, repeated until no process is left. Two looks in a row must find none, because one look can miss a process that is just being
 * created or changes its program.
 */

import { createHash } from "node:crypto";
import { machineNow, realWorld } from "../real-world.ts";
import { cgroupsOf, isPopulated, killCgroup, processesIn, removeCgroup } from "./cgroup.ts";
import { find, isDead, pidNamespace, type Quarry, readProcess, type SystemProcess } from "./processes.ts";
import { type Clocks, type Deadline, deadlineAfter, leftOf } from "./times.ts";

/** Milliseconds between looks. */
const LOOK_EVERY = 20;

export interface EndingMeans {
  readonly clocks: Clocks;
  set(ms: number, callback: () => void): () => void;
  /** Looks for all processes of a command. The result may come later: a machine may have thousands of processes. */
  find(quarry: Quarry, found: (left: readonly SystemProcess[] | null) => void): void;
  /** Reads one process, at once. */
  read(pid: number): SystemProcess | null;
  /** Sends a signal; a negative number is a process group. False if there is no such process. */
  kill(pid: number, signal: NodeJS.Signals | 0): boolean;
  /** Kills all processes of a cgroup at once. */
  killCgroup(folder: string): void;
  /** Whether anything lives in a cgroup. Processes that fork all the time can be missing in every list of them. */
  isPopulated(folder: string): boolean;
}

/** Nothing lives of what was looked for, as far as one look can tell. */
function isNothing(left: readonly SystemProcess[], { cgroup }: Quarry, { isPopulated }: EndingMeans): boolean {
  return left.length === 0 && !(cgroup && isPopulated(cgroup));
}

interface EndingSetup extends EndingMeans {
  readonly quarry: Quarry;
  readonly grace: number;
  /** The present deadline of the command; null if it has none. */
  deadline(): Deadline | null;
  /** Called when no process is left. */
  gone(): void;
  /** Called with processes that are still there long after SIGKILL: in an uninterruptible sleep, or of another user. */
  lingers?(pids: readonly number[]): void;
}

/** Milliseconds after the first SIGKILL. */
const LINGERS_AFTER = 5000;

export class Ending {
  private readonly setup: EndingSetup;
  private readonly signalled = new Set<number>();
  private killAt: Deadline | null = null;
  private complainAt: Deadline | null = null;
  private signal: NodeJS.Signals = "SIGTERM";
  private cancel: () => void = () => {};
  private looks = 0;
  private isLooking = false;
  private isOver = false;

  constructor(setup: EndingSetup) {
    this.setup = setup;
  }

  get hasBegun(): boolean {
    return this.killAt !== null;
  }

  begin(signal: NodeJS.Signals = "SIGTERM", grace = this.setup.grace): void {
    if (this.hasBegun) return;
    this.signal = signal;
    this.killAt = deadlineAfter(grace, this.setup.clocks);
    this.look();
  }

  /** Sends SIGKILL at once. */
  kill(): void {
    if (this.isOver) return;
    this.begin("SIGKILL", 0);
    this.killAt = deadlineAfter(0, this.setup.clocks);
    this.look();
  }

  /** Whether any process got a signal; otherwise the command had ended by itself. */
  get hasSignalled(): boolean {
    return this.signalled.size > 0;
  }

  /** Called also at other events, because after a pause the time may have come. */
  look(): void {
    if (!this.hasBegun || this.isOver) return;
    const isThere = this.leaderIsThere();
    // Looks before it sends a signal: a descendant that has left the group is found only while its parent lives.
    if (this.isLooking) return;
    this.isLooking = true;
    this.cancel();
    const began = this.setup.clocks.mono();
    this.setup.find(this.setup.quarry, (left) => {
      this.isLooking = false;
      this.found(left, isThere, began);
    });
  }

  private found(left: readonly SystemProcess[] | null, wasThere: boolean, began: number): void {
    const { clocks, set, gone, quarry } = this.setup;
    const isEmpty = !wasThere && (left === null ? !this.groupIsThere() : isNothing(left, quarry, this.setup));
    this.looks = isEmpty ? this.looks + 1 : 0;
    if (this.looks >= 2) {
      this.isOver = true;
      gone();
      return;
    }
    const signal = this.dueSignal();
    this.send(signal, left);
    if (signal === "SIGKILL") this.complain(left ?? []);
    // On a machine of thousands of processes a look takes its time.
    this.cancel = set(Math.max(LOOK_EVERY, 4 * (clocks.mono() - began)), () => this.look());
  }

  private dueSignal(): NodeJS.Signals {
    const { clocks } = this.setup;
    const deadline = this.setup.deadline();
    const isTime = leftOf(this.killAt!, clocks) <= 0 || (deadline !== null && leftOf(deadline, clocks) <= 0);
    return isTime ? "SIGKILL" : this.signal;
  }

  /** Whether the process with the leader's id is still the leader. */
  private leaderIsThere(): boolean {
    const { leader } = this.setup.quarry;
    if (leader === null) return false;
    const it = this.setup.read(leader.pid);
    return it !== null && !isDead(it) && (leader.started === null || it.started === leader.started);
  }

  private groupIsThere(): boolean {
    const { leader } = this.setup.quarry;
    return leader !== null && this.setup.kill(-leader.pid, 0);
  }

  /** Sends SIGKILL each time, other signals once to each process. Stopped processes are continued, so that they get the signal. */
  private send(signal: NodeJS.Signals, left: readonly SystemProcess[] | null): void {
    const { cgroup } = this.setup.quarry;
    if (cgroup && signal === "SIGKILL") this.setup.killCgroup(cgroup);
    const leader = this.setup.quarry.leader?.pid ?? null;
    // The whole group at once, so that a shell does not start its next command when the present one ends.
    if (leader !== null && (left === null || left.some(({ group }) => group === leader))) this.tell(-leader, signal);
    for (const { pid, group } of left ?? []) if (group !== leader) this.tell(pid, signal);
  }

  private tell(pid: number, signal: NodeJS.Signals): void {
    const { kill } = this.setup;
    if (signal !== "SIGKILL" && this.signalled.has(pid)) return;
    this.signalled.add(pid);
    kill(pid, signal);
    if (signal !== "SIGKILL") kill(pid, "SIGCONT");
  }

  private complain(left: readonly SystemProcess[]): void {
    const { clocks, lingers } = this.setup;
    this.complainAt ??= deadlineAfter(LINGERS_AFTER, clocks);
    if (left.length === 0 || leftOf(this.complainAt, clocks) > 0) return;
    this.complainAt = deadlineAfter(LINGERS_AFTER, clocks);
    lingers?.(left.map(({ pid }) => pid));
  }
}

// The means of an ending on this machine.

export const systemEnding: EndingMeans = {
  clocks: { mono: machineNow, wall: () => realWorld.wall() },
  set: (ms, callback) => realWorld.set(ms, callback),
  find(quarry, found) {
    const { cgroup, mayBeOutside, spared } = quarry;
    const inside = cgroup ? processesIn(cgroup).filter(({ pid }) => !spared.includes(pid)) : [];
    if (cgroup && mayBeOutside !== true) found(inside);
    else {
      const known = new Set(inside.map(({ pid }) => pid));
      find(quarry, (all) => found(all && [...inside, ...all.filter(({ pid }) => !known.has(pid))]));
    }
  },
  read: readProcess,
  killCgroup,
  isPopulated,
  kill(pid, signal) {
    try {
      return process.kill(pid, signal);
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === "EPERM";
    }
  },
};

// The marker in the environment of a command and of all processes that it starts. Its first part is the same for all runs of a member for an
// office, so that a run finds processes of a former run without saved state. The rest identifies the run.

interface Whose {
  readonly group: string;
  readonly name: string;
  readonly office: string;
}

/** The first part. It includes the pid namespace, because the same ids mean other processes there. */
function markerPrefix({ group, name, office }: Whose): string {
  return createHash("sha256")
    .update(JSON.stringify([group, name, office, pidNamespace()]))
    .digest("hex")
    .slice(0, 16);
}

export function newMarker(whose: Whose): string {
  const started = readProcess(process.pid)?.started ?? 0;
  return [markerPrefix(whose), process.pid, started, realWorld.bytes(6).toString("hex")].join(".");
}

/** Whether a marker is of a former run of this member and office, which has ended or is stopped, so that nobody holds its processes. */
function isFormer(marker: string, prefix: string): boolean {
  const [first, pid, started] = marker.split(".");
  if (first !== prefix) return false;
  const it = readProcess(Number(pid));
  return it === null || it.started !== Number(started) || ["T", "t", "Z", "X"].includes(it.state);
}

// Before a run leads: ends the processes that a former run of the same member and office has left behind.

interface FormerSetup extends EndingMeans {
  readonly whose: Whose;
  readonly grace: number;
  tell(pids: readonly number[]): void;
  lingers(pids: readonly number[]): void;
}

/** Resolves when no process of a former run is left. */
export async function endFormer({ whose, grace, tell, lingers, ...means }: FormerSetup): Promise<void> {
  const prefix = markerPrefix(whose);
  const quarry: Quarry = { leader: null, isMarked: (marker) => isFormer(marker, prefix), spared: [process.pid] };
  const cgroups = cgroupsOf(quarry.isMarked);
  const end = (of: Quarry) =>
    new Promise<void>((gone) => {
      means.find(of, (found) => {
        if (found === null || isNothing(found, of, means)) return gone();
        tell(found.map(({ pid }) => pid));
        new Ending({ ...means, quarry: of, grace, deadline: () => null, gone, lingers }).begin();
      });
    });
  await Promise.all([end(quarry), ...cgroups.map((cgroup) => end({ ...quarry, cgroup }))]);
  for (const cgroup of cgroups) removeCgroup(cgroup);
}
