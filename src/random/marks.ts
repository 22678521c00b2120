/** A set of numbers that is emptied at no cost: a mark counts only if it carries the stamp of the present use. */

const FIRST_SIZE = 64;
const LAST_STAMP = 2 ** 31 - 1;

export class Marks {
  private values = new Float64Array(FIRST_SIZE);
  private stamps = new Int32Array(FIRST_SIZE);
  private stamp = 0;
  private shift = 26;

  /** Forgets all, and makes room for so many. */
  clear(most: number): void {
    if (2 * most > this.values.length) this.enlarge(most);
    if (this.stamp === LAST_STAMP) {
      this.stamps.fill(0);
      this.stamp = 0;
    }
    this.stamp++;
  }

  /** Marks a number; false where it was marked already. */
  add(value: number): boolean {
    const { values, stamps, stamp } = this;
    const mask = values.length - 1;
    // Fibonacci hashing: neighbours are spread far apart.
    let at = Math.imul(value, 0x9e3779b1) >>> this.shift;
    while (stamps[at] === stamp) {
      if (values[at] === value) return false;
      at = (at + 1) & mask;
    }
    stamps[at] = stamp;
    values[at] = value;
    return true;
  }

  private enlarge(most: number): void {
    while (2 * most > 2 ** (32 - this.shift)) this.shift--;
    const size = 2 ** (32 - this.shift);
    this.values = new Float64Array(size);
    this.stamps = new Int32Array(size);
    this.stamp = 0;
  }
}
