/**
 * The agent's settings, from flags, the environment and a file. The first source that has a setting wins; a setting without one has its
 * default. Some settings exclude each other (`key`, `keyFile`, `insecure`): if a source has one of them, the later sources are not asked.
 */
import { readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, isAbsolute, join } from "node:path";
import { didYouMean, InputError } from "../../errors.ts";
import { type Given, readAll, type Setting } from "../../setting.ts";
import {
  AGENT,
  AGENT_KEYS,
  type AgentKey,
  agentSetting,
  type MemberDetails,
  meantBy,
  memberFlag,
  shownValue,
  variableOf,
} from "../../settings/member.ts";
import { itemsIn, wrongValueIn } from "../../values.ts";
import { hasPassword, leaseSettingIn, refusePassword } from "../engines/engine.ts";
import type { Environment } from "../join/options.ts";
import { isPrivate } from "../net/keyring.ts";
import { type AgentSettings, checkAgent, hostName } from "./settings.ts";

const CONFIG_VARIABLE = "SORTITION_CONFIG";

interface Sources {
  /** What the user has typed, by setting. */
  readonly flags: Readonly<Partial<Record<AgentKey, unknown>>>;
  readonly env: Environment;
  /** The name of the file. If it is null, SORTITION_CONFIG names the file; without that there is none. */
  readonly file: string | null;
  /** Defaults of this command that differ from the agent's. */
  readonly defaults?: Partial<AgentSettings>;
}

export interface Configured {
  readonly settings: AgentSettings;
  /** Where each value comes from: "--bind", "SORTITION_BIND", "agent.yaml, line 3"; missing: it is the default. */
  readonly origins: ReadonlyMap<AgentKey, string>;
  readonly warnings: readonly string[];
}

/** Settings that exclude each other. */
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

/** Reads each setting. Whether the settings fit together is checked in `configure`. */
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

/** The first source that has a setting wins. */
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

/** The text of a flag or a variable. A list is split here, so that an error can say which item is wrong. */
function typed(key: AgentKey, text: string): string | readonly string[] {
  return agentSetting(key).item === undefined ? text.trim() : itemsIn(text);
}

const PREFIX = "SORTITION_";
/** Variables that `sortition run` sets for its command, which may be a member of another group. */
const OF_RUN = ["TERM", "TOKEN", "OFFICE", "SEAT", "FENCE", "RUN"];

/** Warnings for unknown variables. Not errors: Kubernetes sets variables with our prefix if a service is called "sortition". */
function misspelt(env: Environment): string[] {
  const known = [CONFIG_VARIABLE, ...AGENT_KEYS.map(variableOf)].map((name) => name.slice(PREFIX.length));
  return Object.keys(env).flatMap((name) => {
    const word = name.slice(PREFIX.length);
    if (!name.startsWith(PREFIX) || [...known, ...OF_RUN].includes(word)) return [];
    const meant = didYouMean(word, known).replace(/"(.*)"/, `${PREFIX}$1`);
    return meant === "" ? [] : [`Sortition has no variable ${name}${meant}`];
  });
}

/** The source that an error names: the flag, the variable, or the line of the file and its setting. */
function placeOf(key: AgentKey, said: ReadonlyMap<AgentKey, Said>): string {
  const { origin = "default" } = said.get(key) ?? {};
  return origin.startsWith("--") || origin.startsWith(PREFIX) ? origin : `${origin}: ${key}`;
}

function checkLeases(settings: AgentSettings, said: ReadonlyMap<AgentKey, Said>): void {
  if (settings.lease !== undefined || settings.leaseFile !== undefined) return;
  const stray = leaseSettingIn(settings);
  if (stray !== null) {
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

// An agent's settings in a file, YAML or JSON: their values, and the lines that have them.

interface Said {
  readonly value: unknown;
  /** "--bind", "SORTITION_BIND", "agent.yaml, line 3". */
  readonly origin: string;
}

/** Loaded only if there is a file: most agents have none, and the parser is a fifth of the code that a start loads. */
const yaml = (): typeof import("yaml") => createRequire(import.meta.url)("yaml");

function readConfigFile(file: string): ReadonlyMap<AgentKey, Said> {
  const { isMap, isScalar, LineCounter, parseDocument } = yaml();
  const lines = new LineCounter();
  const text = textOf(file);
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const at = (offset: number) => `${file}, line ${lines.linePos(offset).line}`;
  const [fault] = [...document.errors, ...document.warnings];
  if (fault !== undefined) {
    throw new InputError(`${at(fault.pos[0])}: this is neither YAML nor JSON (${fault.message}): correct the file`);
  }
  const { contents } = document;
  if (contents === null) return new Map();
  if (!isMap(contents)) {
    throw new InputError(`${at(contents.range![0])}: settings are written as "name: value", a line each`);
  }
  const said = new Map<AgentKey, Said>();
  for (const { key, value } of contents.items) {
    const offset = (isScalar(key) && key.range?.[0]) || contents.range![0];
    const name = isScalar(key) ? String(key.value) : String(key);
    const origin = at(offset);
    const known = knownKey(name, origin);
    const given = plainOf(value, document, `${origin}: ${name}`);
    // A name without a value sets nothing.
    if (given !== null) said.set(known, { value: valueIn(known, given, dirname(file)), origin });
  }
  checkSecrets(file, [...said.keys()], said.get("lease")?.value);
  return said;
}

/** The value without its aliases. Aliases can form a cycle, or expand a few lines beyond all memory: the parser counts them. */
function plainOf(value: unknown, document: unknown, where: string): unknown {
  try {
    const plain = (value as { toJS?(of: unknown): unknown } | null)?.toJS?.(document) ?? null;
    JSON.stringify(plain);
    return plain;
  } catch {
    throw new InputError(`${where} has too many aliases, or some that lead in circles: write it without them`);
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const why = code === "ENOENT" ? `there is no file ${file}` : `${file} cannot be read (${message})`;
    throw new InputError((field) => `${field("config")}: ${why}: give the name of a YAML or JSON file`);
  }
}

function knownKey(name: string, origin: string): AgentKey {
  if ((AGENT_KEYS as readonly string[]).includes(name)) return name as AgentKey;
  const other = meantBy(name) ?? name.replace(/[-_](\w)/g, (_, letter: string) => letter.toUpperCase());
  const meant = didYouMean(other, AGENT_KEYS) || `: there are ${AGENT_KEYS.join(", ")}`;
  throw new InputError(`${origin}: there is no setting "${name}"${meant}`);
}

/** Lists can be written as one text. A relative file name is relative to the folder of the configuration file. */
function valueIn(key: AgentKey, given: unknown, folder: string): unknown {
  const { item, pathAfter } = agentSetting(key);
  if (typeof given !== "string") return given;
  if (item !== undefined) return itemsIn(given);
  const isPath = pathAfter !== undefined && given.toLowerCase().startsWith(pathAfter) && given !== pathAfter;
  return isPath ? `${pathAfter}${from(folder, given.slice(pathAfter.length))}` : given;
}

const from = (folder: string, file: string): string =>
  isAbsolute(file) || file.startsWith("//") ? file : join(folder, file);

/** Refuses a file that holds a key, a token or a password and that other users can read. */
function checkSecrets(file: string, keys: readonly AgentKey[], lease: unknown): void {
  const secret = keys.find((key) => agentSetting(key).secret && (key !== "lease" || hasPassword(String(lease))));
  if (secret === undefined || isPrivate(statSync(file))) return;
  throw new InputError(
    `${file} holds a secret ("${secret}") and can be read by others than its owner: chmod 600 ${file}`,
  );
}
