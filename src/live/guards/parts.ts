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
