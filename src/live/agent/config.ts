/**
 * Settings from flags, the environment and a file, in this order; what none of them says has its default. Where one of them says
 * which key (or which lease, or which token) is used, the ways of those after it count no more.
 */
import { didYouMean, InputError } from "../../errors.ts";
import { type Given, readAll, type Setting } from "../../setting.ts";
import {
  AGENT,
  AGENT_KEYS,
  type AgentKey,
  agentSetting,
  type MemberDetails,
  memberFlag,
  shownValue,
  variableOf,
} from "../../settings/member.ts";
import { itemsIn, wrongValueIn } from "../../values.ts";
import { refusePassword } from "../engines/address.ts";
import type { Environment } from "../join/keys.ts";
import { readConfigFile, type Said } from "./config-file.ts";
import { type AgentSettings, checkAgent, hostName } from "./settings.ts";

export const CONFIG_VARIABLE = "SORTITION_CONFIG";

export interface Sources {
  /** What was typed, by setting. */
  readonly flags: Readonly<Partial<Record<AgentKey, unknown>>>;
  readonly env: Environment;
  /** A file's name; null: SORTITION_CONFIG says, or there is none. */
  readonly file: string | null;
  /** Of a command whose defaults are others. */
  readonly defaults?: Partial<AgentSettings>;
}

export interface Configured {
  readonly settings: AgentSettings;
  /** Where each value comes from: "--bind", "SORTITION_BIND", "agent.yaml, line 3"; missing: it is the default. */
  readonly origins: ReadonlyMap<AgentKey, string>;
  /** What somebody should be told. */
  readonly warnings: readonly string[];
}

/** Ways to say the same. */
const EITHER: readonly (readonly AgentKey[])[] = [
  ["key", "keyFile", "insecure"],
  ["lease", "leaseFile"],
  ["httpToken", "httpTokenFile"],
];

export function configure(sources: Sources): Configured {
  const { settings, said } = readSources(sources);
  checkLeases(settings, said);
  return {
    settings,
    origins: new Map([...said].map(([key, { origin }]) => [key, origin])),
    warnings: [...misspelt(sources.env), ...checkAgent(settings)],
  };
}

/** Each setting by itself; `configure` also checks whether they go together. */
export function readSources({ flags, env, file, defaults = {} }: Sources): {
  readonly settings: AgentSettings;
  readonly said: ReadonlyMap<AgentKey, Said>;
} {
  const path = file ?? (env[CONFIG_VARIABLE]?.trim() || null);
  const said = merged([fromFlags(flags), fromEnvironment(env), path === null ? new Map() : readConfigFile(path)]);
  const given = Object.fromEntries([...said].map(([key, { value }]) => [key, value]));
  const all: Given<typeof AGENT> = { ...defaults, ...given };
  const { name = hostName(), ...settings } = readAll(AGENT, all, (setting, value, key) => {
    const read = setting.read(value);
    if (read === undefined) throw wrong(setting, value, placeOf(key, said));
    return read;
  });
  return { settings: { ...settings, name }, said };
}

/** The first that says a thing is heard. */
function merged(sources: readonly ReadonlyMap<AgentKey, Said>[]): Map<AgentKey, Said> {
  const all = new Map<AgentKey, Said>();
  for (const source of sources) {
    const settled = EITHER.filter((either) => either.some((key) => all.has(key))).flat();
    for (const [key, said] of source) if (!all.has(key) && !settled.includes(key)) all.set(key, said);
  }
  return all;
}

function fromFlags(flags: Sources["flags"]): ReadonlyMap<AgentKey, Said> {
  const said = new Map<AgentKey, Said>();
  for (const key of AGENT_KEYS) {
    const given = flags[key];
    if (given === undefined) continue;
    const value = typeof given === "string" ? typed(key, given) : given;
    said.set(key, { value, origin: memberFlag(key)! });
    if (key === "lease") refusePassword(String(value));
  }
  return said;
}

function fromEnvironment(env: Environment): ReadonlyMap<AgentKey, Said> {
  const said = new Map<AgentKey, Said>();
  for (const key of AGENT_KEYS) {
    const origin = variableOf(key);
    const text = env[origin] ?? "";
    if (text.trim() !== "") said.set(key, { value: typed(key, text), origin });
  }
  return said;
}

/** The text of a flag or a variable; a list is taken apart here, so that an error can say which item is wrong. */
function typed(key: AgentKey, text: string): string | readonly string[] {
  return agentSetting(key).item === undefined ? text.trim() : itemsIn(text);
}

const PREFIX = "SORTITION_";
/** What `sortition run` tells its command, which may be a member of another group. */
const OF_RUN = ["TERM", "TOKEN", "OFFICE", "SEAT", "FENCE", "RUN"];

/** Others use variables of such names too (Kubernetes does for its services), so that one that nobody knows is no error. */
function misspelt(env: Environment): string[] {
  const known = [CONFIG_VARIABLE, ...AGENT_KEYS.map(variableOf)].map((name) => name.slice(PREFIX.length));
  return Object.keys(env).flatMap((name) => {
    const word = name.slice(PREFIX.length);
    if (!name.startsWith(PREFIX) || [...known, ...OF_RUN].includes(word)) return [];
    const meant = didYouMean(word, known).replace(/"(.*)"/, `${PREFIX}$1`);
    return meant === "" ? [] : [`the variable ${name} is none of ours${meant}`];
  });
}

/** Where somebody has to look: a flag and a variable are names of their own, a line of a file is not. */
function placeOf(key: AgentKey, said: ReadonlyMap<AgentKey, Said>): string {
  const { origin = "default" } = said.get(key) ?? {};
  return origin.startsWith("--") || origin.startsWith(PREFIX) ? origin : `${origin}: ${key}`;
}

function checkLeases(
  { lease, leaseFile, preemptible, migrate }: AgentSettings,
  said: ReadonlyMap<AgentKey, Said>,
): void {
  if (lease !== undefined || leaseFile !== undefined) return;
  const keys: readonly AgentKey[] = [
    "leaseTtl",
    ...(preemptible ? ["preemptible" as const] : []),
    ...(migrate ? [] : ["migrate" as const]),
  ];
  const stray = keys.find((key) => said.has(key));
  if (stray !== undefined) {
    throw new InputError(
      (field) => `${placeOf(stray, said)} is for leases: give ${field("lease")} too, or leave it out`,
    );
  }
}

function wrong(setting: Setting & MemberDetails, value: unknown, place: string): InputError {
  const { item, kind, given, near } = wrongValueIn(setting, value);
  const which = item === null ? "" : `, number ${item + 1} of them,`;
  // YAML takes 7 for a number, although it may be a name.
  const advice =
    typeof given === "number" && kind.read(String(given)) !== undefined ? ", a number: write it in quotes" : "";
  return new InputError(
    `${place}${which} must be ${kind.wanted}: it is ${shownValue(given, setting.secret)}${advice}${near}`,
  );
}
