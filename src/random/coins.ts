/**
 * Coins of one chance from one of the host's streams: what `coin(p)` of that stream says, one after the other. Computed many at a time and kept as the
 * places where one came up, so that where few do a coin costs a subtraction.
 */
import { bulk, LEAST_BLOCKS, MOST_BLOCKS, type StreamKey } from "./bulk.ts";
import { PURPOSE, type Purpose, streamKey } from "./streams.ts";

export class Coins {
  /** So many come next that do not come up. */
  private tails = 0;
  private readonly key: StreamKey;
  private readonly limitHigh: number;
  private readonly limitLow: number;
  private blocks = 0;
  /** Where coins came up in the chunk, how many of these there are, which is next, and how many coins the chunk has. */
  private places = new Uint32Array(0);
  private found = 0;
  private next = 0;
  private size = 0;

  constructor(seed: number, trial: number, purpose: Purpose, p: number) {
    this.key = streamKey(seed, trial, PURPOSE[purpose]);
    // A uniform number is one of 2^53, and below p where that is below p * 2^53, rounded up.
    const limit = Math.ceil(Math.min(1, Math.max(0, p)) * 2 ** 53);
    this.limitHigh = Math.floor(limit / 2 ** 26);
    this.limitLow = limit % 2 ** 26;
  }

  /** Whether the next one comes up. */
  flip(): boolean {
    if (this.tails > 0) {
      this.tails--;
      return false;
    }
    while (this.next === this.found) {
      this.compute();
      if (this.tails === 0) continue;
      this.tails--;
      return false;
    }
    const place = this.places[this.next++];
    this.tails = this.until(place + 1);
    return true;
  }

  /** Flips so many at once: acts on the places among them of those that come up. */
  each(count: number, act: (place: number) => void): void {
    for (let place = 0; ; place++) {
      if (this.tails >= count - place) {
        this.tails -= count - place;
        return;
      }
      place += this.tails;
      this.tails = 0;
      if (this.flip()) act(place);
    }
  }

  /** So many at least come next that do not come up. */
  get ahead(): number {
    return this.tails;
  }

  /** Flips so many if none of them comes up; otherwise none. Says no also where it does not know yet. */
  pass(count: number): boolean {
    if (this.tails < count) return false;
    this.tails -= count;
    return true;
  }

  private compute(): void {
    const { key, blocks, limitHigh, limitLow } = this;
    const many = bulk();
    const ahead = Math.min(MOST_BLOCKS, Math.max(LEAST_BLOCKS, blocks));
    this.found = many.coins(key, blocks >>> 0, Math.floor(blocks / 2 ** 32), ahead, limitHigh, limitLow);
    if (this.places.length < this.found) this.places = new Uint32Array(2 * ahead);
    this.places.set(many.out.subarray(0, this.found));
    this.next = 0;
    this.size = 2 * ahead;
    this.blocks += ahead;
    this.tails = this.until(0);
  }

  /** From a place to the next coin that comes up, or to the end of the chunk. */
  private until(place: number): number {
    return (this.next < this.found ? this.places[this.next] : this.size) - place;
  }
}
