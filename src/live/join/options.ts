/** The options of `join`: the settings of members, and what only a program can give. */
import { runsInGroups } from "../../elector/election/children.ts";
import { readOffice } from "../../elector/params.ts";
import type { MemberEvent } from "../../events/events.ts";
import { findProtocol } from "../../protocols/registry.ts";
import { type Given, readAll, type Setting } from "../../setting.ts";
import {
  MEMBER,
  MEMBER_KEYS,
  type MemberDetails,
  type MemberKey,
  type MemberSettings,
  meantBy,
  shownValue,
  variableOf,
} from "../../settings/member.ts";
import { wrongValueIn } from "../../values.ts";
import { readPlace } from "../net/address.ts";
import { insecureKeyring, type Keyring, loadKeyring, parseKeyring } from "../net/keyring.ts";
import { isLoopback } from "../net/udp.ts";
import { GroupError, groupError, meant } from "./errors.ts";

/** The options of `join`. All but `name` and a key have defaults; docs/settings.md describes each. */
export interface JoinOptions extends Given<typeof MEMBER> {
  /** Unique in the group, and the same after a restart; up to 64 bytes. A second live process of that name is refused. */
  readonly name: string;
  /** Leaves the group when it fires (default never). */
  readonly signal?: AbortSignal;
  /** Called with every event, also with those before `join` has resolved (default: none; use `on`). */
  onEvent?(event: MemberEvent): void;
  /** Called with a line for each change of leaders and each trouble (default: writes to standard error); false: no lines. */
  readonly log?: false | ((line: string) => void);
}

type JoinSettings = MemberSettings & Pick<JoinOptions, "signal" | "onEvent" | "log">;

const OPTIONS: readonly string[] = [...MEMBER_KEYS, "signal", "onEvent", "log"];

const bad = (what: string, advice: string) => new GroupError("BAD_OPTION", what, advice);

/** Checks the options before anything is opened. */
export function readOptions(given: unknown): JoinSettings {
  if (typeof given !== "object" || given === null) {
    throw bad("join takes an object of options", 'give at least { name: "a", keyFile: "group.key" }');
  }
  for (const option of Object.keys(given)) {
    if (OPTIONS.includes(option)) continue;
    const advice = meant(meantBy(option) ?? option, OPTIONS, `there are ${OPTIONS.join(", ")}`);
    throw bad(`join has no option "${option}"`, advice);
  }
  const { signal, onEvent, log, ...options } = given as JoinOptions;
  const { name, ...settings } = readAll(MEMBER, options, readOption);
  if (name === undefined) throw bad('join needs the option "name"', "give it; docs/library.md says what it is");
  if (signal !== undefined && !(signal instanceof AbortSignal))
    throw wrong("signal", "an AbortSignal", shownValue(signal));
  if (onEvent !== undefined && typeof onEvent !== "function") throw wrong("onEvent", "a function", shownValue(onEvent));
  if (log !== undefined && log !== false && typeof log !== "function") {
    throw wrong("log", "a function, or false", shownValue(log));
  }
  const all = { ...settings, name };
  checkTogether(all);
  return { ...all, ...(signal && { signal }), ...(onEvent && { onEvent }), ...(log !== undefined && { log }) };
}

function readOption(setting: Setting & MemberDetails, value: unknown, option: MemberKey): unknown {
  const read = setting.read(value);
  if (read !== undefined) return read;
  const { item, kind, given, near } = wrongValueIn(setting, value);
  const which = item === null ? option : `${option}.${item}`;
  throw wrong(which, kind.wanted, `${shownValue(given, setting.secret)}${near}`);
}

const wrong = (option: string, wanted: string, is: string): GroupError =>
  bad(`the option "${option}" of join must be ${wanted}`, `it is ${is}`);

/** Checks the rules that need more than one option. */
export function checkTogether(settings: MemberSettings): void {
  const { offices, policy, expected, protocol, lease, leaseFile, key, keyFile, insecure } = settings;
  if (expected !== undefined && policy !== "majority") {
    throw bad('"expected" is for the policy "majority"', "give both, or neither");
  }
  if (lease !== undefined && leaseFile !== undefined) {
    throw bad('"lease" and "leaseFile" both say where leases are kept', "give one of them");
  }
  if (settings.recordMinutes !== undefined && settings.record === undefined) {
    throw bad('"recordMinutes" is for the flight record', 'give "record" too, or leave it out');
  }
  if ([key, keyFile, insecure || undefined].filter((each) => each !== undefined).length > 1) {
    throw bad('"key", "keyFile" and "insecure" all say which key is used', "give one of them");
  }
  try {
    const names = offices.map((office) => readOffice(office).name);
    const twice = names.find((name, i) => names.indexOf(name) !== i);
    if (twice !== undefined) throw bad(`the option "offices" names "${twice}" twice`, "name each office once");
    if (protocol !== "auto" && !runsInGroups(findProtocol(protocol).protocol)) {
      throw bad(`"${protocol}" does not elect a leader in a group`, "choose auto, or one for complete graphs");
    }
  } catch (error) {
    throw groupError("BAD_OPTION", error);
  }
}

// The keys of a member: as text, in a file, or in the environment.

export type Environment = Readonly<Record<string, string | undefined>>;

const KEY_VARIABLE = variableOf("key");
const KEY_FILE_VARIABLE = variableOf("keyFile");

type KeyOptions = Pick<JoinSettings, "key" | "keyFile" | "insecure" | "bind" | "advertise">;

/** Reads the keys, anew each time. */
export function keyringFrom(options: KeyOptions, env: Environment): Keyring {
  try {
    return read(options, env);
  } catch (error) {
    throw groupError("BAD_KEY", error);
  }
}

function read({ key, keyFile, insecure, bind, advertise }: KeyOptions, env: Environment): Keyring {
  if (insecure) {
    for (const address of [bind, advertise ?? bind]) checkLoopback(address);
    return insecureKeyring();
  }
  if (key !== undefined) return parseKeyring(key, 'the option "key"');
  if (keyFile !== undefined) return loadKeyring(keyFile);
  const text = env[KEY_VARIABLE]?.trim() ?? "";
  if (text !== "") return parseKeyring(text, KEY_VARIABLE);
  const file = env[KEY_FILE_VARIABLE]?.trim() ?? "";
  if (file !== "") return loadKeyring(file);
  throw new GroupError(
    "BAD_KEY",
    "join needs the group's key",
    `give keyFile, key, ${KEY_FILE_VARIABLE} or ${KEY_VARIABLE}; "sortition keygen --out group.key" makes one`,
  );
}

function checkLoopback(address: string): void {
  const place = readPlace(address);
  if (place !== null && (isLoopback(place) || place.host === "localhost")) return;
  throw new GroupError(
    "BAD_KEY",
    `"insecure" is a key that everybody knows, and ${address} can be reached by others`,
    "give a key, or an address of this machine alone such as 127.0.0.1:7001",
  );
}
