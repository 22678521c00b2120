/**
 * How a command is brought to its end, by `run` or its guardian: a signal to all that belongs to it, after the grace (or at the deadline, if
 * that comes first) SIGKILL, again and again until nothing of it is left. That is seen by looking twice: a process that is just being
 * made, or changes its program, can escape one look.
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
  /** Looks for all that belongs to a command, at the same moment or later: a machine may have thousands of processes. */
  find(quarry: Quarry, found: (left: readonly SystemProcess[] | null) => void): void;
  /** One process, at once. */
  read(pid: number): SystemProcess | null;
  /** A negative number is a process group. False where there is no such process. */
  kill(pid: number, signal: NodeJS.Signals | 0): boolean;
  /** Kills all that is in a cgroup, at one moment. */
  killCgroup(folder: string): void;
  /** Whether anything lives in a cgroup. Processes that fork all the time can be missing in every list of them. */
  isPopulated(folder: string): boolean;
}

/** Nothing lives of what was looked for, as far as one look can tell. */
function isNothing(left: readonly SystemProcess[], { cgroup }: Quarry, { isPopulated }: EndingMeans): boolean {
  return cgroup ? !isPopulated(cgroup) : left.length === 0;
}

interface EndingSetup extends EndingMeans {
  readonly quarry: Quarry;
  readonly grace: number;
  /** Until when it may run, as it is known now; null: there is no such time. */
  deadline(): Deadline | null;
  /** Nothing is left. */
  gone(): void;
  /** It was killed long ago, and this is still there: it sleeps where no signal reaches it, or belongs to somebody else. */
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

  /** At once. */
  kill(): void {
    if (this.isOver) return;
    this.begin("SIGKILL", 0);
    this.killAt = deadlineAfter(0, this.setup.clocks);
    this.look();
  }

  /** Whether anything was there to be told: otherwise the command had ended by itself. */
  get hasSignalled(): boolean {
    return this.signalled.size > 0;
  }

  /** Also whenever anything else happens: after a pause the time may have come. */
  look(): void {
    if (!this.hasBegun || this.isOver) return;
    const isThere = this.leaderIsThere();
    // Nothing is told before it has looked: a descendant that left the group is found only while its parent lives.
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

  /** Its number may be another process's by now. */
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

  /** SIGKILL each time, anything else once to each; what is stopped could not hear of it otherwise. */
  private send(signal: NodeJS.Signals, left: readonly SystemProcess[] | null): void {
    const { cgroup } = this.setup.quarry;
    if (cgroup && signal === "SIGKILL") this.setup.killCgroup(cgroup);
    const leader = this.setup.quarry.leader?.pid ?? null;
    // The whole group at one moment: a shell must not start the next command when it finds that the present one has ended.
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

// What an ending needs, of this machine.

export const systemEnding: EndingMeans = {
  clocks: { mono: machineNow, wall: () => realWorld.wall() },
  set: (ms, callback) => realWorld.set(ms, callback),
  find(quarry, found) {
    const { cgroup, spared } = quarry;
    if (cgroup) found(processesIn(cgroup).filter(({ pid }) => !spared.includes(pid)));
    else find(quarry, found);
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

// The marker that a command and all that it starts carry in their environment. Its first part is the same for all runs of a member for
// an office, so that a run finds what a former one has left, also where nothing was saved; the rest says which run it was.

interface Whose {
  readonly group: string;
  readonly name: string;
  readonly office: string;
}

/** Process ids of another namespace mean other processes: who cannot see each other does not take the other's for its own. */
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

/** Whether it is of a run of the same member and office that has ended, or is stopped: then nobody holds what carries it. */
function isFormer(marker: string, prefix: string): boolean {
  const [first, pid, started] = marker.split(".");
  if (first !== prefix) return false;
  const it = readProcess(Number(pid));
  return it === null || it.started !== Number(started) || ["T", "t", "Z", "X"].includes(it.state);
}

// Before a run leads anything: what a former run of the same member and office has left behind is brought to its end.

interface FormerSetup extends EndingMeans {
  readonly whose: Whose;
  readonly grace: number;
  tell(pids: readonly number[]): void;
  lingers(pids: readonly number[]): void;
}

/** Resolves when nothing is left of it. */
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
