import { BitSet } from "./bit-set.ts";

/** So many bits stay in a cache. */
const MOST_MARKED = 2 ** 20;

/** Some of many numbers; bits that stay in a cache say of nearly all others that they are not among them. */
export class FewNumbers {
  private readonly numbers = new Set<number>();
  private readonly bits: BitSet;
  private readonly mask: number;

  constructor(n: number) {
    this.mask = n <= MOST_MARKED ? -1 : MOST_MARKED - 1;
    this.bits = new BitSet(Math.min(n, MOST_MARKED));
  }

  get size(): number {
    return this.numbers.size;
  }

  add(number: number): void {
    this.numbers.add(number);
    this.bits.add(number & this.mask);
  }

  has(number: number): boolean {
    return this.bits.has(number & this.mask) && this.numbers.has(number);
  }
}
