/**
 * A hash table from 32-bit keys to 32-bit numbers over typed arrays: eight bytes an entry, where a `Map` takes some forty and
 * ends at 2^24 entries. Open addressing with linear probing; never grows, so the caller says how many keys may come.
 */
export class FlatTable {
  size = 0;
  /** Keys plus one, so that 0 marks a free slot. */
  private readonly keys: Uint32Array;
  private readonly values: Uint32Array;
  private readonly slots: number;
  private readonly scale: number;

  constructor(capacity: number) {
    this.slots = 16 + Math.ceil(1.4 * capacity);
    this.scale = this.slots / 2 ** 32;
    this.keys = new Uint32Array(this.slots);
    this.values = new Uint32Array(this.slots);
  }

  /** The slot of a key, or the free slot where it belongs. */
  find(key: number): number {
    const { keys, slots } = this;
    // Fibonacci hashing: neighbouring keys end up far apart. Scaled and not masked, so the table may have any size.
    let slot = Math.floor((Math.imul(key, 0x9e3779b1) >>> 0) * this.scale);
    while (keys[slot] !== 0 && keys[slot] !== key + 1) if (++slot === slots) slot = 0;
    return slot;
  }

  has(slot: number): boolean {
    return this.keys[slot] !== 0;
  }

  value(slot: number): number {
    return this.values[slot];
  }

  put(slot: number, key: number, value: number): void {
    this.keys[slot] = key + 1;
    this.values[slot] = value;
    this.size++;
  }
}
