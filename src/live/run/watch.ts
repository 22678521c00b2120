/**
 * The logic of a guardian; clocks, timers and processes are passed in. It starts the command once it knows the deadline. It ends the command
 * one grace before the deadline, unless a later deadline comes, and at once when `run` has gone. An ending is final.
 */
import type { ChildProcess } from "node:child_process";
import type { EventEmitter } from "node:events";
import { Ending, type EndingMeans } from "./ending.ts";
import type { GuardianOrder, GuardianWord, StartOrder, Why } from "./guardian-link.ts";
import { MARKER_VARIABLE, NOT_EXECUTABLE, NOT_FOUND } from "./processes.ts";
import { type Deadline, leftOf } from "./times.ts";

/** The most milliseconds between looks at the clocks: no timer follows the wall clock. */
const LOOK_EVERY = 100;

export interface Started {
  readonly child: Pick<ChildProcess, "pid"> & Pick<EventEmitter, "once">;
  /** Whether the command dies with its parent. */
  readonly bound: boolean;
  /** Whether it runs in the cgroup that the order names. */
  readonly inCgroup: boolean;
}

interface WatchMeans extends EndingMeans {
  say(word: GuardianWord): void;
  /** Starts a program that leads a process group and a session of its own; or says why it cannot. */
  start(order: StartOrder): Started | { readonly status: number; readonly why: string };
  readonly self: number;
  /** Called when there is nothing left to watch. */
  over(): void;
}

export class CommandWatch {
  private readonly means: WatchMeans;
  private ending: Ending | null = null;
  private pid: number | null = null;
  private grace = 0;
  private deadline: Deadline | null = null;
  private hasExited = false;
  private isDone = false;
  private cancel: () => void = () => {};

  constructor(means: WatchMeans) {
    this.means = means;
  }

  obey(order: GuardianOrder): void {
    this.look();
    if (order.order === "start") this.start(order.start, order.deadline);
    else if (order.order === "deadline") this.deadline = order.deadline;
    else if (order.order === "end") this.end("told", order.signal);
    else if (order.order === "kill") this.kill();
    else if (order.order === "signal" && this.pid !== null && !this.hasExited) {
      this.means.kill(order.group ? -this.pid : this.pid, order.signal);
    }
    if ("number" in order) this.means.say({ said: "known", number: order.number });
    this.wake();
  }

  /** `run` has ended, or does not listen. */
  orphaned(): void {
    this.look();
    if (this.ending === null) this.finish();
    else this.end("agent");
  }

  /** This process was told to end. */
  told(): void {
    if (this.ending === null) this.finish();
    else this.end("told");
  }

  kill(): void {
    if (this.ending === null) return;
    this.tell("told");
    this.ending.kill();
  }

  private start(order: StartOrder, deadline: Deadline | null): void {
    if (this.ending !== null || this.isDone) return;
    this.deadline = deadline;
    this.grace = order.grace;
    if (deadline !== null && leftOf(deadline, this.means.clocks) <= order.grace) {
      this.means.say({ said: "ending", why: "deadline" });
      this.finish();
      return;
    }
    const started = this.means.start(order);
    if ("why" in started) this.failed(started);
    else this.follow(started, order);
  }

  private follow({ child, bound, inCgroup }: Started, { marker, grace, cgroup }: StartOrder): void {
    const { means } = this;
    child.once("error", (error: NodeJS.ErrnoException) => {
      if (child.pid !== undefined) return;
      this.failed({ status: error.code === "ENOENT" ? NOT_FOUND : NOT_EXECUTABLE, why: error.message });
    });
    const { pid } = child;
    if (pid === undefined) return;
    const started = means.read(pid)?.started ?? null;
    this.pid = pid;
    this.ending = new Ending({
      ...means,
      grace,
      quarry: {
        leader: { pid, started },
        isMarked: (found) => found === marker,
        spared: [means.self],
        cgroup: inCgroup ? cgroup : null,
      },
      deadline: () => this.deadline,
      gone: () => this.gone(),
      lingers: (pids) => means.say({ said: "lingers", pids }),
    });
    child.once("exit", (code: number | null, signal: NodeJS.Signals | null) => {
      this.hasExited = true;
      this.tell("exit");
      means.say({ said: "exit", code, signal });
      // Processes that the command has left behind are ended too.
      this.ending!.begin();
    });
    means.say({ said: "started", pid, started, bound, inCgroup });
  }

  private failed({ status, why }: { readonly status: number; readonly why: string }): void {
    this.means.say({ said: "failed", status, why });
    this.finish();
  }

  /** Looks at the clocks before anything else is handled: a passed deadline is final. */
  private look(): void {
    if (this.ending === null || this.isDone) return;
    const { deadline, grace, means } = this;
    if (deadline !== null && leftOf(deadline, means.clocks) <= grace) this.end("deadline");
    this.ending.look();
  }

  private end(why: Why, signal: NodeJS.Signals = "SIGTERM"): void {
    this.tell(why);
    this.ending?.begin(signal);
  }

  /** The first reason counts. */
  private tell(why: Why): void {
    if (this.ending !== null && !this.ending.hasBegun) this.means.say({ said: "ending", why });
  }

  private wake(): void {
    this.cancel();
    if (this.isDone || this.ending === null) return;
    const { deadline, grace, means } = this;
    const left = deadline === null ? LOOK_EVERY : leftOf(deadline, means.clocks) - grace;
    this.cancel = means.set(Math.max(1, Math.min(LOOK_EVERY, left)), () => {
      this.look();
      this.wake();
    });
  }

  private gone(): void {
    // This process, its parent, will hear of its exit in a moment.
    if (!this.hasExited) {
      this.means.set(LOOK_EVERY, () => this.gone());
      return;
    }
    this.means.say({ said: "gone" });
    this.finish();
  }

  private finish(): void {
    if (this.isDone) return;
    this.isDone = true;
    this.cancel();
    this.means.over();
  }
}

/** The command's environment, with the marker. */
export const marked = ({ env, marker }: StartOrder): Record<string, string> => ({ ...env, [MARKER_VARIABLE]: marker });
