/**
 * A map with a limit, which keeps the entries that were used last. There are two generations: an entry that is used is in the
 * younger one, or moves there. When the younger one is full, it becomes the older one, and the older one is dropped. So the last
 * `most / 2` entries that were used are always kept, and a use of a young entry costs one look.
 */
export class Recent<K, V> {
  private readonly half: number;
  private young = new Map<K, V>();
  private old = new Map<K, V>();
  /** The latest use: while a datagram is handled, the same entry is asked for several times. */
  private key: K | undefined;
  private value: V | undefined;

  constructor(most: number) {
    this.half = most >> 1;
  }

  get size(): number {
    return this.young.size + this.old.size;
  }

  /** Counts as a use. */
  get(key: K): V | undefined {
    if (key === this.key) return this.value;
    let value = this.young.get(key);
    if (value === undefined) {
      value = this.old.get(key);
      if (value === undefined) return undefined;
      this.set(key, value);
    }
    this.key = key;
    this.value = value;
    return value;
  }

  set(key: K, value: V): void {
    this.old.delete(key);
    if (this.young.size >= this.half && !this.young.has(key)) {
      this.old = this.young;
      this.young = new Map();
    }
    this.young.set(key, value);
    this.key = key;
    this.value = value;
  }
}
