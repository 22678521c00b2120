/** Armed timers in the order in which they fire. Costs one entry per armed timer. */
import { EventHeap } from "./heap.ts";

export class TimerQueue {
  private readonly heap = new EventHeap<string>();
  /** The number of the live request of each node's timers; any other request in the heap was replaced or disarmed. */
  private readonly live = new Map<number, Map<string, number>>();
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
    let mine = this.live.get(node);
    if (mine === undefined) {
      mine = new Map();
      this.live.set(node, mine);
    }
    mine.set(timer, request);
    this.heap.push(time, request, node, 0, timer);
  }

  disarm(node: number, timer: string): void {
    this.live.get(node)?.delete(timer);
  }

  /** Takes the first live timer into `node` and `timer`; asks `next` first. */
  pop(): void {
    this.heap.pop();
    this.disarm(this.heap.node, this.heap.item);
  }

  /** Puts back the timer just taken, to fire at `time` and before requests made after it. */
  postpone(time: number): void {
    const { node, item, order } = this.heap;
    this.live.get(node)?.set(item, order);
    this.heap.push(time, order, node, 0, item);
  }

  private isLive(node: number, timer: string, request: number): boolean {
    return this.live.get(node)?.get(timer) === request;
  }
}
