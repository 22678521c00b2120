/**
 * A priority queue for many events whose times are spread out, as random delays spread them, after the ladder queue of W. T.
 * Tang, R. S. M. Goh, I. L.-J. Thng, ACM TOMACS 15(3), 2005. Only the next few events are in order. The others wait in
 * buckets of equal spans of time, and a bucket with too many of them is divided into narrower ones when its turn comes.
 * What no span divides, and what is sent so late that its bucket has been opened, goes through a heap.
 */
import { Buckets } from "./buckets.ts";
import { EventHeap } from "./heap.ts";
import type { LookAhead } from "./look-ahead.ts";

/** So many may be in the heap before they are divided. */
const MOST_LATE = 48;
/** A bucket with at most this many is sorted as it is. */
const MOST_SORTED = 64;
/** How many events a bucket should get when others are divided. */
const SHARE = 8;
const MOST_BUCKETS = 4096;
/** Times that are spread so unevenly that they have not been divided by then are left to the heap. */
const MOST_RUNGS = 8;

/** No bucket: its turn has been. */
const OPENED = -1;
/** Where events are put that will be divided. */
const ASIDE = 0;

const firstOf = (rung: number): number => 1 + rung * MOST_BUCKETS;

export class EventLadder<X> {
  /** When the first event happens; infinity when there is none. */
  next = Infinity;
  /** The event that `pop` took. */
  time = 0;
  order = 0;
  node = 0;
  port = 0;
  item!: X;

  private readonly late = new EventHeap<X>();
  /** The bucket that was opened last, sorted: times, places in the pool, and how far it has been read. */
  private readonly times = new Float64Array(MOST_SORTED);
  private readonly places = new Int32Array(MOST_SORTED);
  private at = 0;
  private end = 0;

  /** From the coarsest to the finest, each divides the span of the one before that was opened last. */
  private rungs = 0;
  /** Of each rung: where its spans begin, how many there are in a unit of time and in all, and the one that was opened last. */
  private readonly starts = new Float64Array(MOST_RUNGS);
  private readonly scales = new Float64Array(MOST_RUNGS);
  private readonly counts = new Int32Array(MOST_RUNGS);
  private readonly opened = new Int32Array(MOST_RUNGS);
  private readonly buckets = new Buckets<X>();
  /** How many events are in buckets. */
  private waits = 0;
  private mostLate = MOST_LATE;

  private readonly lookAhead: LookAhead | null;

  constructor(lookAhead: LookAhead | null = null) {
    this.lookAhead = lookAhead;
  }

  get size(): number {
    return this.waits + this.late.size + this.end - this.at;
  }

  push(time: number, order: number, node: number, port: number, item: X): void {
    const bucket = this.bucketOf(time);
    if (bucket !== OPENED) {
      this.buckets.add(bucket, time, order, node, port, item);
      this.waits++;
      return;
    }
    this.late.push(time, order, node, port, item);
    if (time < this.next) this.next = time;
    if (this.late.size > this.mostLate) this.divideLate();
  }

  pop(): void {
    const { late, at } = this;
    if (late.size > 0 && (at === this.end || this.isLateFirst())) {
      late.pop();
      this.time = late.time;
      this.order = late.order;
      this.node = late.node;
      this.port = late.port;
      this.item = late.item;
    } else {
      const { buckets } = this;
      const place = this.places[at];
      this.time = this.times[at];
      this.order = buckets.orders[place];
      this.node = buckets.nodes[2 * place];
      this.port = buckets.nodes[2 * place + 1];
      this.item = buckets.removed(place);
      this.at++;
    }
    this.findNext();
  }

  private isLateFirst(): boolean {
    const { late } = this;
    const time = this.times[this.at];
    return late.next < time || (late.next === time && late.peekOrder() < this.buckets.orders[this.places[this.at]]);
  }

  private findNext(): void {
    if (this.at === this.end && this.late.size === 0 && this.rungs > 0) this.open();
    const late = this.late.next;
    const sorted = this.at < this.end ? this.times[this.at] : Infinity;
    this.next = Math.min(late, sorted);
  }

  private bucketOf(time: number): number {
    const { rungs, starts, scales, counts, opened } = this;
    for (let rung = 0; rung < rungs; rung++) {
      const span = (time - starts[rung]) * scales[rung];
      if (span >= opened[rung] + 1) {
        const last = counts[rung] - 1;
        return firstOf(rung) + (span < last ? span | 0 : last);
      }
    }
    return OPENED;
  }

  /** Opens buckets until there is an event in order. */
  private open(): void {
    const { buckets, counts, opened } = this;
    while (this.at === this.end && this.late.size === 0 && this.rungs > 0) {
      const rung = this.rungs - 1;
      const first = firstOf(rung);
      const last = counts[rung] - 1;
      let span = opened[rung] + 1;
      while (span < last && buckets.count(first + span) === 0) span++;
      opened[rung] = span;
      // All that comes later than the last span is in it, too: no more of it after that.
      if (span === last) this.rungs--;
      this.empty(first + span);
    }
  }

  /** A bucket's turn has come. */
  private empty(bucket: number): void {
    const { buckets } = this;
    const count = buckets.count(bucket);
    if (count <= MOST_SORTED) {
      this.sort(bucket);
      return;
    }
    buckets.move(bucket, ASIDE);
    const { least, mean } = buckets.spread(ASIDE);
    if (this.addRung(count, least, mean)) this.divide();
    else this.hurry();
  }

  private sort(bucket: number): void {
    const { buckets, times, places } = this;
    const { orders } = buckets;
    buckets.release();
    let end = 0;
    while (buckets.count(bucket) > 0) {
      buckets.take(bucket);
      if (this.lookAhead !== null) this.look(this.lookAhead);
      for (let place = buckets.begin; place < buckets.end; place++) {
        const time = buckets.times[place];
        let at = end++;
        for (; at > 0 && times[at - 1] >= time; at--) {
          if (times[at - 1] === time && orders[places[at - 1]] < orders[place]) break;
          times[at] = times[at - 1];
          places[at] = places[at - 1];
        }
        times[at] = time;
        places[at] = place;
      }
    }
    this.at = 0;
    this.end = end;
    this.waits -= end;
  }

  private look(ahead: LookAhead): void {
    const { nodes, items, begin, end } = this.buckets;
    for (let place = begin; place < end; place++) ahead.look(nodes[2 * place], items[place]);
  }

  /** Spreads what was put aside over the buckets of the finest rung. */
  private divide(): void {
    const { buckets } = this;
    while (buckets.count(ASIDE) > 0) {
      buckets.release();
      buckets.take(ASIDE);
      const { begin, end } = buckets;
      for (let place = begin; place < end; place++) buckets.moveTo(this.bucketOf(buckets.times[place]), place);
    }
  }

  /** What was put aside goes to the heap. */
  private hurry(): void {
    const { buckets, late } = this;
    const { times, orders, nodes } = buckets;
    this.waits -= buckets.count(ASIDE);
    while (buckets.count(ASIDE) > 0) {
      buckets.release();
      buckets.take(ASIDE);
      for (let place = buckets.begin; place < buckets.end; place++) {
        const [node, port] = [nodes[2 * place], nodes[2 * place + 1]];
        late.push(times[place], orders[place], node, port, buckets.removed(place));
      }
    }
    this.mostLate = 2 * late.size;
  }

  /** Too many are in the heap: they are divided, together with what is left of the opened bucket. */
  private divideLate(): void {
    const { late, buckets, places } = this;
    if (this.rungs === 0) buckets.extend(firstOf(0));
    this.waits += late.size + this.end - this.at;
    for (; this.at < this.end; this.at++) buckets.moveTo(ASIDE, places[this.at]);
    while (late.size > 0) {
      late.pop();
      buckets.add(ASIDE, late.time, late.order, late.node, late.port, late.item);
    }
    this.mostLate = MOST_LATE;
    const { least, mean } = buckets.spread(ASIDE);
    if (this.addRung(buckets.count(ASIDE), least, mean)) this.divide();
    else this.hurry();
    this.findNext();
  }

  /** Spans for this many events, the last one without an end; false where no spans would divide them. */
  private addRung(events: number, least: number, mean: number): boolean {
    const { rungs } = this;
    const count = Math.min(MOST_BUCKETS, Math.ceil(events / SHARE));
    const scale = count / (2 * (mean - least));
    if (rungs === MOST_RUNGS || !(scale > 0 && scale < Infinity)) return false;
    this.buckets.extend(firstOf(rungs) + count);
    this.starts[rungs] = least;
    this.scales[rungs] = scale;
    this.counts[rungs] = count;
    this.opened[rungs] = -1;
    this.rungs++;
    return true;
  }
}
