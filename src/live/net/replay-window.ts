/** Which counters of one session have been seen: a window below the highest one, as in IPsec (RFC 4303, section 3.4.3). */
export const WINDOW = 1024;

export class ReplayWindow {
  private highest = -1;
  /** A bit for each of the last counters. */
  private readonly seen = new Uint32Array(WINDOW / 32).fill(0xffffffff);

  /** True once for each counter; false for one that was seen before or lies so far back that nobody can tell. */
  accept(counter: number): boolean {
    if (counter > this.highest) {
      const cleared = Math.min(counter - this.highest, WINDOW);
      for (let i = 0; i < cleared; i++) this.seen[wordOf(counter - i)] &= ~bitOf(counter - i);
      this.highest = counter;
    } else if (counter <= this.highest - WINDOW || (this.seen[wordOf(counter)] & bitOf(counter)) !== 0) return false;
    this.seen[wordOf(counter)] |= bitOf(counter);
    return true;
  }
}

const wordOf = (counter: number): number => Math.floor((counter % WINDOW) / 32);
const bitOf = (counter: number): number => 1 << (counter % 32);
