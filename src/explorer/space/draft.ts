/**
 * A configuration that is changed in place, step by step, and set back: a search makes no copy of what it has seen before.
 * Its hash follows each change: every entry that differs from the blank configuration adds its own share.
 */
export class Draft {
  readonly cells: Int32Array;
  hash = 0;
  private readonly blank: Int32Array;
  private places = new Int32Array(64);
  private earlier = new Int32Array(64);
  private changes = 0;

  constructor(blank: Int32Array) {
    this.blank = blank;
    this.cells = Int32Array.from(blank);
  }

  /** Holds this configuration from now on; what was changed before cannot be set back. */
  load(vector: Int32Array): void {
    this.cells.set(vector);
    this.changes = 0;
    this.hash = hashOf(vector, this.blank);
  }

  set(at: number, value: number): void {
    const before = this.cells[at];
    if (before === value) return;
    if (this.changes === this.places.length) this.enlarge();
    this.places[this.changes] = at;
    this.earlier[this.changes++] = before;
    this.put(at, before, value);
  }

  /** How far it has come: for `back`. */
  get mark(): number {
    return this.changes;
  }

  /** Where it was changed since it was loaded or kept; a place may stand there twice. */
  get changed(): Int32Array {
    return this.places.subarray(0, this.changes);
  }

  /** What was changed stays. */
  keep(): void {
    this.changes = 0;
  }

  back(mark: number): void {
    while (this.changes > mark) {
      const at = this.places[--this.changes];
      this.put(at, this.cells[at], this.earlier[this.changes]);
    }
  }

  private put(at: number, before: number, value: number): void {
    const blank = this.blank[at];
    this.hash ^= share(at, before - blank) ^ share(at, value - blank);
    this.cells[at] = value;
  }

  private enlarge(): void {
    const [places, earlier] = [this.places, this.earlier];
    this.places = new Int32Array(2 * places.length);
    this.places.set(places);
    this.earlier = new Int32Array(2 * places.length);
    this.earlier.set(earlier);
  }
}

export function hashOf(vector: Int32Array, blank: Int32Array): number {
  let hash = 0;
  for (let at = 0; at < vector.length; at++) hash ^= share(at, vector[at] - blank[at]);
  return hash;
}

/** What an entry adds to the hash: MurmurHash3's last mixing; nothing where it is as in the blank configuration. */
function share(at: number, difference: number): number {
  if (difference === 0) return 0;
  let h = Math.imul(difference, 0x9e3779b1) + Math.imul(at + 1, 0x7feb352d);
  h ^= h >>> 16;
  h = Math.imul(h, 0x85ebca6b);
  h ^= h >>> 13;
  h = Math.imul(h, 0xc2b2ae35);
  return h ^ (h >>> 16);
}
