/** The package as others get it: packed, and put into a folder outside the clone, once for all tests that want it. */
import { execFile } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { root } from "../cli/run.ts";
import { isLong } from "./effort.ts";

export const run = promisify(execFile);

/** This Node first: the machine's own may be too old. */
export const env = { ...process.env, PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}` };

/** Of this run, since each has a temporary folder of its own; and out of the clone, whose packages would be found below it. */
const FOLDER = join(tmpdir(), "sortition-packed");

export interface Packed {
  /** What the package contains. */
  readonly files: readonly string[];
  /** Bytes of the archive, and of its files. */
  readonly size: number;
  readonly unpackedSize: number;
  /** Where it is installed: whatever lies below finds it, and `node_modules/.bin/sortition`. */
  readonly folder: string;
}

/** `npm test` has built: scripts would build again, under the feet of the other tests. */
export async function packed(): Promise<Packed> {
  if (!existsSync(FOLDER)) {
    const fresh = mkdtempSync(`${FOLDER}-`);
    const args = ["pack", "--ignore-scripts", "--json", "--pack-destination", fresh];
    const [{ filename, files, size, unpackedSize }] = JSON.parse((await run("npm", args, { cwd: root, env })).stdout);
    const paths = files.map(({ path }: { path: string }) => path);
    writeFileSync(join(fresh, "packed.json"), JSON.stringify({ files: paths, size, unpackedSize }));
    writeFileSync(join(fresh, "package.json"), '{ "type": "module", "private": true }');
    await (isLong ? install : unpack)(fresh, filename);
    try {
      renameSync(fresh, FOLDER);
    } catch {
      // Another test has just made the same.
      rmSync(fresh, { recursive: true });
    }
  }
  return { folder: FOLDER, ...JSON.parse(readFileSync(join(FOLDER, "packed.json"), "utf8")) };
}

async function install(folder: string, archive: string): Promise<void> {
  const options = ["--prefer-offline", "--no-audit", "--no-fund", "--omit=dev"];
  await run("npm", ["install", ...options, `./${archive}`], { cwd: folder, env });
}

/** As npm would, but for what it depends on, which is the clone's. */
async function unpack(folder: string, archive: string): Promise<void> {
  const modules = join(folder, "node_modules");
  const own = join(modules, "sortition");
  mkdirSync(join(modules, ".bin"), { recursive: true });
  await run("tar", ["-xzf", archive], { cwd: folder });
  renameSync(join(folder, "package"), own);
  const { dependencies, bin } = JSON.parse(readFileSync(join(own, "package.json"), "utf8"));
  for (const name of Object.keys(dependencies)) {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(root, "node_modules", name), join(modules, name));
  }
  symlinkSync(join("..", "sortition", bin.sortition), join(modules, ".bin", "sortition"));
}

/** A folder of its own for one test, from which the package can be imported. */
export const folderWithin = ({ folder }: Packed): string => mkdtempSync(join(folder, "use-"));

/** What the compiler says of a file in that folder, as a user's strict settings see it; "" where it has nothing to say. */
export async function typeErrors(
  folder: string,
  files: readonly string[],
  more: readonly string[] = [],
  resolution: readonly string[] = ["--module", "nodenext"],
): Promise<string> {
  const tsc = join(root, "node_modules/@typescript/native/bin/tsc");
  const options = ["--strict", "--noEmit", "--target", "es2023", "--lib", "es2023,dom", ...resolution];
  const checked = await run(process.execPath, [tsc, "--ignoreConfig", ...options, ...more, ...files], {
    cwd: folder,
    env,
  }).catch((error) => error);
  return checked.stdout;
}
