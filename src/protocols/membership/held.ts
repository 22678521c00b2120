/**
 * Which statements a member has, as a Bloom filter over their digests (B. H. Bloom, Communications of the ACM 13, 1970): one who
 * answers leaves out what the other has. While many join, most parts differ all the time, and most of each part is known already. A
 * false positive leaves a statement out; each filter has its own salt, so that the next comparison brings it.
 */
import { BUCKETS } from "./messages.ts";
import type { MembershipContext, MembershipState } from "./state.ts";
import { mixed } from "./sums.ts";

/** Salt, the first part that it is about, how many parts from there on, and the bits in words of 32. */
export type HeldFilter = readonly number[];

const HEAD = 3;
/** So many words; with the numbers below at most every seventh statement is left out by mistake. */
const MOST_WORDS = 128;
const MOST_SUBJECTS = 1024;
const BITS_EACH = 8;
const PROBES = 3;

/** What this member has, from a part on: as many parts as a filter has room for. */
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

/** Whether one who sent this has a statement of that part, probably. Of parts that the filter is not about it says nothing. */
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
