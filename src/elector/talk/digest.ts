/** Digests that are the same at every member: of names, and of what an election is about. */
import { threefry } from "../../random/threefry.ts";

const block = new Uint32Array(4);
const TWO_21 = 2 ** 21;

/** Two code units as one word; past the end of the text there are zeros, and its length is in the digest too. */
const pair = (text: string, i: number): number =>
  i >= text.length ? 0 : text.charCodeAt(i) + (i + 1 < text.length ? text.charCodeAt(i + 1) * 0x10000 : 0);

/** Of a text, as two words; four code units to a block of the cipher, chained. */
function words(text: string): readonly [number, number] {
  let a = text.length;
  let b = 0;
  for (let i = 0; i < text.length; i += 4) {
    threefry(block, a, b, pair(text, i), pair(text, i + 2), i, 0, 0, 0);
    a = block[0];
    b = block[1];
  }
  return [a, b];
}

/** A safe integer, from 53 bits: among a thousand names two are alike once in 10^10 groups. */
export function digestOf(text: string): number {
  const [a, b] = words(text);
  threefry(block, a, b, 0, 0, text.length, 1, 0, 0);
  return block[0] * TWO_21 + (block[1] >>> 11);
}

/** Plain data in one form, whatever the order of its fields. */
export function canonical(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${canonical(field)}`).join()}}`;
}
