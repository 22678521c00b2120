/**
 * A Bloom filter of the statements that a member has, over their digests (B. H. Bloom, Communications of the ACM 13, 1970). The answer to
 * a comparison leaves these out. While many members join, most parts differ all the time, but most of each part is known already. A false
 * positive leaves a statement out. Each filter has its own salt, so the next comparison brings that statement.
 */
import { BUCKETS } from "./messages.ts";
import type { MembershipContext, MembershipState } from "./state.ts";
import { mixed } from "./sums.ts";

/** Salt, the first part of the filter, the number of its parts, and the bits in words of 32. */
export type HeldFilter = readonly number[];

const HEAD = 3;
/** The most words of a filter. With the numbers below at most one in seven statements is a false positive. */
const MOST_WORDS = 128;
const MOST_SUBJECTS = 1024;
const BITS_EACH = 8;
const PROBES = 3;

/** The filter of what this member has, from a part on: as many parts as a filter has room for. */
export function heldFrom(state: MembershipState, first: number, ctx: MembershipContext): HeldFilter {
  const { parts } = state;
  let count = 0;
  let covered = 0;
  while (covered < BUCKETS) {
    const { size } = parts[(first + covered) % BUCKETS].subjects;
    if (covered > 0 && count + size > MOST_SUBJECTS) break;
    count += size;
    covered++;
  }
  const words = new Uint32Array(Math.max(1, Math.min(MOST_WORDS, Math.ceil((BITS_EACH * count) / 32))));
  const salt = ctx.choose(2 ** 16);
  for (let i = 0; i < covered; i++) {
    for (const digest of parts[(first + i) % BUCKETS].subjects.values()) {
      for (let k = 0; k < PROBES; k++) {
        const bit = bitOf(digest, salt, k, 32 * words.length);
        words[bit >>> 5] |= 1 << (bit & 31);
      }
    }
  }
  return [salt, first, covered, ...words];
}

/** Whether the sender of a filter probably has a statement of this part. False for parts that are not in the filter. */
export function isHeld(held: HeldFilter, part: number, digest: number): boolean {
  const [salt, first, parts] = held;
  if ((part - first + BUCKETS) % BUCKETS >= parts) return false;
  const bits = 32 * (held.length - HEAD);
  for (let k = 0; k < PROBES; k++) {
    const bit = bitOf(digest, salt, k, bits);
    if (((held[HEAD + (bit >>> 5)] >>> (bit & 31)) & 1) === 0) return false;
  }
  return true;
}

const bitOf = (digest: number, salt: number, k: number, bits: number): number =>
  mixed(digest ^ Math.imul(salt * PROBES + k + 1, 0x9e3779b1)) % bits;
