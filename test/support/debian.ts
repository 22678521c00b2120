/**
 * A program from one of Debian's packages, for tests: the one that is installed, or else the package is fetched and unpacked into
 * node_modules/.cache, which takes no root and starts no service. Null, with the reason, where neither can be done.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const CACHE = fileURLToPath(new URL("../../node_modules/.cache/sortition-debian/", import.meta.url));

export function debianProgram(name: string, path: string): { readonly file: string } | { readonly missing: string } {
  const installed = spawnSync("sh", ["-c", `command -v ${name}`], { encoding: "utf8" }).stdout.trim();
  if (installed !== "") return { file: installed };
  const file = join(CACHE, name, path);
  if (existsSync(file)) return { file };
  if (spawnSync("apt-get", ["--version"]).status !== 0) return { missing: `${name} is not installed` };
  const folder = join(CACHE, `${name}.${process.pid}`);
  mkdirSync(folder, { recursive: true });
  const fetch = () => spawnSync("apt-get", ["download", name], { cwd: folder, encoding: "utf8" });
  if (fetch().status !== 0) {
    // The lists of packages may be missing, and are root's.
    spawnSync("apt-get", ["update"], { encoding: "utf8" });
    const again = fetch();
    if (again.status !== 0)
      return { missing: `${name} is not installed, and cannot be fetched: ${again.stderr.trim()}` };
  }
  const [archive] = readdirSync(folder);
  const unpacked = spawnSync("dpkg", ["-x", archive, "."], { cwd: folder, encoding: "utf8" });
  if (unpacked.status !== 0) return { missing: `${archive} cannot be unpacked: ${unpacked.stderr.trim()}` };
  try {
    renameSync(folder, dirname(join(CACHE, name, "x")));
  } catch {
    // Another test was quicker.
  }
  return existsSync(file) ? { file } : { missing: `${archive} has no ${path}` };
}
