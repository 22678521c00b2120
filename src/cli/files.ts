/** Files that commands read and write whole. */
import { existsSync, mkdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { OutputFile } from "../campaign/output-file.ts";
import { InputError } from "../errors.ts";

/** `what` is what an error calls it: "the fault file". */
export function readInput(file: string, what: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const why = code === "ENOENT" ? "there is no such file" : code === "EISDIR" ? "it is a folder" : message;
    throw new InputError(`cannot read ${what} ${file}: ${why}`);
  }
}

export function writeOutput(file: string, data: string | Uint8Array): void {
  const output = new OutputFile(file);
  output.write(data);
  output.finish();
}

/** Says now what could not be written later, after all the work; leaves what is there as it is. */
export function checkOutput(file: string): void {
  new OutputFile(file).discard();
}

/**
 * Files by the names under which the user gave them. Two that are the same would overwrite each other, and one that is there
 * already is overwritten only by force.
 */
export function checkFiles(inputs: Files, outputs: Files, force: boolean | undefined): void {
  const seen = new Map<string, string>();
  for (const [option, file] of Object.entries({ ...inputs, ...outputs })) {
    if (file === undefined) continue;
    const place = existsSync(file) ? realpathSync(file) : resolve(file);
    const other = seen.get(place);
    if (other !== undefined) throw new InputError(`${other} and ${option} are the same file: give each one of its own`);
    seen.set(place, option);
  }
  for (const [option, file] of Object.entries(outputs)) if (file !== undefined) checkNew(file, option, force);
}

type Files = Readonly<Record<string, string | undefined>>;

export function checkNew(file: string, option: string, force: boolean | undefined): void {
  if (force === true || statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return;
  throw new InputError(`${option}: ${file} exists; add --force to overwrite it, or choose another name`);
}

/** Says now what could not be written after all the work. */
export function makeFolder(folder: string, option: string): void {
  try {
    makeLevels(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why = code === "EEXIST" || code === "ENOTDIR" ? "it is a file" : (code ?? String(error));
    throw new InputError(`cannot use "${folder}" as a folder: ${why}; choose another one with ${option}`);
  }
}

/** Level by level: in a file system that refuses every name, such as /proc, Node's own recursion never ends. */
function makeLevels(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return;
  makeLevels(dirname(resolve(folder)));
  mkdirSync(folder);
}
