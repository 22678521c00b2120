/** Changes of one input into another: what a fuzzer draws. */
import type { HostStream } from "../../src/random/streams.ts";

/** What mutations are made of. */
export interface Material {
  readonly draws: HostStream;
  /** Inputs that have reached something. */
  readonly corpus: readonly Uint8Array[];
  readonly words: readonly Uint8Array[];
  /** Bytes. */
  readonly longest: number;
}

const MOST_CHANGES = 6;
const LONGEST_PIECE = 32;
const EDGES = [0, 1, 23, 24, 25, 26, 27, 31, 32, 0x7f, 0x80, 0xff];
/** Numbers in texts, and what JSON and YAML take for something else. */
const PLAIN_WORDS = [
  "0",
  "-1",
  "1e999",
  "9007199254740993",
  "null",
  "true",
  "[]",
  "{}",
  '""',
  "NaN",
  "\u0000",
  "__proto__",
];

/** Words of sources, and those that every source has to expect. */
export const wordsOf = (words: Iterable<string>): Uint8Array[] =>
  [...words, ...PLAIN_WORDS].map((word) => new TextEncoder().encode(word));

/** An input that is drawn from the corpus and changed in some places. */
export function mutated({ draws, corpus, words, longest }: Material): Uint8Array {
  // The later ones have come further.
  const which = Math.max(draws.choose(corpus.length), draws.choose(corpus.length));
  let bytes: Uint8Array = corpus[which].slice();
  for (let changes = 1 + draws.choose(MOST_CHANGES); changes > 0; changes--) {
    const at = draws.choose(bytes.length + 1);
    const to = Math.min(bytes.length, at + 1 + draws.choose(LONGEST_PIECE));
    const other = () => piece(corpus[draws.choose(corpus.length)], draws);
    const word = () => words[draws.choose(words.length)];
    switch (draws.choose(9)) {
      case 0:
        if (at < bytes.length) bytes[at] ^= 1 << draws.choose(8);
        break;
      case 1:
        if (at < bytes.length) bytes[at] = draws.choose(256);
        break;
      case 2:
        if (at < bytes.length) bytes[at] = EDGES[draws.choose(EDGES.length)];
        break;
      case 3:
        bytes = spliced(bytes, at, to, new Uint8Array(0));
        break;
      case 4:
        bytes = spliced(bytes, at, at, bytes.slice(at, to));
        break;
      case 5:
        bytes = spliced(bytes, at, at, other());
        break;
      case 6:
        bytes = spliced(bytes, at, to, other());
        break;
      case 7:
        bytes = spliced(bytes, at, at, word());
        break;
      default: {
        const over = word();
        bytes = spliced(bytes, at, at + over.length, over);
      }
    }
  }
  return bytes.slice(0, longest);
}

function piece(bytes: Uint8Array, draws: HostStream): Uint8Array {
  const from = draws.choose(bytes.length + 1);
  return bytes.slice(from, from + 1 + draws.choose(4 * LONGEST_PIECE));
}

function spliced(bytes: Uint8Array, from: number, to: number, middle: Uint8Array): Uint8Array {
  const after = bytes.subarray(Math.min(to, bytes.length));
  const result = new Uint8Array(from + middle.length + after.length);
  result.set(bytes.subarray(0, from));
  result.set(middle, from);
  result.set(after, from + middle.length);
  return result;
}
