/** One shell in which commands are typed after each other, as somebody who follows a page would; and the end of all that it has started. */
import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

/** A shell tells of jobs that were killed when it gets to it. */
const JOB_NEWS = /^bash: line \d+: +\d+ (Killed|Terminated) /;

const MARK = "TUTORIAL_SHELL";

export class Shell {
  private readonly child: ChildProcess;
  private said = "";
  private awaited: (() => void) | null = null;
  private count = 0;

  private readonly id: string;

  constructor(cwd: string, env: NodeJS.ProcessEnv, id: string) {
    this.id = id;
    this.child = spawn("bash", ["--norc", "--noprofile"], { cwd, env: { ...env, [MARK]: id }, detached: true });
    for (const stream of [this.child.stdout!, this.child.stderr!]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        this.said += text;
        this.awaited?.();
      });
    }
    // Jobs have numbers, %1, as in a terminal, and both streams come in one order.
    this.child.stdin!.write("exec 2>&1\nset -m\n");
  }

  /** What it printed, by lines. */
  async type(command: string): Promise<string[]> {
    const mark = `--- ${this.id} ${++this.count} ---`;
    this.said = "";
    this.child.stdin!.write(`${command}\necho '${mark}'\n`);
    const deadline = AbortSignal.timeout(30_000);
    while (!this.said.includes(mark)) {
      await new Promise<void>((resolve, reject) => {
        this.awaited = resolve;
        deadline.onabort = () => reject(new Error(`"${command}" does not end; so far it said:\n${this.said}`));
      });
    }
    const text = this.said.slice(0, this.said.indexOf(mark)).replace(/\n$/, "");
    return text === "" ? [] : text.split("\n").filter((line) => !JOB_NEWS.test(line));
  }

  /** Processes that it, or any of its descendants, has started and that still run. */
  left(): number[] {
    const mine = readdirSync("/proc").filter((name) => /^\d+$/.test(name) && Number(name) !== this.child.pid);
    return mine.map(Number).filter((pid) => environmentOf(pid).includes(`${MARK}=${this.id}\0`));
  }

  end(): void {
    for (const pid of [...this.left(), this.child.pid!]) {
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // It has ended by itself.
      }
    }
  }
}

function environmentOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1");
  } catch {
    return "";
  }
}
