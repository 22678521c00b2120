/** Runs the real command as a user would; `npm test` has built it. */
import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../..", import.meta.url));
export const bin = fileURLToPath(new URL("../../bin/sortition.js", import.meta.url));

export interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
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

export const sortition = (...args: string[]): Promise<Ended> => ended(start(args));
