/** `sortition keys`: which keys a group has, and the steps in which one is replaced while the group runs. */
import { type Command, Option } from "commander";
import type { AgentMembers } from "../../../api/client.ts";
import { didYouMean, InputError } from "../../../errors.ts";
import { idsIn, keyIdText, readKeyFile, readKeyText } from "../../../live/net/keyring.ts";
import { variableOf } from "../../../settings/member.ts";
import type { Io } from "../../io.ts";
import { type AgentFlags, agentClient, agentOptions } from "../../options/agent-client.ts";
import { flagWithValue } from "../../options/member.ts";
import { jsonOption } from "../../options/options.ts";
import { harmless, named, table } from "../../text/table.ts";
import { examples, painter, print, terminalWidth } from "../../text/terminal.ts";
import { addKey, type KeyFlags, type KeyStepFlags, keyFileOf, remove, use } from "./edit.ts";

const fileOption = () =>
  new Option(
    flagWithValue("keyFile"),
    `the keys of the group on this machine (or ${variableOf("keyFile")} in the environment)`,
  );
const rekeyOption = () =>
  new Option("--rekey", "afterwards, have the agent read its keys again; wants its bearer token");
const forceOption = () => new Option("--force", "continue although members may be shut out; they are named");

export function define(command: Command, io: Io): void {
  command
    .description(
      "Shows which member has which key, and replaces a key of a running group in three steps: add a key, which opens; use it, so that it seals; remove the former key. After each step, copy the file to every member and let each member read it again. The command asks an agent which member has which key, and refuses a step that would shut a member out.",
    )
    .addHelpText(
      "after",
      examples(
        [
          ["sortition keys ls --key-file group.key", "the keys of the file by their ids, and who has which"],
          ["sortition keys add --key-file group.key", "a new key, which only opens; copy the file to every member"],
          ["sortition keys use 1a2b --key-file group.key", "it seals, once all members open it; copy the file again"],
          ["sortition keys remove 9f8e --key-file group.key", "the former one goes, once nobody seals with it"],
        ],
        "docs/security.md",
      ),
    )
    .addOption(fileOption())
    .addOption(jsonOption());
  for (const option of agentOptions()) command.addOption(option);
  command.allowExcessArguments().action((flags: KeyFlags & AgentFlags) => {
    const [unknown] = command.args;
    if (unknown === undefined) return listKeys(io, flags);
    const known = command.commands.map((each) => each.name());
    throw new InputError(`unknown command "${unknown}"${didYouMean(unknown, known)}`);
  });
  const step = (name: string, summary: string) => {
    const made = command.command(name).summary(summary).description(summary).addOption(fileOption());
    for (const option of agentOptions()) made.addOption(option);
    return made;
  };
  step("ls", "list the keys of the file, and who seals and opens with which")
    .addOption(jsonOption())
    .action((_flags, own: Command) => listKeys(io, flagsOf(own, own.parent)));
  step("add", "add a new key to the file, which opens and does not seal yet")
    .option("--from <file>", "no new key, but those of this file that are missing")
    .addOption(rekeyOption())
    .action((_flags, own: Command) => addKey(io, flagsOf(own, own.parent)));
  step("use", "let a key seal, once every member opens it")
    .argument("<id>", "the key, by the first digits of its id")
    .addOption(rekeyOption())
    .addOption(forceOption())
    .action((id: string, _flags, own: Command) => use(io, id, flagsOf(own, own.parent)));
  step("remove", "remove a key from the file, once no member seals with it and every member opens the remaining key")
    .argument("<id>", "the key, by the first digits of its id")
    .addOption(rekeyOption())
    .addOption(forceOption())
    .action((id: string, _flags, own: Command) => remove(io, id, flagsOf(own, own.parent)));
}

/** Options may stand before or after the step's name. */
const flagsOf = (own: Command, parent: Command | null): KeyStepFlags => ({ ...parent?.opts(), ...own.opts() });

// `sortition keys ls`: the keys of a file, and who seals and opens with which, as an agent knows it.

interface KeyLine {
  readonly id: string;
  /** Null: not in the file. */
  readonly inFile: "seals" | "opens" | null;
  /** Names of live members. */
  readonly openedBy: readonly string[];
  readonly sealedBy: readonly string[];
}

export async function listKeys(io: Io, flags: KeyFlags): Promise<void> {
  const file = keyFileOf(flags, io.env);
  const ids = file === null ? [] : idsIn(readKeyText(readKeyFile(file), file)).map(keyIdText);
  const known = await agentClient(flags, io.env)
    .members()
    .catch((error: unknown) => {
      // Where there is a file, that much can be told.
      if (file === null || !(error instanceof InputError)) throw error;
      return error;
    });
  const members = known instanceof InputError ? null : known;
  const heading = (text: string) => painter(io.stdout)("bold", text);
  const lines = linesOf(ids, members);
  if (flags.json) {
    const recent = members?.recent ?? null;
    print(
      io,
      JSON.stringify({ file, group: members?.group ?? null, keys: members === null ? fileOnly(lines) : lines, recent }),
    );
    return;
  }
  if (members === null) {
    print(
      io,
      table(
        [{ title: "key" }, { title: `in ${file}` }],
        lines.map(({ id, inFile }) => [id, inFile!]),
        { heading },
      ),
    );
    print(io, `\nWho has which is not known: ${(known as InputError).message}`);
    return;
  }
  const where = file === null ? [] : [{ title: "in the file" }];
  print(
    io,
    table(
      [{ title: "key" }, ...where, { title: "seal with it" }, { title: "open it", wrap: true }],
      lines.map((line) => rowOf(line, members, file !== null)),
      { width: terminalWidth(io), heading },
    ),
  );
  for (const line of remarks(members)) print(io, `\n${line}`);
}

function linesOf(ids: readonly string[], known: AgentMembers | null): readonly KeyLine[] {
  const members = known?.members ?? [];
  const elsewhere = members.flatMap(({ keys }) => keys?.opens ?? []);
  return [...new Set([...ids, ...elsewhere])].map((id) => ({
    id,
    inFile: ids[0] === id ? "seals" : ids.includes(id) ? "opens" : null,
    openedBy: members.filter(({ keys }) => keys?.opens.includes(id)).map(({ name }) => name),
    sealedBy: members.filter(({ keys }) => keys?.seals === id).map(({ name }) => name),
  }));
}

const fileOnly = (lines: readonly KeyLine[]) => lines.map(({ id, inFile }) => ({ id, inFile }));

function rowOf({ id, inFile, openedBy, sealedBy }: KeyLine, { members }: AgentMembers, hasFile: boolean): string[] {
  const telling = members.filter(({ keys }) => keys !== null);
  const missing = telling.filter(({ name }) => !openedBy.includes(name)).map(({ name }) => name);
  const opens = missing.length === 0 ? "all" : `${openedBy.length}, not ${named(missing)}`;
  const seals = sealedBy.length === 0 ? "none" : sealedBy.length === members.length ? "all" : `${sealedBy.length}`;
  return [id, ...(hasFile ? [inFile ?? "-"] : []), seals, opens];
}

function remarks({ group, self, members, recent }: AgentMembers): string[] {
  const silent = members.filter(({ keys }) => keys === null).map(({ name }) => name);
  const failed = recent.filter(({ state }) => state === "failed");
  const words = failed
    .slice(0, 10)
    .map(
      ({ name, keys }) =>
        `${harmless(name)} (${keys === null ? "does not say" : `sealed with ${keys.seals}, opened ${keys.opens.join(", ")}`})`,
    );
  const more = failed.length > words.length ? ` and ${failed.length - words.length} more` : "";
  return [
    `${members.length} members of the group "${harmless(group)}", as ${harmless(self)} knows it.`,
    ...(silent.length > 0 ? [`Of an earlier version, so that their keys are not known: ${named(silent)}.`] : []),
    ...(failed.length > 0 ? [`Failed within a day: ${words.join(", ")}${more}.`] : []),
  ];
}
