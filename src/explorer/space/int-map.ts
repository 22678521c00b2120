/** Numbers by three numbers, in one array: what is remembered of a step is looked up for every step of a search. */
const LEAST = 64;
const WIDTH = 4;
/** No value: those that are remembered are 0 or more. */
export const NO_VALUE = -1;

export class IntMap {
  private size = 0;
  private slots = empty(LEAST);

  get(a: number, b: number, c: number): number {
    return this.slots[this.find(a, b, c) + 3];
  }

  set(a: number, b: number, c: number, value: number): void {
    const at = this.find(a, b, c);
    const { slots } = this;
    if (slots[at + 3] === NO_VALUE) this.size++;
    slots[at] = a;
    slots[at + 1] = b;
    slots[at + 2] = c;
    slots[at + 3] = value;
    if (2 * WIDTH * this.size > slots.length) this.enlarge();
  }

  /** Where it stands, or where it would. */
  private find(a: number, b: number, c: number): number {
    const { slots } = this;
    const last = slots.length - WIDTH;
    let h = Math.imul(a, 0x9e3779b1) ^ Math.imul(b, 0x85ebca6b) ^ Math.imul(c, 0xc2b2ae35);
    h ^= h >>> 15;
    for (let at = (h * WIDTH) & last; ; at = (at + WIDTH) & last) {
      if (slots[at + 3] === NO_VALUE) return at;
      if (slots[at] === a && slots[at + 1] === b && slots[at + 2] === c) return at;
    }
  }

  private enlarge(): void {
    const before = this.slots;
    this.slots = empty(before.length / WIDTH + before.length / WIDTH);
    this.size = 0;
    for (let at = 0; at < before.length; at += WIDTH) {
      if (before[at + 3] !== NO_VALUE) this.set(before[at], before[at + 1], before[at + 2], before[at + 3]);
    }
  }
}

const empty = (slots: number) => new Int32Array(WIDTH * slots).fill(NO_VALUE);
