/** How the demo speaks: chapters with a number, sentences, and facts with a name. */
import { painter, print } from "../terminal.ts";

export interface Teller {
  chapter(title: string): void;
  say(sentence: string): void;
  /** `name`: of at most ten letters; empty where the line goes on with the one before. */
  fact(name: string, words: string): void;
}

const INDENT = "   ";
const NAME = 11;

export function createTeller(): Teller {
  const paint = painter(process.stdout);
  let number = 0;
  return {
    chapter: (title) => print(`\n${paint("bold", `${++number}  ${title}`)}`),
    say: (sentence) => print(`${INDENT}${sentence}`),
    fact: (name, words) => print(`${INDENT}${paint("dim", name.padEnd(NAME))}${words}`),
  };
}

/** Milliseconds for people. */
export const took = (ms: number): string =>
  ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(ms < 9950 ? 2 : 1).replace(/\.?0+$/, "")} s`;
