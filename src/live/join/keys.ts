/** Which keys a member runs with: as text, in a file, or in the environment. */

import { variableOf } from "../../settings/member.ts";
import { readPlace } from "../net/address.ts";
import { insecureKeyring, type Keyring, loadKeyring, parseKeyring } from "../net/keyring.ts";
import { isLoopback } from "../net/udp.ts";
import { GroupError, groupError } from "./errors.ts";
import type { JoinSettings } from "./options.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

const KEY_VARIABLE = variableOf("key");
const KEY_FILE_VARIABLE = variableOf("keyFile");

export type KeyOptions = Pick<JoinSettings, "key" | "keyFile" | "insecure" | "bind" | "advertise">;

/** Reads them anew each time. */
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
