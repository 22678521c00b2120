/**
 * The keys of a group. The first one seals, all of them open, so that a key can be replaced while the group runs: add the
 * new key at the end everywhere, then move it to the front everywhere, then remove the old one everywhere.
 */
import { createHash, createSecretKey, hkdfSync, type KeyObject } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { InputError } from "../../errors.ts";
import { realWorld } from "../real-world.ts";
import type { World } from "../world.ts";

export const KEY_BYTES = 32;
const KEY_ID_BYTES = 4;
const PRINT_BYTES = 16;

/** One key of a group. */
export interface Key {
  /** What a datagram names its key by: derived from the key, of no use to find it. */
  readonly id: number;
  readonly secret: KeyObject;
  /** Tells keys apart inside this process; derived from the key, too long to be the same for two. */
  readonly print: string;
}

/** The keys of a group: the first one seals, all of them open. */
export interface Keyring {
  readonly sealing: Key;
  readonly opening: ReadonlyMap<number, Key>;
}

export function keyOf(secret: Uint8Array): Key {
  const derived = (what: string, bytes: number) => Buffer.from(hkdfSync("sha256", secret, "", what, bytes));
  return {
    id: derived("sortition key id", KEY_ID_BYTES).readUInt32BE(),
    secret: createSecretKey(secret),
    print: derived("sortition key print", PRINT_BYTES).toString("latin1"),
  };
}

export function keyringOf(secrets: readonly Uint8Array[]): Keyring {
  const keys = secrets.map(keyOf);
  return { sealing: keys[0], opening: new Map(keys.map((key) => [key.id, key])) };
}

/** As ids are shown everywhere: eight hexadecimal digits. */
export const keyIdText = (id: number): string => id.toString(16).padStart(8, "0");

/** Ids of all keys of a ring, the one that seals first. */
export const idsOf = ({ sealing, opening }: Keyring): readonly number[] => [
  sealing.id,
  ...[...opening.keys()].filter((id) => id !== sealing.id),
];

/** What `--insecure` runs with: known to everybody, so that the same code runs with and without a key file. */
export const insecureKeyring = (): Keyring =>
  keyringOf([createHash("sha256").update("sortition: a key that everybody knows").digest()]);

/** A new random key as text, for a key file. */
export const newKeyText = ({ bytes }: Pick<World, "bytes"> = realWorld): string =>
  bytes(KEY_BYTES).toString("base64url");

/** A key a line, in base64url as `sortition keygen` writes it; empty lines and lines that begin with # are ignored. */
export function parseKeyring(text: string, file: string): Keyring {
  const secrets = text.split("\n").flatMap((line, index) => {
    const key = line.trim();
    if (key === "" || key.startsWith("#")) return [];
    const secret = Buffer.from(key, "base64url");
    if (secret.length === KEY_BYTES && /^[\w-]+$/.test(key)) return [secret];
    throw new InputError(`${file}, line ${index + 1} is not a key: make one with "sortition keygen"`);
  });
  if (secrets.length === 0)
    throw new InputError(`${file} holds no key: make one with "sortition keygen --out ${file}"`);
  return keyringOf(secrets);
}

/** Reads a key file, as `sortition keygen` writes it. */
export const loadKeyring = (file: string): Keyring => parseKeyring(readKeyFile(file), file);

/** The text of a key file, which nobody but its owner may read. */
export const readKeyFile = (file: string): string =>
  readSecret(file, "key file", `make one with "sortition keygen --out ${file}"`);

/**
 * Whether nobody but its owner may read a file; or it is root's, and a group may only read it: that is how secrets get into
 * containers (Kubernetes with `fsGroup`) and units of systemd (credentials). PostgreSQL draws the line there too.
 */
export const isPrivate = ({ mode, uid }: { readonly mode: number; readonly uid: number }): boolean =>
  (mode & 0o077) === 0 || (uid === 0 && (mode & 0o037) === 0);

/** The text of a file that nobody but its owner may read; `advice` is for where it is not there. */
export function readSecret(file: string, what: string, advice: string): string {
  try {
    if (!isPrivate(statSync(file))) {
      throw new InputError(`${file} can be read by others than its owner: chmod 600 ${file}`);
    }
    return readFileSync(file, "utf8");
  } catch (error) {
    if (error instanceof InputError) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") throw new InputError(`there is no ${what} ${file}: ${advice}`);
    throw new InputError(`cannot read the ${what} ${file}: ${message}`);
  }
}

// A key file as text with lines: keys are added, moved and removed, and everything else stays as somebody wrote it.

/** A key and the comments directly above it, which go where it goes. Those above the first key are the file's. */
interface Block {
  readonly id: number;
  readonly lines: readonly string[];
}

export interface KeyFileText {
  /** Before the first key. */
  readonly head: readonly string[];
  readonly blocks: readonly Block[];
  /** After the last one. */
  readonly tail: readonly string[];
}

const isComment = (line: string): boolean => line.trim().startsWith("#");
const isKey = (line: string): boolean => line.trim() !== "" && !isComment(line);
const idIn = (line: string): number => keyOf(Buffer.from(line.trim(), "base64url")).id;

/** `file` is what errors call it. Throws where a line is no key. */
export function readKeyText(text: string, file: string): KeyFileText {
  parseKeyring(text, file);
  const lines = text.split("\n").map((line) => line.replace(/\r$/, ""));
  if (lines.at(-1) === "") lines.pop();
  const first = lines.findIndex(isKey);
  const head = lines.slice(0, first);
  const blocks: Block[] = [];
  let above: string[] = [];
  for (const line of lines.slice(first)) {
    above.push(line);
    if (!isKey(line)) continue;
    blocks.push({ id: idIn(line), lines: above });
    above = [];
  }
  return { head, blocks, tail: above };
}

export const writeKeyText = ({ head, blocks, tail }: KeyFileText): string =>
  [...head, ...blocks.flatMap(({ lines }) => lines), ...tail].map((line) => `${line}\n`).join("");

/** Ids of its keys, each once, the one that seals first. */
export const idsIn = ({ blocks }: KeyFileText): readonly number[] => [...new Set(blocks.map(({ id }) => id))];

/** At the end: it opens, and does not seal. */
export function withKey(file: KeyFileText, key: string): KeyFileText {
  return { ...file, blocks: [...file.blocks, { id: idIn(key), lines: [...file.tail, key] }], tail: [] };
}

/** First: it seals. */
export function withFirst(file: KeyFileText, id: number): KeyFileText {
  const mine = file.blocks.filter((block) => block.id === id);
  return { ...file, blocks: [...mine, ...file.blocks.filter((block) => block.id !== id)] };
}

export const withoutKey = (file: KeyFileText, id: number): KeyFileText => ({
  ...file,
  blocks: file.blocks.filter((block) => block.id !== id),
});

/** The one key whose id begins like that. */
export function idLike(file: KeyFileText, given: string, name: string): number {
  const ids = idsIn(file);
  const start = given.trim().toLowerCase();
  const found = /^[0-9a-f]{1,8}$/.test(start) ? ids.filter((id) => keyIdText(id).startsWith(start)) : [];
  if (found.length === 1) return found[0];
  const all = ids.map(keyIdText).join(", ");
  if (found.length > 1) {
    throw new InputError(`${given} begins more than one id in ${name}: write more of it; there are ${all}`);
  }
  throw new InputError(`${name} has no key ${given}: there are ${all}`);
}
