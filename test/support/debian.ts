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

/** Fetches the program. Only one process may do so at a time (servers.ts). Returns null, or why there is no program. */
export function fetchProgram({ name, path, packages }: DebianProgram): string | null {
  if (spawnSync("apt-get", ["--version"]).status !== 0)
    return "it is not installed, and there is no apt-get to fetch it";
  // In the folder of this run, which is removed however the run ends.
  const folder = mkdtempSync(join(tmpdir(), "sortition-debian-"));
  try {
    const unpacked = join(folder, "unpacked");
    for (const each of packages) {
      const archive = download(each, folder);
      if (typeof archive !== "string") return `it is not installed, and cannot be fetched: ${lastLine(archive)}`;
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
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The name of the archive in the folder, or the command that failed. */
function download(name: string, folder: string): string | SpawnSyncReturns<string> {
  const apt = (...args: string[]) =>
    spawnSync("apt-get", ["-o", "Acquire::Retries=1", "-o", "Acquire::http::Timeout=10", ...args], {
      cwd: folder,
      encoding: "utf8",
      env: { ...process.env, LC_ALL: "C" },
    });
  const archive = () => readdirSync(folder).find((file) => file.startsWith(`${name}_`) && file.endsWith(".deb"));
  const known = apt("download", name);
  if (known.status === 0) return archive()!;
  // The machine's lists of packages may be missing or old, and only root may renew them: so these are lists of our own.
  for (const part of ["state/lists/partial", "cache/archives/partial"])
    mkdirSync(join(folder, part), { recursive: true });
  const own = ["-o", `Dir::State=${join(folder, "state")}`, "-o", `Dir::Cache=${join(folder, "cache")}`];
  const updated = apt(...own, "update");
  const fetched = apt(...own, "download", name);
  if (fetched.status === 0) return archive()!;
  return updated.status === 0 ? fetched : updated;
}

const lastLine = ({ stderr, error }: SpawnSyncReturns<string>): string =>
  stderr?.trim().split("\n").at(-1) ?? String(error);
