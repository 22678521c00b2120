/** Armed timers in the order in which they fire. Costs one entry per armed timer. */
import { keep, type Restore } from "./frames.ts";
import { EventHeap } from "./heap.ts";

const NONE = -1;

export class TimerQueue {
  private readonly heap = new EventHeap<string>();
  /** By timer and node, the number of the live request; any other request in the heap was replaced or disarmed. */
  private live = new Map<string, number[]>();
  private requests = 0;

  /** When the first live timer fires; infinity when there is none. */
  get next(): number {
    while (this.heap.size > 0 && !this.isLive(this.heap.peekNode(), this.heap.peekItem(), this.heap.peekOrder())) {
      this.heap.pop();
    }
    return this.heap.next;
  }

  get node(): number {
    return this.heap.node;
  }

  get timer(): string {
    return this.heap.item;
  }

  arm(node: number, timer: string, time: number): void {
    const request = this.requests++;
    let mine = this.live.get(timer);
    if (mine === undefined) {
      mine = [];
      this.live.set(timer, mine);
    }
    while (mine.length <= node) mine.push(NONE);
    mine[node] = request;
    this.heap.push(time, request, node, 0, timer);
  }

  disarm(node: number, timer: string): void {
    const mine = this.live.get(timer);
    if (mine !== undefined && node < mine.length) mine[node] = NONE;
  }

  /** Forgets every timer of a node. */
  clear(node: number): void {
    for (const timer of this.live.keys()) this.disarm(node, timer);
  }

  save(): Restore {
    return keep(this, ["live", "requests"], [this.heap.save()]);
  }

  /** Takes the first live timer into `node` and `timer`; asks `next` first. */
  pop(): void {
    this.heap.pop();
    this.disarm(this.heap.node, this.heap.item);
  }

  /** Puts back the timer just taken, to fire at `time` and before requests made after it. */
  postpone(time: number): void {
    const { node, item, order } = this.heap;
    this.live.get(item)![node] = order;
    this.heap.push(time, order, node, 0, item);
  }

  private isLive(node: number, timer: string, request: number): boolean {
    return this.live.get(timer)?.[node] === request;
  }
}
