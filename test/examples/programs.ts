/** The examples as users run them: processes in a folder of their own, with a key, at free ports. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pass } from "node:timers/promises";
import { newKeyText } from "../../src/live/net/keyring.ts";
import { root } from "../cli/run.ts";

/** Milliseconds: machines that run tests can be very busy. Below the limit of a test, so that a failure says what was waited for. */
const LIMIT = 45_000;

/** A process whose lines can be waited for. */
export class Program {
  readonly child: ChildProcess;
  readonly lines: string[] = [];
  readonly exit: Promise<number | null>;
  errors = "";
  private waiting: (() => void)[] = [];

  constructor(command: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv = {}) {
    this.child = spawn(command, args, { cwd, env: { ...process.env, ...env } });
    this.child.stderr!.on("data", (text) => {
      // The log of `join` says who leads: no error.
      this.errors += String(text).replaceAll(/^\S+Z sortition \w+: .*\n/gm, "");
    });
    createInterface({ input: this.child.stdout! }).on("line", (line) => {
      this.lines.push(line);
      for (const look of this.waiting) look();
    });
    this.exit = new Promise((resolve) => {
      this.child.on("close", (status) => {
        resolve(status);
        for (const look of this.waiting) look();
      });
    });
  }

  get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  /** The first line, from number `from` on, that is meant; also one that was printed before. */
  line(meant: RegExp | ((line: string) => boolean), from = 0): Promise<string> {
    return new Promise((resolve, reject) => {
      const end = (act: () => void) => {
        clearTimeout(limit);
        this.waiting = this.waiting.filter((each) => each !== look);
        act();
      };
      const fail = (why: string) => end(() => reject(new Error(`${why} ${meant}\n${this.said}`)));
      const look = () => {
        const found = this.lines
          .slice(from)
          .find((line) => (typeof meant === "function" ? meant(line) : meant.test(line)));
        if (found !== undefined) end(() => resolve(found));
        else if (this.hasEnded) fail("it has ended without");
      };
      const limit = setTimeout(() => fail(`nothing within ${LIMIT} ms of`), LIMIT);
      this.waiting.push(look);
      look();
    });
  }

  /** Its status. */
  async end(): Promise<number | null> {
    await until(`the end of: ${this.child.spawnargs.slice(1).join(" ")}`, () => this.hasEnded, [this]);
    return this.exit;
  }

  get said(): string {
    return [...this.lines, this.errors].join("\n");
  }
}

/** Waits until it is so, or fails with what the programs have said. */
export async function until(
  what: string,
  isSo: () => boolean | Promise<boolean>,
  programs: readonly Program[],
): Promise<void> {
  for (const limit = performance.now() + LIMIT; !(await isSo()); await pass(20)) {
    if (performance.now() < limit) continue;
    throw new Error(`not within ${LIMIT} ms: ${what}\n${programs.map(({ said }) => said).join("\n---\n")}`);
  }
}

/** A folder with a key, in which the programs of one test run; none is left at its end. */
export function workshop() {
  const folder = mkdtempSync(join(tmpdir(), "sortition-example-"));
  const programs: Program[] = [];
  writeFileSync(join(folder, "group.key"), `${newKeyText()}\n`, { mode: 0o600 });
  const start = (command: string, args: readonly (string | number)[], env: NodeJS.ProcessEnv = {}): Program => {
    const program = new Program(command, args.map(String), folder, env);
    programs.push(program);
    return program;
  };
  return {
    folder,
    start,
    /** One of ours, by its name in examples/. */
    run: (example: string, ...args: readonly (string | number)[]) =>
      start(process.execPath, [join(root, "examples", example), ...args]),
    async [Symbol.asyncDispose]() {
      for (const { child } of programs) child.kill("SIGKILL");
      await Promise.all(programs.map(({ exit }) => exit));
      rmSync(folder, { recursive: true });
    },
  };
}

/** The first of the programs that prints this. */
export const firstToSay = (programs: readonly Program[], pattern: RegExp): Promise<Program> =>
  Promise.any(programs.map((program) => program.line(pattern).then(() => program)));
