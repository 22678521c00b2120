/** Which counters of one session have been seen: a window below the highest one, as in IPsec (RFC 4303, section 3.4.3). */
export const WINDOW = 1024;

export class ReplayWindow {
  private highest: number;
  private readonly seen = new Uint8Array(WINDOW).fill(1);

  /** `before` and all below it count as seen. */
  constructor(before = -1) {
    this.highest = before;
  }

  /** True once for each counter; false for one that was seen before or lies so far back that nobody can tell. */
  accept(counter: number): boolean {
    if (counter > this.highest) {
      const cleared = Math.min(counter - this.highest, WINDOW);
      for (let i = 0; i < cleared; i++) this.seen[(counter - i) % WINDOW] = 0;
      this.highest = counter;
    } else if (counter <= this.highest - WINDOW || this.seen[counter % WINDOW] === 1) return false;
    this.seen[counter % WINDOW] = 1;
    return true;
  }
}
