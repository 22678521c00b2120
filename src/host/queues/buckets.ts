/** Events in no order, by bucket: linked chunks of a pool, written and read one after the other. */

/** A power of two. */
const CHUNK = 16;
const NONE = -1;

export class Buckets<X> {
  /** The events at the places of the pool, in parallel arrays. An event's node and port are neighbours in `nodes`. */
  times = new Float64Array(CHUNK);
  orders = new Float64Array(CHUNK);
  nodes = new Int32Array(2 * CHUNK);
  items: (X | undefined)[] = new Array(CHUNK).fill(undefined);
  /** The range of places of the events that `take` took. */
  begin = 0;
  end = 0;

  /** Two numbers of each bucket: how many events it holds, and its newest chunk, the only one that may not be full. */
  private heads = new Int32Array(0);
  /** The chunk after a chunk: in its bucket, among those that were taken, or among those that are free. */
  private after = new Int32Array(1);
  private free = NONE;
  private used = 0;
  private taken = NONE;

  count(bucket: number): number {
    return this.heads[2 * bucket];
  }

  /** Makes sure that there are this many buckets. */
  extend(buckets: number): void {
    if (2 * buckets > this.heads.length) this.heads = enlarged(this.heads, new Int32Array(2 * buckets));
  }

  add(bucket: number, time: number, order: number, node: number, port: number, item: X): void {
    const { heads } = this;
    const within = heads[2 * bucket]++ & (CHUNK - 1);
    if (within === 0) heads[2 * bucket + 1] = this.chunkBefore(heads[2 * bucket + 1]);
    const at = CHUNK * heads[2 * bucket + 1] + within;
    this.times[at] = time;
    this.orders[at] = order;
    this.nodes[2 * at] = node;
    this.nodes[2 * at + 1] = port;
    this.items[at] = item;
  }

  /** Moves the event at a place of the pool into a bucket. */
  moveTo(bucket: number, at: number): void {
    this.add(bucket, this.times[at], this.orders[at], this.nodes[2 * at], this.nodes[2 * at + 1], this.removed(at));
  }

  /** The item of the event at a place, which is removed there. */
  removed(at: number): X {
    const item = this.items[at] as X;
    this.items[at] = undefined;
    return item;
  }

  /** The earliest time of a bucket, and the mean of all. */
  spread(bucket: number): { readonly least: number; readonly mean: number } {
    const count = this.count(bucket);
    let [least, sum] = [Infinity, 0];
    let chunk = this.heads[2 * bucket + 1];
    for (let left = count; left > 0; chunk = this.after[chunk]) {
      const begin = CHUNK * chunk;
      const end = begin + inNewest(left);
      left -= end - begin;
      for (let at = begin; at < end; at++) {
        const time = this.times[at];
        if (time < least) least = time;
        sum += time;
      }
    }
    return { least, mean: sum / count };
  }

  /** Moves all events from one bucket to another one, which is empty. */
  move(from: number, to: number): void {
    const { heads } = this;
    heads[2 * to] = heads[2 * from];
    heads[2 * to + 1] = heads[2 * from + 1];
    heads[2 * from] = 0;
  }

  /** Takes some events out of a bucket that is not empty; they stay at their places until `release`. */
  take(bucket: number): void {
    const { heads } = this;
    const length = inNewest(heads[2 * bucket]);
    const chunk = heads[2 * bucket + 1];
    heads[2 * bucket] -= length;
    heads[2 * bucket + 1] = this.after[chunk];
    this.after[chunk] = this.taken;
    this.taken = chunk;
    this.begin = CHUNK * chunk;
    this.end = this.begin + length;
  }

  /** Frees the places of all events that were taken. */
  release(): void {
    while (this.taken !== NONE) {
      const chunk = this.taken;
      this.taken = this.after[chunk];
      this.after[chunk] = this.free;
      this.free = chunk;
    }
  }

  private chunkBefore(next: number): number {
    let chunk = this.free;
    if (chunk !== NONE) this.free = this.after[chunk];
    else {
      chunk = this.used++;
      if (chunk === this.after.length) this.grow();
    }
    this.after[chunk] = next;
    return chunk;
  }

  private grow(): void {
    const chunks = 2 * this.after.length;
    this.times = enlarged(this.times, new Float64Array(CHUNK * chunks));
    this.orders = enlarged(this.orders, new Float64Array(CHUNK * chunks));
    this.nodes = enlarged(this.nodes, new Int32Array(2 * CHUNK * chunks));
    this.after = enlarged(this.after, new Int32Array(chunks));
    while (this.items.length < CHUNK * chunks) this.items.push(undefined);
  }
}

/** How many of a bucket's events are in its newest chunk. */
const inNewest = (count: number): number => ((count - 1) & (CHUNK - 1)) + 1;

/** The longer array, with the elements of the shorter one copied to its beginning. */
function enlarged<A extends Float64Array | Int32Array>(shorter: A, longer: A): A {
  longer.set(shorter);
  return longer;
}
