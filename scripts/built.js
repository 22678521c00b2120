/**
 * What dist was built from, and whether it still is what was built. Plain JavaScript, because the build may run on an old Node.
 */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Of the last build: one hash over the sources and one over what was built. */
const RECORD = join(root, "node_modules/.sortition-built");

const filesIn = (folder) =>
  readdirSync(join(root, folder), { recursive: true })
    .map((name) => `${folder}/${name}`)
    .filter((path) => !path.endsWith(".test.ts") && statSync(join(root, path)).isFile())
    .sort();

export function sources() {
  const hash = createHash("sha256");
  const settings = ["package.json", "package-lock.json", "tsconfig.json", "tsconfig.build.json"];
  const scripts = ["build", "bundle", "declarations", "describe-settings"].map((name) => `scripts/${name}.js`);
  for (const file of [...settings, ...scripts, ...filesIn("src"), ...filesIn("lab")]) {
    hash.update(`\0${file}\0`).update(readFileSync(join(root, file)));
  }
  return hash.digest("hex");
}

function products() {
  const hash = createHash("sha256");
  for (const file of filesIn("dist")) {
    const { size, mtimeMs } = statSync(join(root, file));
    hash.update(`\0${file} ${size} ${mtimeMs}`);
  }
  return hash.digest("hex");
}

/** Whether dist is what the last build made of these sources. */
export const isBuilt = (of = sources()) =>
  existsSync(join(root, "dist")) && existsSync(RECORD) && readFileSync(RECORD, "utf8") === `${of} ${products()}`;

/** Records that dist was built from these sources: in a new file, because a copy of the project made of hard links shares the old one. */
export function recordBuild(of) {
  rmSync(RECORD, { force: true });
  writeFileSync(RECORD, `${of} ${products()}`);
}
