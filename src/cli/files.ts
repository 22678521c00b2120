/** Files that commands read and write whole. */
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { resolve } from "node:path";
import { OutputFile } from "../campaign/output-file.ts";
import { InputError } from "../errors.ts";

/** `what` is what an error calls it: «the fault file». */
export function readInput(file: string, what: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const why = code === "ENOENT" ? "there is no such file" : code === "EISDIR" ? "it is a folder" : message;
    throw new InputError(`cannot read ${what} ${file}: ${why}`);
  }
}

export function writeOutput(file: string, text: string): void {
  const output = new OutputFile(file);
  output.write(text);
  output.finish();
}

/** Says now what could not be written later, after all the work; leaves what is there as it is. */
export function checkOutput(file: string): void {
  new OutputFile(file).discard();
}

/** Files by the names under which the user gave them: two that are the same would overwrite each other. */
export function checkDistinct(files: Readonly<Record<string, string | undefined>>): void {
  const seen = new Map<string, string>();
  for (const [option, file] of Object.entries(files)) {
    if (file === undefined) continue;
    const place = existsSync(file) ? realpathSync(file) : resolve(file);
    const other = seen.get(place);
    if (other !== undefined) throw new InputError(`${other} and ${option} are the same file: give each one of its own`);
    seen.set(place, option);
  }
}
