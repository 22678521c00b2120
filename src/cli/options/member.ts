/** The options of commands that are members of a group (agent, group, run), from the table of members' settings. */
import { type Command, Option } from "commander";
import { type Configured, configure } from "../../live/agent/config.ts";
import type { AgentSettings } from "../../live/agent/settings.ts";
import { AGENT_KEYS, type AgentKey, agentSetting, memberFlag } from "../../settings/member.ts";
import { itemsIn } from "../../values.ts";
import { repeated, SettingOption } from "./options.ts";

/** As commander gives them: texts, lists of texts, and true or false. */
export type MemberFlags = Readonly<Record<string, unknown>>;

/** Checked with all else that is said, in the environment and in the file. */
const unread = (typed: string): string => typed;
const listed = (value: string, before: readonly string[] = []): string[] => [...before, ...itemsIn(value)];

/** A flag by its former name: help does not show it, and what it says is said of the setting. */
class FormerFlag extends Option {
  readonly #key: AgentKey;

  constructor(flag: string, key: AgentKey) {
    super(flag);
    this.#key = key;
    this.hideHelp();
  }

  override attributeName(): string {
    return this.#key;
  }
}

/** The flag of a setting, and the one that it had before; none where it has no flag. */
function optionsOf(key: AgentKey): Option[] {
  const setting = agentSetting(key);
  const flag = memberFlag(key);
  if (flag === null) return [];
  const { item, value, formerFlag } = setting;
  const option = new SettingOption(key, setting, flag);
  if (item !== undefined) option.argParser(listed);
  else if (value !== undefined) option.argParser(unread);
  if (formerFlag === undefined) return [option];
  const former = new FormerFlag(`${formerFlag.name} <${value}>`, key);
  if (item !== undefined) former.argParser(formerFlag.isWhole ? repeated : listed);
  return [option, former];
}

/** "--key-file <file>", for commands that describe a setting in words of their own. */
export const flagWithValue = (key: AgentKey): string => `${memberFlag(key)} <${agentSetting(key).value}>`;

/** `keys`: those that this command has a use for. */
export function addMemberOptions(command: Command, keys: readonly AgentKey[] = AGENT_KEYS): Command {
  command.addOption(
    new Option("--config <file>", "settings in YAML or JSON; flags come first, then SORTITION_... of the environment"),
  );
  for (const option of keys.flatMap(optionsOf)) command.addOption(option);
  return command;
}

/** What was typed, by setting. */
export function typedSettings(flags: MemberFlags): Partial<Record<AgentKey, unknown>> {
  const typed = AGENT_KEYS.filter((key) => {
    // Commander says true of --no-... where nobody has said anything.
    const isUnsaid = flags[key] === true && memberFlag(key)?.startsWith("--no-");
    return flags[key] !== undefined && !isUnsaid;
  });
  return Object.fromEntries(typed.map((key) => [key, flags[key]]));
}

/** From flags, environment and file; `defaults` where this command has others. */
export function configured(flags: MemberFlags, defaults: Partial<AgentSettings>, env: NodeJS.ProcessEnv): Configured {
  const file = typeof flags.config === "string" ? flags.config : null;
  return configure({ flags: typedSettings(flags), env, file, defaults });
}
