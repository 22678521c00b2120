/** Events whose times never decrease, as with one fixed delay: a ring buffer instead of a heap. */
import type { LookAhead } from "./look-ahead.ts";

/** How many events are looked at ahead of their turn. */
const STRETCH = 8;

export class EventFifo<X> {
  size = 0;
  time = 0;
  order = 0;
  node = 0;
  port = 0;
  item!: X;

  private head = 0;
  private mask = 63;
  private times = new Float64Array(64);
  private nodes = new Int32Array(64);
  private ports = new Int32Array(64);
  private items: (X | undefined)[] = new Array(64);
  private popped = 0;
  private readonly lookAhead: LookAhead | null;
  /** How many of the first events have been looked at. */
  private seen = 0;

  constructor(lookAhead: LookAhead | null = null) {
    this.lookAhead = lookAhead;
  }

  get next(): number {
    return this.size > 0 ? this.times[this.head] : Infinity;
  }

  /** Events leave in the order in which they came, so the given order is not kept. */
  push(time: number, _order: number, node: number, port: number, item: X): void {
    if (this.size > this.mask) this.grow();
    const at = (this.head + this.size++) & this.mask;
    this.times[at] = time;
    this.nodes[at] = node;
    this.ports[at] = port;
    this.items[at] = item;
  }

  pop(): void {
    if (this.lookAhead !== null && this.seen-- === 0) this.look(this.lookAhead);
    const at = this.head;
    this.time = this.times[at];
    this.order = this.popped++;
    this.node = this.nodes[at];
    this.port = this.ports[at];
    this.item = this.items[at] as X;
    this.items[at] = undefined;
    this.head = (at + 1) & this.mask;
    this.size--;
  }

  private look(ahead: LookAhead): void {
    const { nodes, items, head, mask } = this;
    const stretch = Math.min(STRETCH, this.size);
    for (let i = 0; i < stretch; i++) ahead.look(nodes[(head + i) & mask], items[(head + i) & mask]);
    this.seen = stretch - 1;
  }

  private grow(): void {
    const { head, times, nodes, ports, items } = this;
    const length = this.mask + 1;
    this.mask = 2 * length - 1;
    this.times = new Float64Array(2 * length);
    this.nodes = new Int32Array(2 * length);
    this.ports = new Int32Array(2 * length);
    this.items = new Array(2 * length);
    for (let i = 0; i < length; i++) {
      const at = (head + i) & (length - 1);
      this.times[i] = times[at];
      this.nodes[i] = nodes[at];
      this.ports[i] = ports[at];
      this.items[i] = items[at];
    }
    this.head = 0;
  }
}
