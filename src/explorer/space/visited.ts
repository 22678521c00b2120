/**
 * All configurations found, each once, in the order found. Exact: vectors are compared, not only their hashes.
 *
 * Most entries of a vector never change in a whole search (links that nobody uses, timers that nobody arms) and most others
 * stay small. So only halves of entries, 16 bits each, that have ever differed from the blank configuration are kept: the
 * columns. A new column is rare, and then all rows are written again.
 */
import { hashOf } from "./draft.ts";

const LEAST = 1 << 10;
const HALF = 16;
const LOW = 0xffff;

export class Visited {
  count = 0;
  private readonly blank: Int32Array;
  /** By column, where its half of an entry stands: the entry, and by how much it is shifted. */
  private entries: number[] = [];
  private shifts: number[] = [];
  /** The bits that a column stands for, shifted: all of them where the upper half has no column, as it is 0 in all rows. */
  private masks: number[] = [];
  /** By entry and half: its column, or -1. The upper half has one only where the lower has. */
  private readonly columns: Int32Array;
  /** Entries without a column: blank in every row. */
  private constant: Int32Array;
  private width = 0;
  private rows = new Uint16Array(LEAST);
  /** A hash table: the number of a configuration or -1, and its hash. */
  private slots = new Int32Array(4 * LEAST).fill(-1);

  constructor(blank: Int32Array) {
    this.blank = blank;
    this.columns = new Int32Array(2 * blank.length).fill(-1);
    this.constant = Int32Array.from(blank.keys());
  }

  get bytes(): number {
    return this.rows.byteLength + this.slots.byteLength;
  }

  vector(index: number): Int32Array {
    const vector = new Int32Array(this.blank.length);
    this.read(index, vector);
    return vector;
  }

  read(index: number, into: Int32Array): void {
    into.set(this.blank);
    const { entries, shifts, rows, width } = this;
    for (let column = 0, at = index * width; column < width; column++, at++) {
      into[entries[column]] += rows[at] << shifts[column];
    }
  }

  /** The number of a configuration; a new one if it equals `count` before the call. */
  add(vector: Int32Array, hash = hashOf(vector, this.blank)): number {
    const { slots } = this;
    const last = slots.length - 2;
    let at = (hash << 1) & last;
    for (; slots[at] >= 0; at = (at + 2) & last) {
      if (slots[at + 1] === hash && this.equals(slots[at], vector)) return slots[at];
    }
    this.append(vector);
    slots[at] = this.count;
    slots[at + 1] = hash;
    if (4 * ++this.count > slots.length) this.rehash();
    return this.count - 1;
  }

  private equals(index: number, vector: Int32Array): boolean {
    const { entries, shifts, masks, rows, width, blank, constant } = this;
    for (let column = 0, at = index * width; column < width; column++, at++) {
      const entry = entries[column];
      if (rows[at] !== (((vector[entry] - blank[entry]) >> shifts[column]) & masks[column])) return false;
    }
    for (let i = 0; i < constant.length; i++) if (vector[constant[i]] !== blank[constant[i]]) return false;
    return true;
  }

  /** Whether whatever differs from the blank configuration has its column. */
  private fits(vector: Int32Array): boolean {
    const { blank, columns } = this;
    for (let entry = 0; entry < vector.length; entry++) {
      const difference = vector[entry] - blank[entry];
      if (difference === 0) continue;
      if (columns[2 * entry] < 0 || (difference >>> HALF !== 0 && columns[2 * entry + 1] < 0)) return false;
    }
    return true;
  }

  private append(vector: Int32Array): void {
    if (!this.fits(vector)) this.widen(vector);
    const { entries, shifts, width, blank } = this;
    const start = this.count * width;
    if (start + width > this.rows.length) this.rows = moved(this.rows, 2 * this.rows.length + width);
    for (let column = 0; column < width; column++) {
      const entry = entries[column];
      this.rows[start + column] = (vector[entry] - blank[entry]) >>> shifts[column];
    }
  }

  private widen(vector: Int32Array): void {
    const before = this.width;
    for (let entry = 0; entry < vector.length; entry++) {
      const difference = vector[entry] - this.blank[entry];
      if (difference !== 0) this.keep(entry, 0);
      if (difference >>> HALF !== 0) this.keep(entry, HALF);
    }
    this.constant = Int32Array.from(this.blank.keys()).filter((entry) => this.columns[2 * entry] < 0);
    const { rows } = this;
    this.rows = new Uint16Array(this.width * Math.max(LEAST, Math.ceil(1.5 * this.count)));
    for (let row = 0; row < this.count; row++) {
      for (let column = 0; column < before; column++) {
        this.rows[row * this.width + column] = rows[row * before + column];
      }
    }
  }

  private keep(entry: number, shift: number): void {
    const half = 2 * entry + (shift === 0 ? 0 : 1);
    if (this.columns[half] >= 0) return;
    this.columns[half] = this.width++;
    this.entries.push(entry);
    this.shifts.push(shift);
    this.masks.push(shift === 0 ? -1 : LOW);
    if (shift !== 0) this.masks[this.columns[2 * entry]] = LOW;
  }

  private rehash(): void {
    const before = this.slots;
    const slots = new Int32Array(2 * before.length).fill(-1);
    const last = slots.length - 2;
    for (let from = 0; from < before.length; from += 2) {
      if (before[from] < 0) continue;
      let at = (before[from + 1] << 1) & last;
      while (slots[at] >= 0) at = (at + 2) & last;
      slots[at] = before[from];
      slots[at + 1] = before[from + 1];
    }
    this.slots = slots;
  }
}

function moved(rows: Uint16Array<ArrayBuffer>, length: number): Uint16Array<ArrayBuffer> {
  const larger = new Uint16Array(length);
  larger.set(rows);
  return larger;
}

export function enlarged(array: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(2 * array.length);
  larger.set(array);
  return larger;
}

export function isEqual(a: Int32Array, b: Int32Array): boolean {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** The least of the vectors that a group of symmetries makes of one. */
export function leastOf(vector: Int32Array, symmetries: readonly Int32Array[]): Int32Array {
  let least = vector;
  for (const symmetry of symmetries) {
    // A group has the inverse of each of its members, so entries may as well be taken from where they would go.
    for (let i = 0; i < vector.length; i++) {
      const entry = vector[symmetry[i]];
      if (entry === least[i]) continue;
      if (entry < least[i]) least = Int32Array.from(symmetry, (from) => vector[from]);
      break;
    }
  }
  return least;
}

/** The vector with each entry moved to where `to` says. */
export function rearranged(vector: Int32Array, to: Int32Array): Int32Array {
  const moved = new Int32Array(vector.length);
  for (let i = 0; i < vector.length; i++) moved[to[i]] = vector[i];
  return moved;
}
