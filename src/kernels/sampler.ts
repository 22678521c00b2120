/** Samples of many numbers without a `Set`: Floyd's algorithm with the draws of random/subsets.ts, into an array. */
import type { Source } from "../random/source.ts";
import { BitSet } from "./bit-set.ts";

/** Bits of this many numbers stay in a processor's cache; of more of them, only those drawn are kept. */
const MOST_BITS = 2 ** 24;

/**
 * What `choose(most + 1)` draws. All sources of all protocols meet in that function, and so its call for a word cannot be compiled away; here only those
 * of kernels do.
 */
export function drawUpTo(source: Source, most: number): number {
  if (most === 0) return 0;
  const mask = 0xffffffff >>> Math.clz32(most);
  let value = (source.word() & mask) >>> 0;
  while (value > most) value = (source.word() & mask) >>> 0;
  return value;
}

export class Sampler {
  private readonly n: number;
  private readonly bits: BitSet | null;
  /** Open addressing: numbers plus one, so that 0 marks a free slot; at most half full. */
  private keys = new Uint32Array(16);
  private shift = 28;

  /** Of samples of the numbers 0 .. n-1. */
  constructor(n: number) {
    this.n = n;
    this.bits = n <= MOST_BITS ? new BitSet(n) : null;
  }

  /** k distinct numbers in the order drawn, into an array from a place on. */
  draw(source: Source, k: number, into: Uint32Array | Int32Array, at = 0): void {
    if (this.bits === null) this.drawHashed(source, k, into, at);
    else this.drawMarked(this.bits, source, k, into, at);
  }

  private drawMarked(bits: BitSet, source: Source, k: number, into: Uint32Array | Int32Array, at: number): void {
    const first = this.n - k;
    for (let i = 0; i < k; i++) {
      const drawn = drawUpTo(source, first + i);
      const taken = bits.has(drawn) ? first + i : drawn;
      bits.add(taken);
      into[at + i] = taken;
    }
    for (let i = 0; i < k; i++) bits.clearAround(into[at + i]);
  }

  private drawHashed(source: Source, k: number, into: Uint32Array | Int32Array, at: number): void {
    const first = this.n - k;
    this.empty(k);
    for (let i = 0; i < k; i++) {
      const drawn = drawUpTo(source, first + i);
      const taken = this.add(drawn) ? drawn : first + i;
      if (taken !== drawn) this.add(taken);
      into[at + i] = taken;
    }
  }

  private empty(room: number): void {
    const bits = Math.max(4, 33 - Math.clz32(room));
    if (this.keys.length >= 2 ** bits) this.keys.fill(0);
    else {
      this.keys = new Uint32Array(2 ** bits);
      this.shift = 32 - bits;
    }
  }

  /** Whether the number is new. */
  private add(number: number): boolean {
    const { keys } = this;
    // Fibonacci hashing: neighbouring keys end up far apart.
    let slot = Math.imul(number, 0x9e3779b1) >>> this.shift;
    while (keys[slot] !== 0) {
      if (keys[slot] === number + 1) return false;
      if (++slot === keys.length) slot = 0;
    }
    keys[slot] = number + 1;
    return true;
  }
}
