/** The options of commands that are members of a group (agent, group, run), from the table of members' settings. */
import { type Command, Option } from "commander";
import { InputError } from "../../errors.ts";
import { type Configured, configure } from "../../live/agent/config.ts";
import type { AgentSettings } from "../../live/agent/settings.ts";
import { addressIn, LEASE_VARIABLE, refusePassword } from "../../live/engines/engine.ts";
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
function optionsOf(key: AgentKey, own: string | undefined): Option[] {
  const setting = agentSetting(key);
  const flag = memberFlag(key);
  if (flag === null) return [];
  const { item, value, formerFlag } = setting;
  const option = new SettingOption(key, own === undefined ? setting : { ...setting, otherwise: own }, flag);
  if (item !== undefined) option.argParser(listed);
  else if (value !== undefined) option.argParser(unread);
  if (formerFlag === undefined) return [option];
  const former = new FormerFlag(`${formerFlag.name} <${value}>`, key);
  if (item !== undefined) former.argParser(formerFlag.isWhole ? repeated : listed);
  return [option, former];
}

/** "--key-file <file>", for commands that describe a setting in words of their own. */
export const flagWithValue = (key: AgentKey): string => `${memberFlag(key)} <${agentSetting(key).value}>`;

/** `keys`: those that this command has a use for; `own`: its defaults where they differ. */
export function addMemberOptions(
  command: Command,
  keys: readonly AgentKey[] = AGENT_KEYS,
  own: Readonly<Partial<Record<AgentKey, string>>> = {},
): Command {
  command.addOption(
    new Option("--config <file>", "settings in YAML or JSON; flags come first, then SORTITION_... of the environment"),
  );
  for (const option of keys.flatMap((key) => optionsOf(key, own[key]))) command.addOption(option);
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

// Where leases are kept, as options of commands: an address, a file that holds it, or the environment.

export interface EngineFlags {
  readonly lease?: string;
  readonly leaseFile?: string;
}

export const engineOptions = (about: string): Option[] => [
  new Option(
    flagWithValue("lease"),
    `${about}: sqlite:FILE, postgres://ROLE@HOST/DATABASE, etcd://HOST:2379, redis://HOST:6379, kubernetes: or nats://HOST:4222; without a password`,
  ),
  new Option(
    flagWithValue("leaseFile"),
    `a file that holds that address, with a password, and that only you can read (or ${LEASE_VARIABLE} in the environment)`,
  ),
];

/** Null where none is given. */
export function engineAddress(
  { lease, leaseFile }: EngineFlags,
  env: Readonly<Record<string, string | undefined>>,
): string | null {
  if (lease !== undefined && leaseFile !== undefined) {
    throw new InputError("--lease and --lease-file both say where leases are kept: give one of them");
  }
  if (lease !== undefined) {
    refusePassword(lease);
    return lease;
  }
  if (leaseFile !== undefined) return addressIn(leaseFile);
  return env[LEASE_VARIABLE]?.trim() || null;
}
