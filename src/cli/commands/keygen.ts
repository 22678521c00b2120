/** `sortition keygen`: a new key for the members of a live group, the key that its guards verify with, or a bearer token for HTTP. */
import { closeSync, openSync, writeSync } from "node:fs";
import { type Command, Option } from "commander";
import { InputError } from "../../errors.ts";
import { guardKeys, guardKeyText } from "../../live/guards/keys.ts";
import { keyIdText, loadKeyring, newKeyText, parseKeyring } from "../../live/net/keyring.ts";
import type { Io } from "../io.ts";
import { examples, print } from "../text/terminal.ts";

interface Options {
  readonly out?: string;
  readonly guard?: string;
  readonly httpToken?: true;
  readonly keyFile?: string;
}

export function define(command: Command, io: Io): void {
  command
    .description(
      "Makes a secret of 256 random bits: a key for the members of a group, or a bearer token for an agent's HTTP API (--http-token). A key file holds one key a line: the first key seals, all keys open, so keys can be replaced while the group runs.",
    )
    .option("--out <file>", "write it to a new file that only you can read, instead of printing it")
    .option("--guard <group>", "instead of a new key: the keys for guards of this group, derived from --key-file")
    .option("--key-file <file>", "the keys of the group, for --guard")
    .addOption(
      new Option(
        "--http-token",
        "instead of a key: a bearer token for --http-token-file; it is no fencing token",
      ).conflicts(["guard", "keyFile"]),
    )
    .addHelpText(
      "after",
      examples(
        [
          ["sortition keygen --out group.key", "a key file for --key-file; copy it to every member"],
          [
            "sortition keygen --http-token --out http.token",
            "a bearer token for --http-token-file; give it only to the agent and its programs",
          ],
          ["sortition keys add --key-file group.key", "a second key, which opens but does not seal yet"],
          [
            "sortition keygen --guard jobs --key-file group.key --out guard.key",
            "for a resource that verifies fences of the group jobs but is no member",
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

function made({ guard, keyFile, httpToken }: Options): {
  readonly text: string;
  readonly about: string;
  readonly what: string;
} {
  if ((guard === undefined) !== (keyFile === undefined))
    throw new InputError(
      "--guard GROUP and --key-file FILE go together: the keys of guards come from those of the group",
    );
  if (httpToken) {
    const about = "give it to the agent and to the programs that may change something over its HTTP API";
    return { text: newKeyText(), what: "A new bearer token", about };
  }
  if (guard === undefined) return newKey();
  const text = guardKeyText(guardKeys(loadKeyring(keyFile!), guard)).trimEnd();
  return { text, what: "The key for guards", about: `copy it to what is guarded for the group "${guard}"` };
}

function newKey() {
  const text = newKeyText();
  const id = keyIdText(parseKeyring(text, "a new key").sealing.id);
  return { text, what: `A new key, ${id},`, about: "copy it to every member of the group" };
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
