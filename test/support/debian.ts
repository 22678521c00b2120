/**
 * A program from one of Debian's packages, for tests: the one that is installed, or else the one that an earlier run has fetched into
 * node_modules/.cache. Fetching needs no root and starts no service.
 */
import { type SpawnSyncReturns, spawnSync } from "node:child_process";
import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

const CACHE = fileURLToPath(new URL("../../node_modules/.cache/sortition-debian/", import.meta.url));

/** A program, where it is in its package, and the packages that bring it and the libraries that few machines have. */
export interface DebianProgram {
  readonly name: string;
  readonly path: string;
  readonly packages: readonly string[];
}

/** The program, if it is on this machine. Nothing is fetched. */
export function findProgram({ name, path }: DebianProgram): string | null {
  const places = [...(process.env.PATH ?? "").split(delimiter), "/usr/sbin"].map((folder) => join(folder, name));
  return [...places, join(CACHE, name, path)].find((file) => existsSync(file)) ?? null;
}

/** What a fetched program needs in its environment: where its libraries are. */
export function programEnvironment({ name }: DebianProgram): NodeJS.ProcessEnv {
  const libraries = globSync(join(CACHE, name, "usr/lib/*-linux-*")).join(delimiter);
  return libraries === "" ? process.env : { ...process.env, LD_LIBRARY_PATH: libraries };
}

/** Fetches programs. Only one process may do so at a time (servers.ts). Returns for each null, or why it is not there. */
export function fetchPrograms(programs: readonly DebianProgram[]): (string | null)[] {
  if (programs.length === 0) return [];
  if (spawnSync("apt-get", ["--version"]).status !== 0)
    return programs.map(() => "it is not installed, and there is no apt-get to fetch it");
  // In the folder of this run, which is removed however the run ends.
  const folder = mkdtempSync(join(tmpdir(), "sortition-debian-"));
  try {
    const archives = new Archives(folder);
    return programs.map((program) => fetchProgram(program, archives, join(folder, program.name)));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function fetchProgram({ name, path, packages }: DebianProgram, archives: Archives, folder: string): string | null {
  mkdirSync(folder);
  const failed = archives.download(packages, folder);
  if (failed !== null) return `it is not installed, and cannot be fetched: ${lastLine(failed)}`;
  const unpacked = join(folder, "unpacked");
  for (const archive of readdirSync(folder).filter((file) => file.endsWith(".deb"))) {
    const done = spawnSync("dpkg", ["-x", archive, unpacked], { cwd: folder, encoding: "utf8" });
    if (done.status !== 0) return `${archive} cannot be unpacked: ${lastLine(done)}`;
  }
  if (!existsSync(join(unpacked, path))) return `${packages.join(", ")}: there is no ${path}`;
  // Who looks for the program finds all of it or nothing.
  const partial = join(CACHE, `${name}.${process.pid}`);
  mkdirSync(CACHE, { recursive: true });
  for (const part of ["usr/bin", "usr/sbin", "usr/lib"])
    if (existsSync(join(unpacked, part)))
      cpSync(join(unpacked, part), join(partial, part), { recursive: true, verbatimSymlinks: true });
  rmSync(join(CACHE, name), { recursive: true, force: true });
  renameSync(partial, join(CACHE, name));
  return null;
}

/** Archives of packages, by the machine's lists of packages. Where those are missing or old, by lists of our own: only root may renew the machine's. */
class Archives {
  private readonly own: readonly string[];
  private readonly folder: string;
  private updated: SpawnSyncReturns<string> | null = null;

  constructor(folder: string) {
    this.folder = folder;
    this.own = ["-o", `Dir::State=${join(folder, "state")}`, "-o", `Dir::Cache=${join(folder, "cache")}`];
  }

  /** Into the folder. Returns null, or the command that failed. */
  download(packages: readonly string[], folder: string): SpawnSyncReturns<string> | null {
    if (this.updated === null && apt(folder, "download", ...packages).status === 0) return null;
    this.updated ??= this.update();
    const fetched = apt(folder, ...this.own, "download", ...packages);
    if (fetched.status === 0) return null;
    return this.updated.status === 0 ? fetched : this.updated;
  }

  private update(): SpawnSyncReturns<string> {
    for (const part of ["state/lists/partial", "cache/archives/partial"])
      mkdirSync(join(this.folder, part), { recursive: true });
    return apt(this.folder, ...this.own, "update");
  }
}

const apt = (folder: string, ...args: string[]): SpawnSyncReturns<string> =>
  spawnSync("apt-get", ["-o", "Acquire::Retries=1", "-o", "Acquire::http::Timeout=10", ...args], {
    cwd: folder,
    encoding: "utf8",
    env: { ...process.env, LC_ALL: "C" },
  });

const lastLine = ({ stderr, error }: SpawnSyncReturns<string>): string =>
  stderr?.trim().split("\n").at(-1) ?? String(error);
