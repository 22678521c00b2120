/** `sortition completion SHELL`: what the Tab key offers, names of protocols and parameters included. */
import type { Complete } from "@bomb.sh/tab";
import tab from "@bomb.sh/tab/commander";
import type { Command } from "commander";
import { propertyNames } from "../../properties/properties.ts";
import { catalogue } from "../../protocols/catalogue.ts";
import { SettingOption } from "../options/options.ts";
import { examples } from "../text/terminal.ts";

/** Call it last: it learns what the other commands are. Only those that the line names have options to offer. */
export async function addCompletion(program: Command, summary: string, line: readonly string[]): Promise<void> {
  const root = tab(program, { completionCommandName: "completion" });
  for (const command of program.commands) offerValues(root, command, line);
  for (const [command, argument] of [
    ["simulate", "protocol"],
    ["sweep", "protocols"],
    ["theory", "protocol"],
    ["explore", "protocol"],
    ["elect", "protocol"],
    ["protocols", "name"],
  ]) {
    if (!line.includes(command)) continue;
    root.commands.get(command)!.arguments.get(argument)!.handler = (complete) => {
      for (const { name, title } of catalogue) complete(name, title);
    };
  }
  if (line.includes("reproduce")) await offerPapers(root, line);
  program.commands
    .find((command) => command.name() === "completion")!
    .summary(summary)
    .description(
      "Prints a script for bash, zsh, fish or PowerShell; with it, the Tab key completes commands, options and names.",
    )
    .addHelpText(
      "after",
      examples(
        [
          ["source <(sortition completion bash)", "for this shell (bash needs the package bash-completion)"],
          ["sortition completion zsh >> ~/.zshrc", "for every zsh to come"],
          ["sortition completion fish > ~/.config/fish/completions/sortition.fish", "for every fish to come"],
        ],
        "README.md",
      ),
    );
}

type Root = ReturnType<typeof tab>;

/** The values of a command's options, where the line names the command. */
function offerValues(root: Root, command: Command, line: readonly string[]): void {
  const options = root.commands.get(command.name())?.options;
  if (options === undefined || !line.includes(command.name())) return;
  for (const [option, words] of [...offersOf(command), ["property", Object.keys(propertyNames)] as const]) {
    const known = options.get(option);
    if (known === undefined) continue;
    known.handler = (complete) => {
      for (const word of words) complete(word, "");
    };
  }
  const param = options.get("param");
  if (param !== undefined) param.handler = (complete) => completeParameters(complete, line);
}

async function offerPapers(root: Root, line: readonly string[]): Promise<void> {
  const { papers } = await import("../../reproduce/all.ts");
  const { arguments: expected } = root.commands.get("reproduce")!;
  expected.get("paper")!.handler = (complete) => {
    for (const { name, citation } of papers) complete(name, citation);
  };
  expected.get("figure")!.handler = (complete) => {
    const named = papers.filter(({ name }) => line.includes(name));
    for (const { name, title } of named.flatMap(({ reproductions }) => reproductions)) complete(name, title);
  };
}

/** Values to offer, by option. */
function offersOf(command: Command): (readonly [string, readonly string[]])[] {
  return command.options.flatMap((option) =>
    option instanceof SettingOption ? [[option.name(), option.offers] as const] : [],
  );
}

/** Whole words KEY=VALUE where the values are few, else KEY=; those of the protocol on the line, if there is one. */
function completeParameters(complete: Complete, words: readonly string[]): void {
  const named = catalogue.filter(({ name }) => words.includes(name));
  const offered = new Map<string, string>();
  for (const { parameters } of named.length > 0 ? named : catalogue) {
    for (const { name, type, about } of parameters) {
      const values = typeof type !== "string" ? type : type === "boolean" ? ["true", "false"] : [""];
      for (const value of values) offered.set(`${name}=${value}`, about);
    }
  }
  for (const [word, about] of offered) complete(word, about);
}
