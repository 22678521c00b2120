/** Entries (time, slot) of events in no order, by bucket: linked chunks of a pool, written and read one after the other. */

/** A power of two. */
const CHUNK = 16;
const NONE = -1;

export class Buckets {
  times = new Float64Array(CHUNK);
  slots = new Int32Array(CHUNK);
  /** Where the entries are that `take` took. */
  begin = 0;
  end = 0;

  /** Of each bucket, side by side: how many entries it holds, and its newest chunk, the only one that need not be full. */
  private heads = new Int32Array(0);
  /** The chunk after a chunk, in its bucket or among those that are free. */
  private after = new Int32Array(1);
  private free = NONE;
  private used = 0;
  private taken = NONE;

  count(bucket: number): number {
    return this.heads[2 * bucket];
  }

  /** Makes sure that there are so many buckets. */
  extend(buckets: number): void {
    if (2 * buckets > this.heads.length) this.heads = enlarged(this.heads, new Int32Array(2 * buckets));
  }

  add(bucket: number, time: number, slot: number): void {
    const { heads } = this;
    const within = heads[2 * bucket]++ & (CHUNK - 1);
    if (within === 0) heads[2 * bucket + 1] = this.chunkBefore(heads[2 * bucket + 1]);
    const at = CHUNK * heads[2 * bucket + 1] + within;
    this.times[at] = time;
    this.slots[at] = slot;
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

  /** Moves all entries from one bucket to another one, which is empty. */
  move(from: number, to: number): void {
    const { heads } = this;
    heads[2 * to] = heads[2 * from];
    heads[2 * to + 1] = heads[2 * from + 1];
    heads[2 * from] = 0;
  }

  /** Takes some entries out of a bucket that is not empty; they can be read until the next call. */
  take(bucket: number): void {
    if (this.taken !== NONE) {
      this.after[this.taken] = this.free;
      this.free = this.taken;
    }
    const { heads } = this;
    const length = inNewest(heads[2 * bucket]);
    const chunk = heads[2 * bucket + 1];
    heads[2 * bucket] -= length;
    heads[2 * bucket + 1] = this.after[chunk];
    this.taken = chunk;
    this.begin = CHUNK * chunk;
    this.end = this.begin + length;
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
    this.slots = enlarged(this.slots, new Int32Array(CHUNK * chunks));
    this.after = enlarged(this.after, new Int32Array(chunks));
  }
}

/** How many of a bucket's entries are in its newest chunk. */
const inNewest = (count: number): number => ((count - 1) & (CHUNK - 1)) + 1;

/** The longer array, beginning with what the shorter one holds. */
function enlarged<A extends Float64Array | Int32Array>(shorter: A, longer: A): A {
  longer.set(shorter);
  return longer;
}
