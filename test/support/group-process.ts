/** `sortition group` as a process whose lines can be waited for. */
import type { ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";
import { start } from "../cli/run.ts";

/** A line that a member has printed. */
export interface Line {
  readonly at: number;
  readonly event: string;
  readonly self: string;
  readonly member?: string;
  readonly office?: string;
  readonly term?: number;
  readonly leader?: string | null;
  /** A decimal string; null without an engine. */
  readonly token?: string | null;
  readonly members?: number;
  readonly address?: string;
  readonly why?: string;
}

/** Milliseconds: machines that run tests can be very busy. Less than the limit of a test, so that the failure says what was awaited. */
const LIMIT = 45_000;

export class GroupProcess {
  readonly name: string;
  readonly child: ChildProcess;
  readonly lines: Line[] = [];
  readonly exit: Promise<number | null>;
  errors = "";
  private waiting: (() => void)[] = [];

  /** `through`: a command that starts another, such as `ip netns exec`. */
  constructor(name: string, args: readonly string[], through: readonly string[] = [], env: NodeJS.ProcessEnv = {}) {
    this.name = name;
    this.child = start(["group", "--name", name, "--json", ...args], env, through);
    this.child.stderr!.on("data", (text) => {
      this.errors += text;
    });
    createInterface({ input: this.child.stdout! }).on("line", (line) => {
      this.lines.push(JSON.parse(line));
      for (const look of this.waiting) look();
    });
    this.exit = new Promise((resolve) => {
      this.child.on("close", (status) => {
        resolve(status);
        for (const look of this.waiting) look();
      });
    });
  }

  /** The first line, from number `from` on, of which that is true; also one that was printed before. */
  async line(isIt: (line: Line) => boolean, from = 0): Promise<Line> {
    const { promise, resolve, reject } = deferred<Line>();
    const fail = (why: string) =>
      reject(
        new Error(`${this.name} ${why}: ${this.errors}\n${this.lines.map((line) => JSON.stringify(line)).join("\n")}`),
      );
    const look = () => {
      const found = this.lines.slice(from).find(isIt);
      if (found !== undefined) resolve(found);
      else if (this.child.exitCode !== null || this.child.signalCode !== null) fail("has ended");
    };
    this.waiting.push(look);
    const limit = setTimeout(() => fail(`has not printed it within ${LIMIT} ms`), LIMIT);
    look();
    try {
      return await promise;
    } finally {
      clearTimeout(limit);
      this.waiting = this.waiting.filter((each) => each !== look);
    }
  }

  async kill(signal: NodeJS.Signals): Promise<number | null> {
    this.child.kill(signal);
    return this.exit;
  }
}

function deferred<T>() {
  let resolve!: (value: T) => void;
  let reject!: (error: Error) => void;
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}
