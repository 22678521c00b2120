/** Rounds of the tournament by assembly/rounds.ts: the arrays of a trial, in linear memory, and the passes over them. */
import type { StreamKey } from "../../random/bulk.ts";
import { LinearMemory } from "../linear-memory.ts";

interface Functions {
  key(...key: StreamKey): void;
  askEvenly(
    ...of: [
      contenders: number,
      from: number,
      count: number,
      drawn: number,
      k: number,
      n: number,
      blocks: number,
      list: number,
    ]
  ): number;
  reach(list: number, size: number, marks: number): void;
  judge(list: number, size: number, marks: number): void;
  decide(list: number, size: number, contenders: number, areAll: boolean, ends: number): void;
  goingOn(): number;
  unheard(): number;
  refusals(): number;
  count(list: number, size: number, counts: number, most: number): boolean;
  judgeUntil(list: number, from: number, size: number, counts: number, coins: number): number;
  arrivals(): number;
  flipped(): number;
  drawPlaces(n: number, places: number): void;
  findPlace(places: number, i: number, bits: number): number;
}

interface RoundSizes {
  readonly n: number;
  readonly key: StreamKey;
  /** Of the first round; a later one that has more requests is played in JavaScript. */
  readonly requests: number;
  readonly loss: number;
}

export class AssembledRounds {
  /** Room for all; those that contend come first. Nothing is in it where all do and no round has been played. */
  readonly contenders: Int32Array<ArrayBuffer>;
  /** By node, the words it has drawn. */
  readonly counters: Uint16Array<ArrayBuffer>;
  readonly list: Int32Array<ArrayBuffer>;
  /** By mediator, for answers that may be lost; all 0 after each round. */
  readonly counts: Uint8Array<ArrayBuffer>;
  private readonly marks: Int32Array;
  /** A bit for each process, all 0. */
  private readonly bits: Int32Array;
  private readonly run: Functions;
  private readonly n: number;
  private areAll = true;

  private constructor(memory: LinearMemory<Functions>, { n, key, requests, loss }: RoundSizes) {
    const { buffer } = memory.run.memory;
    this.run = memory.run;
    this.n = n;
    this.contenders = new Int32Array(buffer, memory.place(n), n);
    this.counters = new Uint16Array(buffer, memory.place(n / 2), n);
    this.marks = new Int32Array(buffer, memory.place(marksOf(n)), loss > 0 ? 0 : marksOf(n));
    this.counts = new Uint8Array(buffer, memory.place(n / 4), loss > 0 ? n : 0);
    this.bits = new Int32Array(buffer, memory.place(n / 32), Math.ceil(n / 32));
    this.list = new Int32Array(buffer, memory.place(roomFor(requests)), roomFor(requests));
    if (!memory.isFresh) {
      this.counters.fill(0);
      this.counts.fill(0);
      this.bits.fill(0);
    }
    memory.run.key(...key);
  }

  /** Null where there is no WebAssembly. */
  static open(sizes: RoundSizes): AssembledRounds | null {
    const { n, requests } = sizes;
    const memory = LinearMemory.open<Functions>(8 * n + 4 * (marksOf(n) + roomFor(requests)) + 256);
    return memory === null ? null : new AssembledRounds(memory, sizes);
  }

  /** Only these contend. */
  start(nodes: Int32Array): void {
    this.contenders.set(nodes);
    this.areAll = false;
  }

  /** Writes all contenders where they are not written yet: for a round that is played in JavaScript. */
  writeOut(): void {
    for (let node = 0; this.areAll && node < this.n; node++) this.contenders[node] = node;
    this.areAll = false;
  }

  /** Whether so many contenders can ask k each: the draws of one have all the same number of bits. */
  canAsk(contending: number, k: number): boolean {
    return contending * k <= this.list.length && k < this.n && Math.clz32(this.n - k) === Math.clz32(this.n - 1);
  }

  /** As `Requests.askAll` where all ask as many; how many have asked before a counter would begin anew. */
  askEvenly(contending: number, k: number, blocks: number): number {
    const { run, areAll, contenders, counters, list, n } = this;
    const from = areAll ? 0 : contenders.byteOffset;
    return run.askEvenly(from, 0, contending, counters.byteOffset, k, n, blocks, list.byteOffset);
  }

  /** As `ReachMarks.judge`. */
  judge(size: number): void {
    const { run, list, marks } = this;
    marks.fill(0);
    run.reach(list.byteOffset, size, marks.byteOffset);
    run.judge(list.byteOffset, size, marks.byteOffset);
  }

  /** As `LossyMarks.count`. */
  count(size: number, most: number): boolean {
    return Boolean(this.run.count(this.list.byteOffset, size, this.counts.byteOffset, most));
  }

  /** As `LossyMarks.judge`, from a request on, as far as nothing is lost within this many coins. */
  judgeUntil(
    from: number,
    size: number,
    coins: number,
  ): { readonly end: number; readonly arrived: number; readonly flipped: number } {
    const { run, list, counts } = this;
    const end = run.judgeUntil(list.byteOffset, from, size, counts.byteOffset, coins);
    return { end, arrived: run.arrivals(), flipped: run.flipped() };
  }

  /** Contenders go on or not, as `Exchanges.decide` says. */
  decide(size: number, ends: number): { readonly left: number; readonly late: Int32Array; readonly refused: number } {
    const { run, list, contenders } = this;
    run.decide(list.byteOffset, size, contenders.byteOffset, this.areAll, ends);
    this.areAll = false;
    return { left: run.goingOn(), late: list.subarray(0, run.unheard()), refused: run.refusals() };
  }

  /** Room for n numbers, once no round is played any more and the contenders are elsewhere. */
  get spare(): Int32Array<ArrayBuffer> {
    return this.list.length < this.n ? this.contenders : this.list;
  }

  /**
   * What `permutation` of subsets.ts has at a few places, for the stream of a key. At step i it moves what is at a place up to i to i, and puts i+1 there: so
   * the last step that touches a place says what is in it, or at which place to go on before. Takes the spare room.
   */
  permuted(key: StreamKey, places: Int32Array): number[] {
    const { run, n, bits } = this;
    const drawn = this.spare;
    run.key(...key);
    run.drawPlaces(n, drawn.byteOffset);
    const values: number[] = [];
    // By place that is looked for: for whom.
    const wanted = new Map(Array.from(places, (place, i) => [place, i]));
    const turn = (place: number) => {
      bits[place >>> 5] ^= 1 << (place & 31);
    };
    for (const place of places) turn(place);
    for (let step = n - 1; wanted.size > 0; step--) {
      step = run.findPlace(drawn.byteOffset, step, bits.byteOffset);
      const from = step === 0 ? 0 : drawn[step];
      const found = wanted.get(from);
      if (found !== undefined) {
        values[found] = step + 1;
        wanted.delete(from);
        turn(from);
      }
      const moved = wanted.get(step);
      if (moved === undefined) continue;
      wanted.delete(step);
      turn(step);
      wanted.set(from, moved);
      turn(from);
    }
    return values;
  }
}

const marksOf = (n: number): number => 2 * Math.ceil(n / 32);
/** Later rounds have fewer requests, but for chance. */
const roomFor = (requests: number): number => Math.ceil(1.1 * requests) + 64;
