/**
 * One command under its guardian, as `sortition run` sees it. The guardian is asked every renewal interval. If it does not answer in time,
 * or has ended, or the command runs beyond its deadline, this process ends the command itself.
 */
import { constants } from "node:os";
import type { Confirmed, Gate } from "../leading/gate.ts";
import { type Cancel, every, type World } from "../world.ts";
import { Ending, type EndingMeans } from "./ending.ts";
import type { GuardianLink, GuardianListener, GuardianWord, StartOrder, Why } from "./guardian-link.ts";
import { type Clocks, type Deadline, deadlineFrom, leftOf, type RunTimes } from "./times.ts";

/** Milliseconds for a process to start, on a busy machine. */
const READY_WITHIN = 10_000;
/** Milliseconds for a starved guardian to tell the status of a command that has ended. */
const STATUS_WITHIN = 10_000;
/** Milliseconds between looks at the clocks. */
const LOOK_EVERY = 100;

export interface CommandOutcome {
  /** `exited`: by itself. `failed`: it could not be started. `ended`: it was told to end, or was never started. */
  readonly how: "exited" | "failed" | "ended";
  /** As in a shell: 128 plus the signal's number if a signal has ended it. */
  readonly status: number;
  readonly why: Why | "guardian" | string;
}

interface HeldSetup {
  readonly world: World;
  readonly ending: EndingMeans;
  readonly times: Pick<RunTimes, "renewEvery" | "answerWithin">;
  readonly order: StartOrder;
  /** The present deadline of the command; null without a lease. */
  deadline(): Deadline | null;
  open(listener: GuardianListener): GuardianLink;
  /** Logs what happens. */
  tell(level: "info" | "warn" | "error", message: string, fields?: Readonly<Record<string, unknown>>): void;
}

type Known = () => void;

export class HeldCommand {
  readonly ended: Promise<CommandOutcome>;
  private readonly setup: HeldSetup;
  private readonly link: GuardianLink;
  private resolve!: (outcome: CommandOutcome) => void;
  /** The orders that the guardian has not answered. */
  private readonly unanswered = new Map<number, { readonly known: Known; readonly cancel: Cancel }>();
  private numbers = 0;
  private isReady = false;
  private isOver = false;
  private stopped: NodeJS.Signals | null = null;
  private isKilled = false;
  /** Whether the guardian has ended; no process of the command is left, and its status is awaited. */
  private isClosed = false;
  private isEmpty = false;
  private leader: { readonly pid: number; readonly started: number | null } | null = null;
  /** The command's cgroup; null once it is known that the command does not run in one. */
  private cgroup: string | null;
  private why: Why | null = null;
  private status: number | null = null;
  /** Set when this process ends the command itself. */
  private ending: Ending | null = null;
  private readonly cancels: Cancel[] = [];

  constructor(setup: HeldSetup) {
    this.setup = setup;
    this.cgroup = setup.order.cgroup;
    this.ended = new Promise((resolve) => {
      this.resolve = resolve;
    });
    this.link = setup.open({ heard: (word) => this.heard(word), closed: () => this.closed() });
    this.cancels.push(setup.world.set(READY_WITHIN, () => this.isReady || this.takeOver("did not start")));
  }

  /** A later deadline; `known` is called when the guardian has it. Before the start, it goes with the order to start. */
  confirmed(deadline: Deadline, known: Known): void {
    if (this.isOver || this.ending !== null) return;
    if (this.isReady) this.ask({ order: "deadline", deadline }, known);
    else known();
  }

  /** Passes a signal to the command, or to its whole process group. */
  signal(signal: NodeJS.Signals, group: boolean): void {
    this.link.send({ order: "signal", signal, group });
  }

  /** Ends the command: this signal, and SIGKILL after the grace. */
  stop(signal: NodeJS.Signals = "SIGTERM"): void {
    if (this.stopped !== null) return;
    this.stopped = signal;
    if (this.isReady) this.link.send({ order: "end", signal });
    else if (!this.isOver) this.over({ how: "ended", status: statusOf(null, signal), why: "told" });
  }

  /** Sends SIGKILL at once. */
  kill(): void {
    if (!this.isReady) this.stop("SIGKILL");
    this.stopped ??= "SIGKILL";
    this.isKilled = true;
    this.link.send({ order: "kill" });
    this.ending?.kill();
  }

  private begin(): void {
    const { world, times, order } = this.setup;
    this.isReady = true;
    // The answer may take longer, because a process has to start. Meanwhile this process minds the deadline too.
    this.ask({ order: "start", start: order, deadline: this.setup.deadline() }, () => {}, READY_WITHIN);
    this.cancels.push(every(world, times.renewEvery, () => this.ask({ order: "ask" })));
    this.cancels.push(every(world, LOOK_EVERY, () => this.mindDeadline()));
  }

  /** Kills the command at its deadline, whatever the guardian does. */
  private mindDeadline(): void {
    const deadline = this.setup.deadline();
    if (deadline === null || leftOf(deadline, this.setup.ending.clocks) > 0) return;
    this.afterReading(() => {
      if (this.isOver) return;
      this.takeOver("has not ended the command at its deadline");
      this.ending?.kill();
    });
  }

  /** Acts after the guardian's messages that have arrived were read: this process may have been paused. */
  private afterReading(act: () => void): void {
    const { world } = this.setup;
    world.soon(() => world.soon(act));
  }

  private ask(order: Asked, known: Known = () => {}, within = this.setup.times.answerWithin): void {
    const { world } = this.setup;
    const number = ++this.numbers;
    this.link.send({ ...order, number });
    const missed = () => {
      if (this.unanswered.has(number)) this.takeOver(`does not answer within ${Math.round(within)} ms`);
    };
    const cancel = world.set(within, () => this.afterReading(missed));
    this.unanswered.set(number, { known, cancel });
  }

  private heard(word: GuardianWord): void {
    if (word.said === "ready") {
      // A guardian that was given up is killed; its earlier messages are still read.
      if (this.stopped === null && this.ending === null && !this.isOver) this.begin();
    } else if (word.said === "known") {
      const asked = this.unanswered.get(word.number);
      this.unanswered.delete(word.number);
      asked?.cancel();
      if (this.ending === null) asked?.known();
    } else if (word.said === "started") this.started(word);
    else if (word.said === "failed") this.over({ how: "failed", ...word });
    else if (word.said === "ending") {
      // If this process ends the command itself, the guardian sees only the exit.
      if (this.ending === null || !this.ending.hasSignalled) this.why ??= word.why;
    } else if (word.said === "exit") this.exited(word);
    else if (word.said === "lingers") this.lingers(word.pids);
    else this.gone();
  }

  private exited({ code, signal }: Extract<GuardianWord, { said: "exit" }>): void {
    this.status = statusOf(code, signal);
    if (this.isEmpty) this.gone();
  }

  private started({ pid, started, bound, inCgroup }: Extract<GuardianWord, { said: "started" }>): void {
    this.leader = { pid, started };
    if (!inCgroup) this.cgroup = null;
    const held = inCgroup ? "cgroup" : "process table";
    this.setup.tell("info", "the command has started", { pid, guardian: this.link.pid, held });
    if (!bound) this.setup.tell("info", "it does not die with its guardian: there is no setpriv --pdeathsig here");
    if (this.stopped !== null) this.link.send({ order: "end", signal: this.stopped });
  }

  /** No process is left; the guardian has told why the command has ended, and its status. */
  private gone(): void {
    const how = this.why === "exit" ? "exited" : "ended";
    this.over({ how, status: this.status ?? statusOf(null, "SIGTERM"), why: this.why ?? "told" });
  }

  private closed(): void {
    this.isClosed = true;
    if (this.isOver) return;
    // The guardian does not start a command that has no time left.
    if (this.why === "deadline" && this.leader === null) this.over({ how: "ended", status: 143, why: "deadline" });
    else this.takeOver("has ended");
  }

  private takeOver(what: string): void {
    if (this.isOver || this.ending !== null) return;
    const { ending, order, tell } = this.setup;
    tell("error", `the guardian ${what}: the command is ended from here`, { guardian: this.link.pid });
    this.ending = new Ending({
      ...ending,
      grace: order.grace,
      quarry: {
        leader: this.leader,
        isMarked: (marker) => marker === order.marker,
        spared: [process.pid, this.link.pid ?? process.pid],
        cgroup: this.cgroup,
        // Until the guardian has told that the command has started, nobody knows whether it could start it inside.
        mayBeOutside: this.leader === null,
      },
      deadline: () => this.setup.deadline(),
      gone: () => this.endedWithoutGuardian(),
      lingers: (pids) => this.lingers(pids),
    });
    // A guardian that has not told a start must not start the command later.
    if (this.leader === null) this.link.kill();
    if (this.isKilled) this.ending.kill();
    else this.ending.begin();
  }

  /** The command has ended by itself, and the guardian too: waits for the status. */
  private endedWithoutGuardian(): void {
    const unknown = { how: "ended", status: statusOf(null, "SIGTERM"), why: "guardian" } as const;
    const wasEnded = this.ending!.hasSignalled && this.why !== "exit";
    if (!wasEnded && this.status !== null) this.gone();
    else if (wasEnded || this.leader === null || this.isClosed) this.over(unknown);
    else {
      this.isEmpty = true;
      this.cancels.push(this.setup.world.set(STATUS_WITHIN, () => this.over(unknown)));
    }
  }

  private lingers(pids: readonly number[]): void {
    this.setup.tell("error", "what was killed is still there: the office is not given up before it has gone", { pids });
  }

  private over(outcome: CommandOutcome): void {
    if (this.isOver) return;
    this.isOver = true;
    for (const cancel of this.cancels) cancel();
    for (const { cancel } of this.unanswered.values()) cancel();
    this.link.kill();
    this.resolve(outcome);
  }
}

type Asked =
  | { readonly order: "start"; readonly start: StartOrder; readonly deadline: Deadline | null }
  | { readonly order: "deadline"; readonly deadline: Deadline }
  | { readonly order: "ask" };

const statusOf = (code: number | null, signal: NodeJS.Signals | null): number =>
  code ?? 128 + (signal === null ? 0 : constants.signals[signal]);

// The gate between a member's leases and the guardian of its command: each confirmed deadline goes to the guardian, and the next renewal waits
// until the guardian has it. Without a command, nobody has to know.

interface Lease {
  readonly token: number;
  readonly deadline: Deadline;
}

export class LeaseKeeper implements Gate {
  private readonly clocks: Clocks;
  /** By seat: the last confirmed deadline of the lease. It stays after the lease has ended, because its command must end by then. */
  private readonly leases = new Map<string, Lease>();
  private held: { readonly seat: string; readonly token: number; readonly command: HeldCommand } | null = null;
  private readonly waiting = new Set<() => void>();

  constructor(clocks: Clocks) {
    this.clocks = clocks;
  }

  confirmed({ seat, token, left }: Confirmed, known: () => void): void {
    const deadline = deadlineFrom(left, this.clocks);
    if (deadline === null) return;
    this.leases.set(seat, { token, deadline });
    const { held } = this;
    if (held?.seat === seat && held.token === token) held.command.confirmed(deadline, known);
    else known();
    for (const look of [...this.waiting]) look();
  }

  deadlineOf(seat: string, token: number): Deadline | null {
    const lease = this.leases.get(seat);
    return lease?.token === token ? lease.deadline : null;
  }

  /** Resolves when at least `ms` milliseconds of the lease are left, perhaps after its next confirmation; false if the signal fires first. */
  enough(seat: string, token: number, ms: number, signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const look = () => {
        const deadline = this.deadlineOf(seat, token);
        const isEnough = deadline !== null && leftOf(deadline, this.clocks) >= ms;
        if (!isEnough && !signal.aborted) return;
        this.waiting.delete(look);
        signal.removeEventListener("abort", look);
        resolve(isEnough && !signal.aborted);
      };
      this.waiting.add(look);
      signal.addEventListener("abort", look);
      look();
    });
  }

  hold(seat: string, token: number, command: HeldCommand): void {
    this.held = { seat, token, command };
  }

  letGo(): void {
    this.held = null;
  }
}
