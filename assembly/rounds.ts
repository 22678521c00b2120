/**
 * The passes of a round of the tournament over its requests (src/kernels/ramanathan): each says in JavaScript what it does here, and is what runs where
 * there is no WebAssembly. No branch hangs on a draw or on a mark, since neither can be guessed.
 *
 * A request is the node that is asked, with GONE where nobody answers; the last of each contender is stored as its complement.
 */
import { words, wordsOfEach } from "./threefry";

const COUNTERS = 4096;
const SECOND = COUNTERS + 4096;
const OUT = 16384;
const MOST_BLOCKS: u32 = 1024;
/** Blocks that a contender goes on with where those prepared were too few; they lie behind those. */
const MORE = 8;
const GONE: u32 = 1 << 30;

/** What comes of a request: src/kernels/ramanathan/answers.ts. */
const MISSING: u32 = 2;
const REFUSED: u32 = 4;
const YES: u32 = 8;

function behind(node: u32, port: u32, n: u32): u32 {
  const to = node + port + 1;
  return to < n ? to : to - n;
}

/** Of the words of a contender, those that are draws up to n-1, as bits from the first on. */
function usable(at: usize, blocks: u32, mask: u32, n: u32): u32 {
  const masks = i32x4.splat(mask);
  const limit = i32x4.splat(n);
  let bits: u32 = 0;
  for (let block: u32 = 0; block < blocks; block++) {
    const drawn = v128.and(v128.load(at + (block << 4)), masks);
    bits |= (<u32>i32x4.bitmask(i32x4.lt_u(drawn, limit))) << (block << 2);
  }
  return bits;
}

/** The words of contenders from a block of each on, as many of each. `contenders`: 0 where they are the numbers from 0 on. */
function prepare(contenders: usize, from: u32, count: u32, drawn: usize, blocks: u32): void {
  let at: usize = 0;
  for (let c = from; c < from + count; c++) {
    const node = contenders === 0 ? c : load<u32>(contenders + (c << 2));
    const first: u32 = load<u16>(drawn + (node << 1)) >> 2;
    for (let next: u32 = 0; next < blocks; next++, at += 4) {
      store<u32>(COUNTERS + at, node);
      store<u32>(SECOND + at, first + next);
    }
  }
  wordsOfEach((count * blocks + 7) & ~7);
}

/**
 * Contenders from a place on ask k of n processes each, k < n, with the next draws of their streams; `drawn` counts these by node. Returns how many have asked:
 * fewer than `count` where the counter of the next one might begin anew.
 */
export function askEvenly(
  contenders: usize,
  from: u32,
  count: u32,
  drawn: usize,
  k: u32,
  n: u32,
  blocks: u32,
  list: usize,
): u32 {
  const mask = <u32>0xffffffff >> clz(n - 1);
  const most = MOST_BLOCKS / blocks;
  for (let done: u32 = 0; done < count; ) {
    const group = min(most, count - done);
    prepare(contenders, from + done, group, drawn, blocks);
    for (let c: u32 = 0; c < group; c++) {
      const node = contenders === 0 ? from + done + c : load<u32>(contenders + ((from + done + c) << 2));
      const counter = drawn + (node << 1);
      const before: u32 = load<u16>(counter);
      const at = OUT + ((c * blocks) << 4);
      const offset = before & 3;
      let bits = usable(at, blocks, mask, n) & ((<u32>0xffffffff) << offset);
      let used: u32 = 0;
      for (let i: u32 = 0; i < k; ) {
        if (bits === 0) {
          used = askSlowly(node, before, k, n, list);
          break;
        }
        const place = ctz(bits);
        bits &= bits - 1;
        const draw = load<u32>(at + (place << 2)) & mask;
        if (draw > n - k + i) continue;
        used = place + 1 - offset;
        store<u32>(list + (i << 2), distinct(list, i, behind(node, draw, n), behind(node, n - k + i, n)));
        i++;
      }
      if (before + used > 0xffff) return done + c;
      store<u16>(counter, before + used);
      list += k << 2;
      store<u32>(list - 4, ~load<u32>(list - 4));
    }
    done += group;
  }
  return count;
}

/** The node that was drawn, or the last of the urn where one of these requests goes there already. */
function distinct(list: usize, count: u32, drawn: u32, last: u32): u32 {
  for (let i: u32 = 0; i < count; i++) if (load<u32>(list + (i << 2)) === drawn) return last;
  return drawn;
}

/** One contender asks, with draws of its own; how many words these take. What was prepared for others stays. */
function askSlowly(node: u32, before: u32, k: u32, n: u32, list: usize): u32 {
  const kept = OUT + (MOST_BLOCKS << 4);
  memory.copy(kept, OUT, MORE << 4);
  let place = before;
  let end: u32 = 0;
  for (let i: u32 = 0; i < k; ) {
    if (place >= end) {
      words(node, place >> 2, true, MORE);
      end = (place & ~3) + (MORE << 2);
    }
    const draw = load<u32>(OUT + ((place + (MORE << 2) - end) << 2)) & (<u32>0xffffffff >> clz(n - k + i));
    place++;
    if (draw > n - k + i) continue;
    store<u32>(list + (i << 2), distinct(list, i, behind(node, draw, n), behind(node, n - k + i, n)));
    i++;
  }
  memory.copy(OUT, kept, MORE << 4);
  return place - before;
}

/** A request without its complement. */
function plain(request: u32): u32 {
  return request ^ <u32>(<i32>request >> 31);
}

/** Marks whom requests reach, in words for 32 each: first those that were reached, then those that were reached again. */
export function reach(list: usize, size: u32, marks: usize): void {
  for (const end = list + (size << 2); list < end; list += 4) {
    const to = plain(load<u32>(list));
    const bit: u64 = (<u64>(((to >> 30) & 1) ^ 1)) << (to & 31);
    const at = marks + (((to & (GONE - 1)) >> 5) << 3);
    const word = load<u64>(at);
    store<u64>(at, word | bit | ((word & bit) << 32));
  }
}

/** Replaces requests by what comes of them. */
export function judge(list: usize, size: u32, marks: usize): void {
  for (const end = list + (size << 2); list < end; list += 4) {
    const request = load<u32>(list);
    const to = plain(request);
    const missing = (to >> 30) & 1;
    const crowded = load<u32>(marks + (((to & (GONE - 1)) >> 5) << 3), 4) >> (to & 31);
    const answered = select(REFUSED, YES, crowded & 1);
    store<u32>(list, (request >> 31) | select(MISSING, answered, missing));
  }
}

let left: u32 = 0;
let late: u32 = 0;
let refusedCount: u32 = 0;

/** Of the last `decide`: contenders that go on, those of them who have heard nothing, and contenders that were refused. */
export function goingOn(): u32 {
  return left;
}
export function unheard(): u32 {
  return late;
}
export function refusals(): u32 {
  return refusedCount;
}

/**
 * Contenders make up their minds after what came of their requests: those that go on move up in their list, and those of them who have heard nothing go to
 * the beginning of the requests' list.
 */
export function decide(list: usize, size: u32, contenders: usize, areAll: bool, ends: u32): void {
  const lates = list;
  let contender: u32 = 0;
  let kept: u32 = 0;
  let silent: u32 = 0;
  let lost: u32 = 0;
  let seen: u32 = 0;
  for (const end = list + (size << 2); list < end; list += 4) {
    seen |= load<u32>(list);
    if ((seen & 1) === 0) continue;
    const node = areAll ? contender : load<u32>(contenders + (contender << 2));
    contender++;
    const goesOn: u32 = (seen & ends) === 0 ? 1 : 0;
    if (goesOn & ~(seen >> 3)) {
      store<u32>(lates + (silent << 2), node);
      silent++;
    } else {
      store<u32>(contenders + (kept << 2), node);
      kept += goesOn;
    }
    lost += (seen >> 2) & 1;
    seen = 0;
  }
  left = kept;
  late = silent;
  refusedCount = lost;
}

/** Counts the requests of each mediator, in bytes; whether none has as many as `most`. */
export function count(list: usize, size: u32, counts: usize, most: u32): bool {
  for (const end = list + (size << 2); list < end; list += 4) {
    const to = plain(load<u32>(list));
    const arrives = ((to >> 30) & 1) ^ 1;
    const at = counts + (to & (GONE - 1));
    const counted = <u32>load<u8>(at) + arrives;
    store<u8>(at, counted);
    if (counted === most) return false;
  }
  return true;
}

const ANSWERED: u32 = 1 << 7;
const LOSING: u32 = 1 << 6;

let arrivedCount: u32 = 0;
let passed: u32 = 0;

/** Of the last `judgeUntil`: answers that have arrived, and coins that were flipped. */
export function arrivals(): u32 {
  return arrivedCount;
}
export function flipped(): u32 {
  return passed;
}

/**
 * As LossyMarks does it, from a request on, as long as answers flip no more than so many coins, none of which comes up, and their mediators have lost none:
 * says at which request it ends.
 */
export function judgeUntil(list: usize, from: u32, size: u32, counts: usize, coins: u32): u32 {
  let arrived: u32 = 0;
  let flips: u32 = 0;
  let i = from;
  for (; i < size; i++) {
    const request = load<u32>(list + (i << 2));
    const last = request >> 31;
    const to = plain(request);
    if (to & GONE) {
      store<u32>(list + (i << 2), last | MISSING);
      continue;
    }
    const mark: u32 = load<u8>(counts + to);
    const isFirst: u32 = (mark >> 7) ^ 1;
    const after = flips + (mark & -isFirst);
    if (<u32>(mark & LOSING) | <u32>(after > coins)) break;
    flips = after;
    const more = (mark & (LOSING - 1)) - 1;
    const comeMore: u32 = more > 0 ? 1 : 0;
    store<u8>(counts + to, (more | ANSWERED) & -comeMore);
    store<u32>(list + (i << 2), last | (REFUSED << (isFirst & ~comeMore)));
    arrived++;
  }
  arrivedCount = arrived;
  passed = flips;
  return i;
}
