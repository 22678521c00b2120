/** A key file as text with lines: keys are added, moved and removed, and everything else stays as somebody wrote it. */
import { InputError } from "../../errors.ts";
import { keyIdText, keyOf, parseKeyring } from "./keyring.ts";

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
