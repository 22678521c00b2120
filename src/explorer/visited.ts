/**
 * All configurations found, each once, in the order found: their vectors lie end to end in one array, and a hash table of
 * positions finds them again. Exact: vectors are compared, not only their hashes.
 */
const LEAST = 1 << 10;

export class Visited {
  count = 0;
  private readonly length: number;
  private vectors: Int32Array<ArrayBuffer>;
  private table = new Int32Array(2 * LEAST).fill(-1);

  constructor(length: number) {
    this.length = length;
    this.vectors = new Int32Array(length * LEAST);
  }

  get bytes(): number {
    return this.vectors.byteLength + this.table.byteLength;
  }

  vector(index: number): Int32Array {
    return this.vectors.slice(index * this.length, (index + 1) * this.length);
  }

  /** The number of a configuration; a new one if it equals `count` before the call. */
  add(vector: Int32Array): number {
    const found = this.find(vector);
    if (found.index >= 0) return found.index;
    if ((this.count + 1) * this.length > this.vectors.length) this.vectors = enlarged(this.vectors);
    this.vectors.set(vector, this.count * this.length);
    this.table[found.at] = this.count++;
    if (2 * this.count > this.table.length) this.rehash();
    return this.count - 1;
  }

  private find(vector: Int32Array): { index: number; at: number } {
    const mask = this.table.length - 1;
    for (let at = hash(vector, 0, this.length) & mask; ; at = (at + 1) & mask) {
      const index = this.table[at];
      if (index < 0 || this.equals(index, vector)) return { index, at };
    }
  }

  private equals(index: number, vector: Int32Array): boolean {
    const start = index * this.length;
    for (let i = 0; i < this.length; i++) if (this.vectors[start + i] !== vector[i]) return false;
    return true;
  }

  private rehash(): void {
    const table = new Int32Array(2 * this.table.length).fill(-1);
    const mask = table.length - 1;
    for (let index = 0; index < this.count; index++) {
      let at = hash(this.vectors, index * this.length, this.length) & mask;
      while (table[at] >= 0) at = (at + 1) & mask;
      table[at] = index;
    }
    this.table = table;
  }
}

export function enlarged(array: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(2 * array.length);
  larger.set(array);
  return larger;
}

/** MurmurHash3's mixing over words. */
function hash(words: Int32Array, start: number, length: number): number {
  let h = length;
  for (let i = start; i < start + length; i++) {
    let k = Math.imul(words[i], 0xcc9e2d51);
    k = (k << 15) | (k >>> 17);
    h ^= Math.imul(k, 0x1b873593);
    h = (h << 13) | (h >>> 19);
    h = (Math.imul(h, 5) + 0xe6546b64) | 0;
  }
  h ^= h >>> 16;
  h = Math.imul(h, 0x85ebca6b);
  h ^= h >>> 13;
  h = Math.imul(h, 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}
