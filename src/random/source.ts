/** Draws made from a stream of uniform 32-bit words; one fixed algorithm each, so that kernels can repeat them. */
import { ln } from "./ln.ts";

const TWO_32 = 2 ** 32;

/** A stream of random draws. */
export abstract class Source {
  /** The next uniform word, 0 .. 2^32-1. */
  abstract word(): number;

  /** Uniform in [0, 1), a multiple of 2^-53. */
  uniform(): number {
    const high = this.word() >>> 5;
    return (high * 0x4000000 + (this.word() >>> 6)) / 0x20000000000000;
  }

  /** Uniform in 0 .. n-1 without bias: masks to the next power of two and draws again when too large. */
  choose(n: number): number {
    if (n <= 1) return 0;
    if (n <= TWO_32) {
      const mask = 0xffffffff >>> Math.clz32(n - 1);
      let value = (this.word() & mask) >>> 0;
      while (value >= n) value = (this.word() & mask) >>> 0;
      return value;
    }
    const mask = 0xffffffff >>> Math.clz32(Math.floor((n - 1) / TWO_32));
    for (;;) {
      const value = ((this.word() & mask) >>> 0) * TWO_32 + this.word();
      if (value < n) return value;
    }
  }

  coin(p: number): boolean {
    if (p <= 0) return false;
    if (p >= 1) return true;
    return this.uniform() < p;
  }

  /** Exponential with mean 1. */
  exponential(): number {
    return -ln(1 - this.uniform());
  }
}
