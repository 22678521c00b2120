/** How the demo speaks: chapters with a number, sentences, and facts with a name. */

import type { Io } from "../../io.ts";
import { wrap } from "../../text/table.ts";
import { painter, print, terminalWidth } from "../../text/terminal.ts";

export interface DemoTeller {
  chapter(title: string): void;
  say(sentence: string): void;
  /** `name`: of at most ten letters. */
  fact(name: string, words: string): void;
  /** What is going on, on the last line of a terminal until something else is said; nothing where there is none. */
  waiting(words: string): void;
}

const INDENT = "   ";
const NAME = 11;
/** Some terminals do not say how wide they are. */
const NARROWEST = 40;

export function createTeller(io: Io): DemoTeller {
  const paint = painter(io.stdout);
  const { isTTY } = io.stdout;
  let number = 0;
  const clear = () => {
    if (isTTY) io.stdout.write("\r\x1b[2K");
  };
  const lines = (first: string, name: string, words: string) => {
    clear();
    const width = Math.max(NARROWEST, terminalWidth(io) ?? Number.POSITIVE_INFINITY);
    const [head, ...rest] = wrap(words, width - name.length);
    print(io, [`${first}${head}`, ...rest.map((line) => `${" ".repeat(name.length)}${line}`)].join("\n"));
  };
  return {
    chapter(title) {
      clear();
      print(io, `\n${paint("bold", `${++number}  ${title}`)}`);
    },
    say: (sentence) => lines(INDENT, INDENT, sentence),
    fact(name, words) {
      const padded = name.padEnd(NAME);
      lines(`${INDENT}${paint("dim", padded)}`, `${INDENT}${padded}`, words);
    },
    waiting(words) {
      clear();
      if (isTTY) io.stdout.write(`${INDENT}${paint("dim", `${words} ...`)}`);
    },
  };
}

/** Milliseconds for people. */
export const took = (ms: number): string =>
  ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(ms < 9950 ? 2 : 1).replace(/\.?0+$/, "")} s`;
