/** Which processes a sentence names: pictures ring and label them. */
import type { Facts } from "../run/types.ts";

export interface Named {
  readonly node: number;
  /** As the sentence calls it. */
  readonly label: string;
}

/** More would mark everything, and so nothing. */
const MOST = 12;

export function namedIn(text: string, { network, size, names }: Pick<Facts, "network" | "size" | "names">): Named[] {
  const found = new Map<number, string>();
  const add = (node: number, label: string) => {
    if (node < size && !found.has(node)) found.set(node, label);
  };
  if (network === "star" && /\bthe centre\b/i.test(text)) add(0, "centre");
  for (const [node, name] of names.entries()) if (hasWord(text, name)) add(node, name);
  for (const match of text.matchAll(/\b(?:(node|referee|relay|host) (\d+)|([CM])(\d+))\b/gi)) {
    const [, word, number, letter, lettered] = match;
    if (letter !== undefined) add(Number(lettered), `${letter}${lettered}`);
    else add(Number(number), word.toLowerCase() === "node" ? number : `${word.toLowerCase()} ${number}`);
  }
  for (const [, list] of text.matchAll(/\bnodes ((?:\d+, )*\d+ and \d+)/g)) {
    for (const number of list.split(/, | and /)) add(Number(number), number);
  }
  return [...found].slice(0, MOST).map(([node, label]) => ({ node, label }));
}

/** Whether a text has a name, of any letters, as a word of its own. */
function hasWord(text: string, name: string): boolean {
  const [all, wanted] = [text.toLowerCase(), name.toLowerCase()];
  const isLetter = (sign: string | undefined) => sign !== undefined && /[\p{L}\p{N}_-]/u.test(sign);
  for (let at = all.indexOf(wanted); at >= 0 && wanted !== ""; at = all.indexOf(wanted, at + 1)) {
    if (!isLetter(all[at - 1]) && !isLetter(all[at + wanted.length])) return true;
  }
  return false;
}
