/** A set of the numbers 0 .. n-1, n up to 2^32, as bits: an eighth of a byte each, whether they are in it or not. */
export class BitSet {
  /** 32 numbers in each. */
  readonly words: Int32Array;

  constructor(n: number) {
    this.words = new Int32Array(Math.ceil(n / 32));
  }

  has(number: number): boolean {
    return ((this.words[number >>> 5] >>> (number & 31)) & 1) !== 0;
  }

  add(number: number): void {
    this.words[number >>> 5] |= 1 << (number & 31);
  }

  delete(number: number): void {
    this.words[number >>> 5] &= ~(1 << (number & 31));
  }

  addAll({ words }: BitSet): void {
    for (let i = 0; i < words.length; i++) this.words[i] |= words[i];
  }

  deleteAll({ words }: BitSet): void {
    for (let i = 0; i < words.length; i++) this.words[i] &= ~words[i];
  }

  /** Takes out a number, and whichever share a word with it: to empty a set of which all members are known. */
  clearAround(number: number): void {
    this.words[number >>> 5] = 0;
  }
}
