/** Where a command is, before it is started: so that one that is not there is told in a sentence, and with the status of a shell. */
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join } from "node:path";

export const NOT_FOUND = 127;
export const NOT_EXECUTABLE = 126;

type Found = { readonly file: string } | { readonly status: number; readonly why: string };

export function findProgram(name: string, path: string | undefined): Found {
  const places = name.includes("/")
    ? [name]
    : (path ?? "/usr/bin:/bin").split(delimiter).map((dir) => join(dir || ".", name));
  let isThere = false;
  for (const file of places) {
    try {
      const isFolder = statSync(file).isDirectory();
      isThere ||= !isFolder || name.includes("/");
      if (isFolder) continue;
      accessSync(file, constants.X_OK);
      return { file };
    } catch {
      // Not this one.
    }
  }
  if (isThere) return { status: NOT_EXECUTABLE, why: `${name} cannot be run: is it a program, and may you run it?` };
  const where = name.includes("/") ? "there is no such file" : "it is in none of the folders of PATH";
  return { status: NOT_FOUND, why: `the command ${name} was not found: ${where}` };
}
