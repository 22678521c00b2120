/**
 * Keys for guards: derived from the keys of a group, so that a resource can tell real fences from others without being able to speak
 * as a member. A process with a guard key can also make fences: give it to resources, not to the public.
 */
import { createSecretKey, hkdfSync, type KeyObject } from "node:crypto";
import { InputError } from "../../errors.ts";
import { KEY_BYTES, type Keyring, parseKeyring, readKeyFile } from "../net/keyring.ts";

/** What fences of one group are signed and verified with; like a keyring, so that keys can be replaced while all run. */
export interface GuardKeys {
  readonly group: string;
  /** Signs. */
  readonly sealing: KeyObject;
  /** Each of them verifies. */
  readonly opening: readonly KeyObject[];
}

const LABEL = "guard";

/** The keys of a group's guards, derived from those of the group. */
export function guardKeys({ sealing, opening }: Keyring, group: string): GuardKeys {
  if (!isName(group)) throw new InputError("a group has a name of 1 to 64 bytes");
  const derived = (secret: KeyObject) =>
    createSecretKey(Buffer.from(hkdfSync("sha256", secret, "", `sortition guards of ${group}`, KEY_BYTES)));
  return {
    group,
    sealing: derived(sealing.secret),
    opening: [...opening.values()].map(({ secret }) => derived(secret)),
  };
}

/** The text of a guard key file: for a resource that is no member. `sortition keygen --guard` writes it. */
export const guardKeyText = ({ group, opening }: GuardKeys): string =>
  opening.map((key) => `${joinParts([LABEL, writeName(group), key.export().toString("base64url")])}\n`).join("");

/**
 * A guard key file as text, or a key file of the group, whose guard keys are derived then. Keys of other groups' guards may stand
 * beside them. `source` is what errors call it.
 */
export function parseGuardKeys(text: string, group: string, source = "the text"): GuardKeys {
  const lines = text.split("\n").map((line) => line.trim());
  if (!lines.some((line) => line.startsWith(`${LABEL}~`))) return guardKeys(parseKeyring(text, source), group);
  const opening = lines.flatMap((line, index) => {
    if (line === "" || line.startsWith("#")) return [];
    const [label, name, key, ...more] = splitParts(line);
    const secret = Buffer.from(key ?? "", "base64url");
    const whose = readName(name ?? "");
    if (label !== LABEL || whose === null || secret.length !== KEY_BYTES || !/^[\w-]+$/.test(key) || more.length > 0) {
      throw new InputError(`${source}, line ${index + 1} is not a guard key: make one with "sortition keygen --guard"`);
    }
    return whose === group ? [createSecretKey(secret)] : [];
  });
  if (opening.length === 0)
    throw new InputError(
      `${source} holds no guard key of the group "${group}": make one with "sortition keygen --guard"`,
    );
  return { group, sealing: opening[0], opening };
}

/** Reads a guard key file, or a key file of the group. */
export const loadGuardKeys = (file: string, group: string): GuardKeys => parseGuardKeys(readKeyFile(file), group, file);

/**
 * Several names in one word that fits into headers, columns, environments and addresses without quoting: joined by "~", letters,
 * digits, "." and "-" as they are, every other byte of UTF-8 as "_" and two hexadecimal digits. One name has one form.
 */
const PLAIN = /[^A-Za-z0-9.-]/g;
const WORD = /^(?:[A-Za-z0-9.-]|_[0-9A-F]{2})+$/;
const LONGEST_BYTES = 160;

export const isName = (name: string): boolean => {
  const length = Buffer.byteLength(name);
  return length > 0 && length <= LONGEST_BYTES && Buffer.from(name).toString() === name;
};

export const joinParts = (parts: readonly string[]): string => parts.join("~");

export const splitParts = (text: string): string[] => text.split("~");

/** Takes what `isName` accepts. */
export const writeName = (name: string): string =>
  Buffer.from(name)
    .toString("latin1")
    .replace(PLAIN, (byte) => `_${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`);

/** Null where the word is not what `writeName` makes of any name. */
export function readName(word: string): string | null {
  if (!WORD.test(word)) return null;
  const bytes = word.replace(/_(..)/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  const name = Buffer.from(bytes, "latin1").toString();
  return isName(name) && writeName(name) === word ? name : null;
}
