/** `sortition keygen`: a new key for the members of a live group. */
import { closeSync, openSync, writeSync } from "node:fs";
import type { Command } from "commander";
import { InputError } from "../errors.ts";
import { newKeyText } from "../live/keyring.ts";
import { examples } from "./help.ts";
import { print } from "./terminal.ts";

export function define(command: Command): void {
  command
    .description(
      "Makes a random key of 256 bits. A key file holds one key a line: the first one seals, all of them open, so keys can be replaced while the group runs.",
    )
    .option("--out <file>", "write it to a new file that only you can read, instead of printing it")
    .addHelpText(
      "after",
      examples(
        [
          ["sortition keygen --out group.key", "a key file for --key-file; copy it to every member"],
          ["sortition keygen >> group.key", "a second key, which opens but does not seal yet"],
        ],
        "docs/security.md",
      ),
    )
    .action(({ out }: { out?: string }) => {
      if (out === undefined) print(newKeyText());
      else writeKey(out);
    });
}

function writeKey(file: string): void {
  let descriptor: number;
  try {
    descriptor = openSync(file, "wx", 0o600);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const why = code === "EEXIST" ? "it exists already, and a key must not be lost: choose another name" : message;
    throw new InputError(`cannot write ${file}: ${why}`);
  }
  writeSync(descriptor, `${newKeyText()}\n`);
  closeSync(descriptor);
  print(`A new key is in ${file}; copy it to every member of the group.`);
}
