/** A permutation that is never made: the draws of `permutation` in src/random/subsets.ts, and a search among them for where a few places lead to. */
import { words } from "./threefry";

const OUT = 16384;
const MOST_BLOCKS: u32 = 1024;

/** For each i of 1 .. n-1, a number up to i, by the first words of a stream of the host. */
export function drawPlaces(n: u32, places: usize): void {
  let block: u32 = 0;
  for (let i: u32 = 1; i < n; ) {
    const blocks = min(MOST_BLOCKS, (((n - i) >> 2) + 8) & ~7);
    words(block, 0, false, blocks);
    block += blocks;
    const end: usize = OUT + (blocks << 4);
    for (let next: usize = OUT; i < n && next < end; ) {
      const mask = <u32>0xffffffff >> clz(i);
      const stop = mask < n ? mask + 1 : n;
      for (; i < stop && next < end; next += 4) {
        const drawn = load<u32>(next) & mask;
        store<u32>(places + (i << 2), drawn);
        i += drawn <= i ? 1 : 0;
      }
    }
  }
}

function has(bits: usize, number: u32): u32 {
  return (load<u32>(bits + ((number >> 5) << 2)) >> (number & 31)) & 1;
}

/** The highest place from i down that is in a set or leads there; 0 where none does. */
export function findPlace(places: usize, i: u32, bits: usize): u32 {
  while (i > 0 && (has(bits, i) | has(bits, load<u32>(places + (i << 2)))) === 0) i--;
  return i;
}
