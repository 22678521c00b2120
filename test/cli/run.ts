/** Runs the command: in this process, from the sources, or as a process of its own, as `npm test` has built it. */
import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { TestIo } from "../support/io.ts";

export const root = fileURLToPath(new URL("../..", import.meta.url));
export const bin = fileURLToPath(new URL("../../bin/sortition.js", import.meta.url));

export interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Circumstances {
  readonly cwd?: string;
  /** On top of the environment of this process; undefined takes a variable away. */
  readonly env?: NodeJS.ProcessEnv;
  readonly stdin?: string;
  /** There is a terminal, so wide. */
  readonly columns?: number;
}

/** In this process: quick, for all that needs no process of its own. One after the other, since they share folder and environment. */
export const sortition = (...args: string[]): Promise<Ended> => sortitionIn({}, ...args);

export function sortitionIn(circumstances: Circumstances, ...args: string[]): Promise<Ended> {
  const run = last.then(() => runHere(circumstances, args));
  last = run.catch(() => {});
  return run;
}

let last: Promise<unknown> = Promise.resolve();

async function runHere({ cwd = root, env = {}, ...rest }: Circumstances, args: readonly string[]): Promise<Ended> {
  const { main } = await import("../../src/cli/main.ts");
  const before = { cwd: process.cwd(), env: Object.keys(env).map((name) => [name, process.env[name]] as const) };
  setEnvironment(Object.entries(env));
  process.chdir(cwd);
  try {
    const io = new TestIo({ ...rest, env: { ...process.env } });
    await main([process.execPath, bin, ...args], io);
    io.emit("exit");
    return { status: io.exitCode ?? 0, stdout: io.stdout.text, stderr: io.stderr.text };
  } finally {
    process.chdir(before.cwd);
    setEnvironment(before.env);
  }
}

function setEnvironment(values: readonly (readonly [name: string, value: string | undefined])[]): void {
  for (const [name, value] of values) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
}

/** `through`: a command that starts another, and what it is given before that. */
export function start(
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  through: readonly string[] = [],
): ChildProcess {
  const [command, ...rest] = [...through, process.execPath, bin, ...args];
  return spawn(command, rest, { cwd: root, env: { ...process.env, ...env } });
}

export async function ended(child: ChildProcess): Promise<Ended> {
  let stdout = "";
  let stderr = "";
  child.stdout?.setEncoding("utf8").on("data", (text) => {
    stdout += text;
  });
  child.stderr?.setEncoding("utf8").on("data", (text) => {
    stderr += text;
  });
  const status = await new Promise<number | null>((resolve, reject) => {
    child.on("error", reject).on("close", resolve);
  });
  return { status, stdout, stderr };
}

/** A process of its own: for signals, pipes, threads, the built package, and whatever runs beside something else. */
export const sortitionProcess = (...args: string[]): Promise<Ended> => ended(start(args));
