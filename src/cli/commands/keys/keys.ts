/** `sortition keys`: which keys a group has, and the steps in which one is replaced while the group runs. */
import { type Command, Option } from "commander";
import { didYouMean, InputError } from "../../../errors.ts";
import { variableOf } from "../../../settings/member.ts";
import type { Io } from "../../io.ts";
import { type AgentFlags, agentOptions } from "../../options/agent-client.ts";
import { flagWithValue } from "../../options/member.ts";
import { jsonOption } from "../../options/options.ts";
import { examples } from "../../text/terminal.ts";
import { addKey, type KeyFlags, type KeyStepFlags, remove, use } from "./edit.ts";
import { listKeys } from "./list.ts";

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
