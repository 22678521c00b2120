/** Armed timers in the order in which they fire. Costs one entry per armed timer. */
import { keep, type Restore } from "../stepping/frames.ts";
import { EventHeap } from "./heap.ts";

const NONE = -1;

export class TimerQueue {
  private readonly heap = new EventHeap<string>();
  /** By timer and node, the number of the live request; any other request in the heap was replaced or disarmed. */
  private live = new Map<string, number[]>();
  private requests = 0;
  /** The timer asked for last, and what was found: mostly the same is asked for again. */
  private asked: string | null = null;
  private found: number[] | undefined;
  /** Nothing has changed since the first of the heap was seen to be live. */
  private sure = true;

  /** When the first live timer fires; infinity when there is none. */
  get next(): number {
    if (!this.sure) this.dropReplaced();
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
    let mine = this.requestsOf(timer);
    if (mine === undefined) {
      mine = [];
      this.live.set(timer, mine);
    }
    while (mine.length <= node) mine.push(NONE);
    if (mine[node] !== NONE) this.sure = false;
    mine[node] = request;
    this.heap.push(time, request, node, 0, timer);
  }

  disarm(node: number, timer: string): void {
    const mine = this.requestsOf(timer);
    if (mine === undefined || node >= mine.length || mine[node] === NONE) return;
    mine[node] = NONE;
    this.sure = false;
  }

  /** Forgets every timer of a node. */
  clear(node: number): void {
    for (const timer of this.live.keys()) this.disarm(node, timer);
  }

  save(): Restore {
    const forget = () => {
      this.asked = null;
    };
    return keep(this, ["live", "requests", "sure"], [this.heap.save(), forget]);
  }

  /** Takes the first live timer into `node` and `timer`; asks `next` first. */
  pop(): void {
    this.heap.pop();
    this.disarm(this.heap.node, this.heap.item);
  }

  /** Puts back the timer just taken, to fire at `time` and before requests made after it. */
  postpone(time: number): void {
    const { node, item, order } = this.heap;
    this.requestsOf(item)![node] = order;
    this.sure = false;
    this.heap.push(time, order, node, 0, item);
  }

  private requestsOf(timer: string): number[] | undefined {
    if (timer === this.asked) return this.found;
    const found = this.live.get(timer);
    if (found === undefined) return undefined;
    this.asked = timer;
    this.found = found;
    return found;
  }

  private dropReplaced(): void {
    const { heap } = this;
    while (heap.size > 0 && this.requestsOf(heap.peekItem())?.[heap.peekNode()] !== heap.peekOrder()) heap.pop();
    this.sure = true;
  }
}
