/**
 * A program from one of Debian's packages, for tests: the one that is installed, or else the one that an earlier run has fetched into
 * node_modules/.cache. Fetching needs no root and starts no service.
 */
import { type SpawnSyncReturns, spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const CACHE = fileURLToPath(new URL("../../node_modules/.cache/sortition-debian/", import.meta.url));

/** A package, and where its program is in it. */
export interface DebianPackage {
  readonly name: string;
  readonly path: string;
}

/** The program, if it is on this machine. Nothing is fetched. */
export function findProgram({ name, path }: DebianPackage): string | null {
  const places = [...(process.env.PATH ?? "").split(delimiter), "/usr/sbin"].map((folder) => join(folder, name));
  return [...places, join(CACHE, name, path)].find((file) => existsSync(file)) ?? null;
}

/** Fetches the program. Only one process may do so at a time (servers.ts). Returns null, or why there is no program. */
export function fetchProgram({ name, path }: DebianPackage): string | null {
  if (spawnSync("apt-get", ["--version"]).status !== 0)
    return "it is not installed, and there is no apt-get to fetch it";
  // In the folder of this run, which is removed however the run ends.
  const folder = mkdtempSync(join(tmpdir(), "sortition-debian-"));
  try {
    const archive = download(name, folder);
    if (typeof archive !== "string") return `it is not installed, and cannot be fetched: ${lastLine(archive)}`;
    const unpacked = spawnSync("dpkg", ["-x", archive, "unpacked"], { cwd: folder, encoding: "utf8" });
    if (unpacked.status !== 0) return `${archive} cannot be unpacked: ${lastLine(unpacked)}`;
    const [from, to] = [join(folder, "unpacked", path), join(CACHE, name, path)];
    if (!existsSync(from)) return `${archive} has no ${path}`;
    mkdirSync(dirname(to), { recursive: true });
    // Whoever looks for the program finds all of it or nothing.
    const partial = `${to}.${process.pid}`;
    copyFileSync(from, partial);
    renameSync(partial, to);
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
  const archive = () => readdirSync(folder).find((file) => file.endsWith(".deb"));
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
