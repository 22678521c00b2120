/**
 * Many blocks of Threefry at once: by WebAssembly where there is any (assembly/threefry.ts, 3.4 times as fast), and otherwise by
 * threefry.ts, with the same words. The answer is overwritten by the next call, so a caller reads it at once.
 */
import { assembled } from "./assembly.ts";
import { threefry } from "./threefry.ts";

/** At most this many blocks at a time, and always a multiple of 8. */
export const MOST_BLOCKS = 1024;
export const LEAST_BLOCKS = 8;

/** A key: seed, low and high word, trial and domain. */
export type StreamKey = readonly [number, number, number, number];

/** Blocks by their counters, of which the first two words are used. */
interface Bulk {
  /** For `wordsOfEach`: by block, the two words of its counter. */
  readonly lows: Int32Array;
  readonly highs: Int32Array;
  /** Four words of each block that was asked for, or places of coins. */
  readonly out: Uint32Array;
  /** Blocks whose counters follow each other, in the low word or in the high one. */
  words(key: StreamKey, low: number, high: number, alongHigh: boolean, count: number): void;
  wordsOfEach(key: StreamKey, count: number): void;
  /**
   * Two coins in each of `count` blocks whose counters follow each other in the low word; the places of those below a limit, given by its upper 27
   * bits and its lower 26, go to `out`. Says how many these are.
   */
  coins(key: StreamKey, low: number, high: number, count: number, limitHigh: number, limitLow: number): number;
}

/** Where there is no WebAssembly. */
export function plainBulk(): Bulk {
  const lows = new Int32Array(MOST_BLOCKS);
  const highs = new Int32Array(MOST_BLOCKS);
  const out = new Uint32Array(4 * MOST_BLOCKS);
  const block = new Uint32Array(4);
  return {
    lows,
    highs,
    out,

    words([k0, k1, k2, k3], low, high, alongHigh, count) {
      for (let i = 0; i < count; i++) {
        threefry(block, k0, k1, k2, k3, low + (alongHigh ? 0 : i), high + (alongHigh ? i : 0), 0, 0);
        out.set(block, 4 * i);
      }
    },

    wordsOfEach([k0, k1, k2, k3], count) {
      for (let i = 0; i < count; i++) {
        threefry(block, k0, k1, k2, k3, lows[i], highs[i], 0, 0);
        out.set(block, 4 * i);
      }
    },

    coins([k0, k1, k2, k3], low, high, count, limitHigh, limitLow) {
      let found = 0;
      const isBelow = (first: number, second: number) =>
        first >>> 5 < limitHigh || (first >>> 5 === limitHigh && second >>> 6 < limitLow);
      for (let i = 0; i < count; i++) {
        threefry(block, k0, k1, k2, k3, low + i, high, 0, 0);
        if (isBelow(block[0], block[1])) out[found++] = 2 * i;
        if (isBelow(block[2], block[3])) out[found++] = 2 * i + 1;
      }
      return found;
    },
  };
}

/** What assembly/threefry.ts exports. */
interface Draws {
  key(...key: StreamKey): void;
  words(low: number, high: number, alongHigh: boolean, count: number): void;
  wordsOfEach(count: number): void;
  coins(low: number, high: number, count: number, limitHigh: number, limitLow: number): number;
}

/** Throws where WebAssembly or its vectors are missing, or a page's policy forbids them. */
export function assembledBulk(): Bulk {
  const { memory, key: setKey, words, wordsOfEach, coins } = assembled<Draws>();
  let current: StreamKey | null = null;
  const use = (key: StreamKey) => {
    if (key !== current) setKey(...key);
    current = key;
  };
  return {
    // The places in memory are those of the source.
    lows: new Int32Array(memory.buffer, 4096, MOST_BLOCKS),
    highs: new Int32Array(memory.buffer, 8192, MOST_BLOCKS),
    out: new Uint32Array(memory.buffer, 16384, 4 * MOST_BLOCKS),

    words(key, low, high, alongHigh, count) {
      use(key);
      words(low, high, alongHigh, count);
    },

    wordsOfEach(key, count) {
      use(key);
      wordsOfEach(count);
    },

    coins(key, low, high, count, limitHigh, limitLow) {
      use(key);
      return coins(low, high, count, limitHigh, limitLow);
    },
  };
}

let made: Bulk | null = null;

/** The one of this thread, made when it is first asked for. */
export function bulk(): Bulk {
  made ??= best();
  return made;
}

function best(): Bulk {
  try {
    return assembledBulk();
  } catch {
    return plainBulk();
  }
}
