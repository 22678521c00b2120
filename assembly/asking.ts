/**
 * A process asks distinct others: Floyd's algorithm with the draws of src/random/subsets.ts, and marks on those that are asked. Draw, reject, mark and count
 * are one pass without a branch that hangs on a draw, so that memory is read ahead. src/kernels/asking lays out the memory.
 *
 * Near marks are two words for each 32 processes: marks, and those of the own sample. Far marks are the first of these alone, where both would not stay in a
 * cache; the own sample is then a hash table.
 */
import { words } from "./threefry";

const OUT = 16384;
/** Blocks of four words that are drawn at once. */
const MOST_BLOCKS: u32 = 256;

let read: u32 = 0;

/** The place in the node's stream after the last that was asked. */
export function placeAfter(): u32 {
  return read;
}

/** As many blocks as so many draws take at least, and a multiple of 8. */
function blocksFor(draws: u32): u32 {
  return min(MOST_BLOCKS, ((draws >> 2) + 8) & ~7);
}

/** What a draw up to j is masked with. */
function maskOf(j: u32): u32 {
  return <u32>0xffffffff >> clz(j);
}

/**
 * Asks k of the processes whose ports are 0 .. urn-1, and writes whom. Port p leads p+1 places further on, as in topology/complete.ts. `bits`: 1 << 32 for the
 * own sample, and 1 where those that are asked are marked too. Says how many had no mark.
 */
export function askNear(node: u32, place: u32, n: u32, urn: u32, k: u32, list: usize, marks: usize, bits: u64): u32 {
  const step = node + 1;
  const rest = n - step;
  let found: u32 = 0;
  let j = urn - k;
  if (j === 0) {
    // The only one of its urn: no draw.
    const to = rest === 0 ? 0 : step;
    found += markNear(marks, to, bits);
    store<u32>(list, to);
    list += 4;
    j = 1;
  }
  read = place;
  while (j < urn) {
    const blocks = blocksFor(urn - j);
    words(node, read >> 2, true, blocks);
    const first: usize = OUT + ((read & 3) << 2);
    const end: usize = OUT + (blocks << 4);
    let next = first;
    while (j < urn && next < end) {
      const mask = maskOf(j);
      const stop = mask < urn ? mask + 1 : urn;
      for (; j < stop && next < end; next += 4) {
        const drawn = load<u32>(next) & mask;
        const isIn: u32 = drawn <= j ? 1 : 0;
        const to = select(select(drawn - rest, drawn + step, drawn >= rest), 0, isIn);
        const at = marks + ((to >> 5) << 3);
        const word = load<u64>(at);
        const seen = word >> (to & 31);
        store<u64>(at, word | ((bits & -(<u64>isIn)) << (to & 31)));
        store<u32>(list, to);
        found += ~(<u32>seen) & isIn;
        if (<u32>(seen >> 32) & isIn) {
          const last = j >= rest ? j - rest : j + step;
          found += markNear(marks, last, bits);
          store<u32>(list, last);
        }
        list += isIn << 2;
        j += isIn;
      }
    }
    read += <u32>(next - first) >> 2;
  }
  return found;
}

/** Marks one that is not in the own sample; 1 where it had no mark. */
function markNear(marks: usize, to: u32, bits: u64): u32 {
  const at = marks + ((to >> 5) << 3);
  const word = load<u64>(at);
  store<u64>(at, word | (bits << (to & 31)));
  return ~(<u32>(word >> (to & 31))) & 1;
}

/** Empties the own sample. */
export function forget(list: usize, k: u32, marks: usize): void {
  for (const end = list + (k << 2); list < end; list += 4) store<u32>(marks + ((load<u32>(list) >> 5) << 3), 0, 4);
}

/** Adds to the own sample, a table of numbers plus one in 2^(32-shift) slots; 1 where it is new. */
function isNew(table: usize, shift: u32, to: u32): u32 {
  const mask = (<u32>0xffffffff >> shift) << 2;
  // Fibonacci hashing: neighbours end up far apart.
  let slot = ((to * 0x9e3779b1) >> shift) << 2;
  for (;;) {
    const key = load<u32>(table + slot);
    if (key === to + 1) return 0;
    if (key === 0) break;
    slot = (slot + 4) & mask;
  }
  store<u32>(table + slot, to + 1);
  return 1;
}

function markFar(marks: usize, to: u32, bit: u32): u32 {
  const at = marks + ((to >> 5) << 2);
  const word = load<u32>(at);
  store<u32>(at, word | (bit << (to & 31)));
  return ~(word >> (to & 31)) & 1;
}

/** As `askNear`, with far marks and an empty table; `bit`: 1 where those that are asked are marked. */
export function askFar(
  node: u32,
  place: u32,
  n: u32,
  urn: u32,
  k: u32,
  list: usize,
  marks: usize,
  bit: u32,
  table: usize,
  shift: u32,
): u32 {
  const step = node + 1;
  const rest = n - step;
  let found: u32 = 0;
  let j = urn - k;
  if (j === 0) {
    const to = rest === 0 ? 0 : step;
    isNew(table, shift, to);
    found += markFar(marks, to, bit);
    store<u32>(list, to);
    list += 4;
    j = 1;
  }
  read = place;
  while (j < urn) {
    const blocks = blocksFor(urn - j);
    words(node, read >> 2, true, blocks);
    const first: usize = OUT + ((read & 3) << 2);
    const end: usize = OUT + (blocks << 4);
    let next = first;
    for (; j < urn && next < end; next += 4) {
      const drawn = load<u32>(next) & maskOf(j);
      if (drawn > j) continue;
      let to = select(drawn - rest, drawn + step, drawn >= rest);
      if (!isNew(table, shift, to)) {
        to = j >= rest ? j - rest : j + step;
        isNew(table, shift, to);
      }
      found += markFar(marks, to, bit);
      store<u32>(list, to);
      list += 4;
      j++;
    }
    read += <u32>(next - first) >> 2;
  }
  return found;
}

/** In the place of one that is asked: the request is lost. */
const NOBODY: u32 = 0xffffffff;

/** Marks those that are asked, and writes the ones that had no mark; how many. `width`: 3 for near marks, 2 for far ones. */
export function markFirst(list: usize, k: u32, marks: usize, width: u32, out: usize): u32 {
  const start = out;
  for (const end = list + (k << 2); list < end; list += 4) {
    const to = load<u32>(list);
    if (to === NOBODY) continue;
    const at = marks + ((to >> 5) << width);
    const word = load<u32>(at);
    store<u32>(at, word | (1 << (to & 31)));
    store<u32>(out, to);
    out += (~(word >> (to & 31)) & 1) << 2;
  }
  return <u32>(out - start) >> 2;
}

/** Takes the marks of those that are asked; how many had one. */
export function takeMarks(list: usize, k: u32, marks: usize, width: u32): u32 {
  let found: u32 = 0;
  for (const end = list + (k << 2); list < end; list += 4) {
    const to = load<u32>(list);
    if (to === NOBODY) continue;
    const at = marks + ((to >> 5) << width);
    const word = load<u32>(at);
    found += (word >> (to & 31)) & 1;
    store<u32>(at, word & ~(1 << (to & 31)));
  }
  return found;
}
