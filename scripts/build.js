/**
 * Compiles src to dist and the Lab's page to dist/lab, so that commands that run meanwhile find the old one or the new one, never a half: into a folder
 * beside it, which then takes its place. Plain JavaScript, because `npm ci` may run it on an old Node.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { assemble } from "./assemble.js";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
const NEW = `.dist-${process.pid}-new`;
const OLD = `.dist-${process.pid}-old`;

const remove = (folder) => rmSync(folder, { recursive: true, force: true });

/** What builds that were killed have left behind; those that run still need theirs. */
function removeLeftovers() {
  for (const name of readdirSync(".")) {
    const pid = /^\.dist-(\d+)-/.exec(name)?.[1];
    if (pid !== undefined && !isRunning(Number(pid))) remove(name);
  }
}

function isRunning(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === "EPERM";
  }
}

/** The version as a constant: where the package runs there may be no files to read it from. */
function writeVersion() {
  const { version } = JSON.parse(readFileSync("package.json", "utf8"));
  const before = readFileSync("src/version.ts", "utf8");
  const after = before.replace(/version = ".*"/, `version = "${version}"`);
  if (after !== before) writeFileSync("src/version.ts", after);
}

/** Of the last build: what was built of what. Where both are as they were there is nothing to do, as in `npm test` right after `npm ci`. */
const BUILT = "node_modules/.sortition-built";

const filesIn = (folder) =>
  readdirSync(folder, { recursive: true })
    .map((name) => `${folder}/${name}`)
    .filter((path) => statSync(path).isFile())
    .sort();

function sources() {
  const hash = createHash("sha256");
  const settings = ["package.json", "package-lock.json", "tsconfig.json", "tsconfig.build.json", "scripts/build.js"];
  for (const file of [...settings, ...filesIn("src"), ...filesIn("lab")]) {
    hash.update(`\0${file}\0`).update(readFileSync(file));
  }
  return hash.digest("hex");
}

function products() {
  const hash = createHash("sha256");
  for (const file of filesIn("dist")) {
    const { size, mtimeMs } = statSync(file);
    hash.update(`\0${file} ${size} ${mtimeMs}`);
  }
  return hash.digest("hex");
}

removeLeftovers();
writeVersion();
await assemble();
// Before they are read: what changes meanwhile may not be in it.
const of = sources();
if (existsSync("dist") && existsSync(BUILT) && readFileSync(BUILT, "utf8") === `${of} ${products()}`) process.exit();
const tsc = createRequire(import.meta.url)
  .resolve("typescript-native/package.json")
  .replace("package.json", "bin/tsc");
const { status } = spawnSync(process.execPath, [tsc, "-p", "tsconfig.build.json", "--outDir", NEW], {
  stdio: "inherit",
});
/** The Lab's page; Vite needs a newer Node than the one that may run this, so it gets the project's own. */
function buildLab() {
  const vite = createRequire(import.meta.url)
    .resolve("vite/package.json")
    .replace("package.json", "bin/vite.js");
  const own = existsSync("node_modules/node/bin/node") ? "node_modules/node/bin/node" : process.execPath;
  const args = [vite, "build", "-c", "lab/vite.config.ts", "--outDir", `../${NEW}/lab`, "--logLevel", "error"];
  return spawnSync(own, args, { stdio: "inherit" }).status;
}

if (status === 0 && buildLab() === 0) {
  cpSync("src/reproduce/texts", `${NEW}/reproduce/texts`, { recursive: true });
  if (existsSync("dist")) renameSync("dist", OLD);
  renameSync(NEW, "dist");
  remove(OLD);
  writeFileSync(BUILT, `${of} ${products()}`);
  try {
    symlinkSync("../../bin/sortition.js", "node_modules/.bin/sortition");
  } catch {
    // It is there already, or this system has no links: `npx sortition` needs it, nothing else does.
  }
} else {
  remove(NEW);
  process.exitCode = status || 1;
}
