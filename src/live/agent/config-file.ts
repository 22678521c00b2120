/** An agent's settings in a file, YAML or JSON: what it says, and in which line. */
import { readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, isAbsolute, join } from "node:path";
import { didYouMean, InputError } from "../../errors.ts";
import { AGENT_KEYS, type AgentKey, agentSetting, meantBy } from "../../settings/member.ts";
import { itemsIn } from "../../values.ts";
import { hasPassword } from "../engines/address.ts";
import { isPrivate } from "../net/keyring.ts";

export interface Said {
  readonly value: unknown;
  /** Where it is said: "--bind", "SORTITION_BIND", "agent.yaml, line 3". */
  readonly origin: string;
}

/** Loaded with the first file that is read: most agents have none, and it is a fifth of what a start loads. */
const yaml = (): typeof import("yaml") => createRequire(import.meta.url)("yaml");

export function readConfigFile(file: string): ReadonlyMap<AgentKey, Said> {
  const { isMap, isScalar, LineCounter, parseDocument } = yaml();
  const lines = new LineCounter();
  const text = textOf(file);
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const at = (offset: number) => `${file}, line ${lines.linePos(offset).line}`;
  const [fault] = [...document.errors, ...document.warnings];
  if (fault !== undefined) {
    throw new InputError(`${at(fault.pos[0])}: this is neither YAML nor JSON (${fault.message}): see to it`);
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
    // A name with nothing behind it says nothing.
    if (given !== null) said.set(known, { value: valueIn(known, given, dirname(file)), origin });
  }
  checkSecrets(file, [...said.keys()], said.get("lease")?.value);
  return said;
}

/** Aliases can lead in circles, or make more of a few lines than there is memory for: the parser counts them. */
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

/** Lists can be written as one text; names of files count from the folder of the file that names them. */
function valueIn(key: AgentKey, given: unknown, folder: string): unknown {
  const { item, pathAfter } = agentSetting(key);
  if (typeof given !== "string") return given;
  if (item !== undefined) return itemsIn(given);
  const isPath = pathAfter !== undefined && given.toLowerCase().startsWith(pathAfter) && given !== pathAfter;
  return isPath ? `${pathAfter}${from(folder, given.slice(pathAfter.length))}` : given;
}

const from = (folder: string, file: string): string =>
  isAbsolute(file) || file.startsWith("//") ? file : join(folder, file);

/** A file that holds a key, a token or a password is one that others must not read. */
function checkSecrets(file: string, keys: readonly AgentKey[], lease: unknown): void {
  const secret = keys.find((key) => agentSetting(key).secret && (key !== "lease" || hasPassword(String(lease))));
  if (secret === undefined || isPrivate(statSync(file))) return;
  throw new InputError(
    `${file} holds a secret ("${secret}") and can be read by others than its owner: chmod 600 ${file}`,
  );
}
