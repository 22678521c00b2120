/**
 * A priority queue of events ordered by (time, order): a four-ary heap over flat arrays. Heap entries are (time, order,
 * slot); what an event carries stays in its slot of a pool and does not move. Four children share a cache line of times,
 * which makes it faster than a binary heap here (see bench/queues.ts).
 */
import { keep, type Restore } from "../stepping/frames.ts";

export class EventHeap<X> {
  size = 0;
  /** The event that `pop` took. */
  time = 0;
  order = 0;
  node = 0;
  port = 0;
  item!: X;

  private times = new Float64Array(64);
  private orders = new Float64Array(64);
  private slots = new Int32Array(64);
  /** Node and port of a slot lie side by side, for the sake of the cache. */
  private places = new Int32Array(128);
  private items: (X | undefined)[] = [];
  private free: number[] = [];

  /** When the first event happens; infinity when there is none. */
  get next(): number {
    return this.size > 0 ? this.times[0] : Infinity;
  }

  peekNode(): number {
    return this.places[2 * this.slots[0]];
  }

  peekItem(): X {
    return this.items[this.slots[0]] as X;
  }

  peekOrder(): number {
    return this.orders[0];
  }

  push(time: number, order: number, node: number, port: number, item: X): void {
    const slot = this.free.length > 0 ? this.free.pop()! : this.size;
    if (this.size === this.times.length) this.grow();
    this.places[2 * slot] = node;
    this.places[2 * slot + 1] = port;
    this.items[slot] = item;
    const { times, orders, slots } = this;
    let at = this.size++;
    while (at > 0) {
      const parent = (at - 1) >> 2;
      if (times[parent] < time || (times[parent] === time && orders[parent] < order)) break;
      times[at] = times[parent];
      orders[at] = orders[parent];
      slots[at] = slots[parent];
      at = parent;
    }
    times[at] = time;
    orders[at] = order;
    slots[at] = slot;
  }

  /** Takes the first event into the fields above; the queue must not be empty. */
  pop(): void {
    const slot = this.slots[0];
    this.time = this.times[0];
    this.order = this.orders[0];
    this.node = this.places[2 * slot];
    this.port = this.places[2 * slot + 1];
    this.item = this.items[slot] as X;
    this.items[slot] = undefined;
    this.free.push(slot);
    const last = --this.size;
    if (last > 0) this.sink(this.times[last], this.orders[last], this.slots[last]);
  }

  /** Every event that waits, in no order. */
  *waiting(): Generator<{ time: number; order: number; node: number; port: number; item: X }> {
    for (let at = 0; at < this.size; at++) {
      const slot = this.slots[at];
      const [node, port] = this.places.subarray(2 * slot, 2 * slot + 2);
      yield { time: this.times[at], order: this.orders[at], node, port, item: this.items[slot] as X };
    }
  }

  save(): Restore {
    return keep(this, ["size", "times", "orders", "slots", "places", "items", "free"]);
  }

  /** Lets an entry fall from the root to its place. */
  private sink(time: number, order: number, slot: number): void {
    const { times, orders, slots, size } = this;
    let at = 0;
    for (let child = 1; child < size; child = 4 * at + 1) {
      const end = Math.min(child + 4, size);
      let least = child;
      let leastTime = times[child];
      for (let other = child + 1; other < end; other++) {
        const otherTime = times[other];
        if (otherTime < leastTime || (otherTime === leastTime && orders[other] < orders[least])) {
          least = other;
          leastTime = otherTime;
        }
      }
      if (time < leastTime || (time === leastTime && order < orders[least])) break;
      times[at] = leastTime;
      orders[at] = orders[least];
      slots[at] = slots[least];
      at = least;
    }
    times[at] = time;
    orders[at] = order;
    slots[at] = slot;
  }

  private grow(): void {
    const enlarge = <A extends Float64Array | Int32Array>(array: A, larger: A): A => {
      larger.set(array);
      return larger;
    };
    const length = 2 * this.times.length;
    this.times = enlarge(this.times, new Float64Array(length));
    this.orders = enlarge(this.orders, new Float64Array(length));
    this.slots = enlarge(this.slots, new Int32Array(length));
    this.places = enlarge(this.places, new Int32Array(2 * length));
  }
}
