/** `sortition agent` as a process: its log, its answers, its end. */
import type { ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";
import { setTimeout as pass } from "node:timers/promises";
import { start } from "../cli/run.ts";
import { effort } from "./effort.ts";

export interface LogLine {
  readonly time: string;
  readonly level: string;
  readonly msg: string;
  readonly event?: string;
  readonly url?: string;
  readonly address?: string;
  readonly token?: string | null;
  readonly why?: string;
}

export interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: whatever the route answers; its own tests hold it against a schema.
  readonly body: any;
}

/** Milliseconds: machines that run tests can be very busy. Below the limit of a test, so that a failure says what was waited for. */
const LIMIT = effort(45_000, 120_000);

export class AgentProcess {
  readonly name: string;
  readonly child: ChildProcess;
  readonly lines: LogLine[] = [];
  /** What was written besides the log. */
  errors = "";
  readonly exit: Promise<number | null>;

  /** `through`: a command that starts another, such as `unshare`. */
  constructor(name: string, args: readonly string[], through: readonly string[] = [], env: NodeJS.ProcessEnv = {}) {
    this.name = name;
    const given = ["agent", "--name", name, "--log", "json", ...args];
    this.child = start(args.includes("--http") ? given : [...given, "--http", "127.0.0.1:0"], env, through);
    createInterface({ input: this.child.stderr! }).on("line", (line) => {
      if (line.startsWith("{")) this.lines.push(JSON.parse(line));
      else this.errors += `${line}\n`;
    });
    this.exit = new Promise((resolve) => this.child.on("close", resolve));
  }

  get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  /** Waits until it is so; fails with what the agent said where it never is, or where the agent ends before. */
  async until<T>(
    what: string,
    look: () => T | null | undefined | false | Promise<T | null | undefined | false>,
    pace = 10,
  ): Promise<T> {
    for (const limit = Date.now() + LIMIT; ; await pass(pace)) {
      const found = await look();
      if (found) return found;
      if (this.hasEnded) await this.exit;
      if (!this.hasEnded && Date.now() < limit) continue;
      const said = this.lines.slice(-20).map(({ level, msg }) => `${level} ${msg}`);
      const why = this.hasEnded ? "it has ended" : `for ${LIMIT} ms`;
      throw new Error(`${this.name}: not ${what}: ${why}\n${said.join("\n")}\n${this.errors}`);
    }
  }

  line(isIt: (line: LogLine) => boolean, what = "in the log"): Promise<LogLine> {
    return this.until(what, () => this.lines.find(isIt));
  }

  async address(): Promise<string> {
    return (await this.line(({ event }) => event === "started", "started")).address!;
  }

  async url(): Promise<string> {
    return (await this.line(({ url }) => url !== undefined, "serving HTTP")).url!;
  }

  /** Null where nobody answers. */
  async get(path: string, init: RequestInit = {}): Promise<Answer | null> {
    try {
      const response = await fetch(`${await this.url()}${path}`, { signal: AbortSignal.timeout(5000), ...init });
      return { status: response.status, body: await response.json() };
    } catch {
      return null;
    }
  }

  /** Asks until somebody answers. */
  answer(path: string, init: RequestInit = {}): Promise<Answer> {
    return this.until(`answering ${path}`, () => this.get(path, init));
  }

  /** Its status; where it does not end by itself or by a signal, what it has said. */
  async end(): Promise<number | null> {
    await this.until("at its end", () => this.hasEnded);
    return this.exit;
  }

  /** Part of its group, which has so many members. */
  async ready(members: number): Promise<this> {
    await this.until(
      `ready with ${members} members`,
      async () => {
        const [ready, self] = await Promise.all([this.get("/readyz"), this.get("/v1/self")]);
        return ready?.status === 200 && self?.body.members === members;
        // Many agents that are asked all the time have no time for each other.
      },
      20 * members,
    );
    return this;
  }

  kill(signal: NodeJS.Signals): Promise<number | null> {
    this.child.kill(signal);
    return this.end();
  }
}
