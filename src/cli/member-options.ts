/** The options of whatever is a member of a group (agent, run, group), from one table, and the settings that follow from them. */
import { type Command, Option } from "commander";
import { type Configured, configure } from "../live/agent/config.ts";
import { AGENT_KEYS, CONFIG } from "../live/agent/config-table.ts";
import type { AgentKey, AgentSettings } from "../live/agent/settings.ts";

/** As commander gives them. */
export type MemberFlags = Readonly<Record<string, unknown>>;

const repeated = (value: string, before: readonly string[] = []): string[] => [...before, value];
const listed = (value: string, before: readonly string[] = []): string[] => [
  ...before,
  ...value.split(",").map((part) => part.trim()),
];

/** Null where a setting has no flag. */
function optionOf(key: AgentKey): Option | null {
  const { flag, about, kind, choices } = CONFIG[key];
  if (flag === null) return null;
  const option = new Option(flag, about);
  if (choices !== undefined) option.choices(choices);
  // An office's name may hold a comma.
  if (kind === "list") option.argParser(key === "offices" ? repeated : listed);
  return option;
}

/** `without`: those that this command has no use for, or describes itself. */
export function addMemberOptions(command: Command, without: readonly AgentKey[] = []): Command {
  command.addOption(
    new Option("--config <file>", "settings in YAML or JSON; flags come first, then SORTITION_... of the environment"),
  );
  for (const key of AGENT_KEYS) {
    const option = without.includes(key) ? null : optionOf(key);
    if (option !== null) command.addOption(option);
  }
  return command;
}

/** From flags, environment and file; `defaults` where this command has others. */
export function configured(flags: MemberFlags, defaults: Partial<AgentSettings>, env: NodeJS.ProcessEnv): Configured {
  const given = AGENT_KEYS.flatMap((key): [AgentKey, unknown][] => {
    const option = optionOf(key);
    if (option === null) return [];
    const value = flags[option.attributeName()];
    // Commander says true of --no-... where nobody has said anything.
    return value === undefined || (option.negate && value === true) ? [] : [[key, value]];
  });
  const file = typeof flags.config === "string" ? flags.config : null;
  return configure({ flags: Object.fromEntries(given), env, file, defaults });
}
