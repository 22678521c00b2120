/** The package as others get it: packed, and installed in an empty folder, once for all tests that want it. */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { root } from "../cli/run.ts";

export const run = promisify(execFile);

/** This Node first: the machine's own may be too old. */
export const env = { ...process.env, PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}` };

/** One for each clone, and out of it: below, its own packages would be found. A folder's name is the package's digest. */
const CACHE = join(tmpdir(), `sortition-packed-${createHash("sha256").update(root).digest("hex").slice(0, 8)}`);

export interface Packed {
  /** What the package contains. */
  readonly files: readonly string[];
  /** Where it is installed: whatever lies below finds it, and `node_modules/.bin/sortition`. */
  readonly folder: string;
}

/** `npm test` has built: scripts would build again, under the feet of the other tests. */
export async function packed(): Promise<Packed> {
  mkdirSync(CACHE, { recursive: true });
  const fresh = mkdtempSync(join(CACHE, "new-"));
  const args = ["pack", "--ignore-scripts", "--json", "--pack-destination", fresh];
  const [{ filename, shasum, files }] = JSON.parse((await run("npm", args, { cwd: root, env })).stdout);
  const folder = join(CACHE, shasum);
  if (!existsSync(folder)) {
    for (const old of readdirSync(CACHE)) if (!old.startsWith("new-")) rmSync(join(CACHE, old), { recursive: true });
    writeFileSync(join(fresh, "package.json"), '{ "type": "module", "private": true }');
    const options = ["--prefer-offline", "--no-audit", "--no-fund", "--omit=dev"];
    await run("npm", ["install", ...options, `./${filename}`], { cwd: fresh, env });
  }
  try {
    if (!existsSync(folder)) renameSync(fresh, folder);
  } catch {
    // Another test has just installed the same.
  }
  rmSync(fresh, { recursive: true, force: true });
  return { folder, files: files.map(({ path }: { path: string }) => path) };
}

/** A folder of its own for one test, from which the package can be imported. */
export const folderWithin = ({ folder }: Packed): string => mkdtempSync(join(folder, "use-"));
