/** `sortition keygen`: a new key for the members of a live group, or the one that its guards verify with. */
import { closeSync, openSync, writeSync } from "node:fs";
import type { Command } from "commander";
import { InputError } from "../../errors.ts";
import { guardKeys, guardKeyText } from "../../live/guards/keys.ts";
import { keyIdText, loadKeyring, newKeyText, parseKeyring } from "../../live/net/keyring.ts";
import type { Io } from "../io.ts";
import { examples, print } from "../text/terminal.ts";

interface Options {
  readonly out?: string;
  readonly guard?: string;
  readonly keyFile?: string;
}

export function define(command: Command, io: Io): void {
  command
    .description(
      "Makes a random key of 256 bits. A key file holds one key a line: the first one seals, all of them open, so keys can be replaced while the group runs.",
    )
    .option("--out <file>", "write it to a new file that only you can read, instead of printing it")
    .option(
      "--guard <group>",
      "no new key: those with which guards of this group verify fences, derived from --key-file",
    )
    .option("--key-file <file>", "the keys of the group, for --guard")
    .addHelpText(
      "after",
      examples(
        [
          ["sortition keygen --out group.key", "a key file for --key-file; copy it to every member"],
          ["sortition keys add --key-file group.key", "a second key, which opens but does not seal yet"],
          [
            "sortition keygen --guard jobs --key-file group.key --out guard.key",
            "for a resource that must know the leader of jobs, and not the group's key",
          ],
        ],
        "docs/security.md",
      ),
    )
    .action((options: Options) => {
      const { text, what, about } = made(options);
      if (options.out === undefined) print(io, text);
      else writeKey(io, options.out, text, `${what} is in ${options.out}; ${about}.`);
    });
}

function made({ guard, keyFile }: Options): { readonly text: string; readonly about: string; readonly what: string } {
  if ((guard === undefined) !== (keyFile === undefined))
    throw new InputError(
      "--guard GROUP and --key-file FILE go together: the keys of guards come from those of the group",
    );
  if (guard === undefined) return newKey();
  const text = guardKeyText(guardKeys(loadKeyring(keyFile!), guard)).trimEnd();
  return { text, what: "The key for guards", about: `copy it to what is guarded for the group "${guard}"` };
}

function newKey() {
  const text = newKeyText();
  const id = keyIdText(parseKeyring(text, "a new key").sealing.id);
  return { text, what: `A new key, ${id},`, about: "if it is the key of a group, copy it to every member" };
}

function writeKey(io: Io, file: string, text: string, done: string): void {
  let descriptor: number;
  try {
    descriptor = openSync(file, "wx", 0o600);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const why = code === "EEXIST" ? "it exists already, and a key must not be lost: choose another name" : message;
    throw new InputError(`cannot write ${file}: ${why}`);
  }
  writeSync(descriptor, `${text}\n`);
  closeSync(descriptor);
  print(io, done);
}
