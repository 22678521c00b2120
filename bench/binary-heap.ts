/** The textbook binary heap of event objects: what most event simulators use. For comparison only. */
export class BinaryHeap<X> {
  time = 0;
  private readonly entries: { time: number; order: number; node: number; port: number; item: X }[] = [];

  get next(): number {
    return this.entries.length > 0 ? this.entries[0].time : Infinity;
  }

  push(time: number, order: number, node: number, port: number, item: X): void {
    const { entries } = this;
    const entry = { time, order, node, port, item };
    let at = entries.length;
    entries.push(entry);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (before(entries[parent], entry)) break;
      entries[at] = entries[parent];
      at = parent;
    }
    entries[at] = entry;
  }

  pop(): void {
    const { entries } = this;
    this.time = entries[0].time;
    const last = entries.pop()!;
    if (entries.length === 0) return;
    let at = 0;
    for (let child = 1; child < entries.length; child = 2 * at + 1) {
      if (child + 1 < entries.length && before(entries[child + 1], entries[child])) child++;
      if (before(last, entries[child])) break;
      entries[at] = entries[child];
      at = child;
    }
    entries[at] = last;
  }
}

const before = (a: { time: number; order: number }, b: { time: number; order: number }) =>
  a.time < b.time || (a.time === b.time && a.order < b.order);
