/**
 * Bundles src into dist, with declarations in dist/types, and the Lab's page into dist/lab, so that commands that run meanwhile find the old one or the new one, never a half: into a folder
 * beside it, which then takes its place. Plain JavaScript, because `npm ci` may run it on an old Node.
 */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { assemble } from "./assemble.js";
import { isBuilt, recordBuild, sources } from "./built.js";
import "./compiled.js";
import { describeSettings } from "./describe-settings.js";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
const NEW = `.dist-${process.pid}-new`;
const OLD = `.dist-${process.pid}-old`;
/** All declarations, of which users get a part. */
const DECLARED = `.dist-${process.pid}-declared`;

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

removeLeftovers();
writeVersion();
await assemble();
// Before they are read: what changes meanwhile may not be in it.
const of = sources();
// As in `npm test` right after `npm ci`: there is nothing to do.
if (isBuilt(of)) process.exit();
const tsc = createRequire(import.meta.url)
  .resolve("@typescript/native/package.json")
  .replace("package.json", "bin/tsc");
const { status } = spawnSync(process.execPath, [tsc, "-p", "tsconfig.build.json", "--outDir", DECLARED], {
  stdio: "inherit",
});
/** Rolldown and Vite need a newer Node than the one that may run this, so they get the project's own. */
const own = existsSync("node_modules/node/bin/node") ? "node_modules/node/bin/node" : process.execPath;

const run = (script, ...args) => spawnSync(own, [`scripts/${script}.js`, ...args], { stdio: "inherit" }).status === 0;

function bundle() {
  describeSettings(DECLARED);
  return run("bundle", NEW) && run("declarations", DECLARED, NEW);
}

function buildLab() {
  const vite = createRequire(import.meta.url)
    .resolve("vite/package.json")
    .replace("package.json", "bin/vite.js");
  const args = [vite, "build", "-c", "lab/vite.config.ts", "--outDir", `../${NEW}/lab`, "--logLevel", "error"];
  return spawnSync(own, args, { stdio: "inherit" }).status;
}

if (status === 0 && bundle() && buildLab() === 0) {
  remove(DECLARED);
  cpSync("src/reproduce/texts", `${NEW}/reproduce/texts`, { recursive: true });
  if (existsSync("dist")) renameSync("dist", OLD);
  renameSync(NEW, "dist");
  remove(OLD);
  recordBuild(of);
  try {
    symlinkSync("../../bin/sortition.js", "node_modules/.bin/sortition");
  } catch {
    // It is there already, or this system has no links: `npx sortition` needs it, nothing else does.
  }
} else {
  remove(NEW);
  remove(DECLARED);
  process.exitCode = status || 1;
}
