/** Which code runs here: machines compute the same only with the same. */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import { codeFile } from "../package-files.ts";

/** Enough to tell builds apart; it stands in subjects and in lines for people. */
const DIGITS = 16;

let known: string | null = null;

/** A digest of all code of this package, as it lies on the disk. */
export function buildDigest(): string {
  known ??= digestOf(codeFile(""));
  return known;
}

function digestOf(folder: string): string {
  const hash = createHash("sha256");
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /(?<!\.test|\.d)\.[jt]s$/.test(entry.name))
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort();
  for (const file of files)
    hash.update(file.slice(folder.length).replaceAll(sep, "/")).update("\0").update(readFileSync(file));
  return hash.digest("hex").slice(0, DIGITS);
}
