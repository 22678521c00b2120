/**
 * Where draws come from. A node's draws are addressed by (seed, trial, node, index), a host's own draws by
 * (seed, trial, purpose, index): results never depend on the order of evaluation, on threads or on machines.
 */
import { bulk, LEAST_BLOCKS, MOST_BLOCKS, type StreamKey } from "./bulk.ts";
import { Source } from "./source.ts";
import { threefry } from "./threefry.ts";

/** The host's own streams. Numbers are part of every pinned result: add, never renumber. 0 is the nodes'. */
export const PURPOSE = {
  ids: 1,
  initiators: 2,
  candidates: 3,
  crashes: 4,
  losses: 5,
  delays: 6,
  timers: 7,
  topology: 8,
  election: 9,
  wakes: 10,
  duplicates: 11,
  spikes: 12,
  reorders: 13,
  clocks: 14,
  plan: 15,
  schedule: 16,
} as const;

export type Purpose = keyof typeof PURPOSE;

const NODES = 0;
const WRAP = 2 ** 16;

export const streamKey = (seed: number, trial: number, domain: number): StreamKey => [
  seed >>> 0,
  Math.floor(seed / 2 ** 32),
  trial,
  domain,
];

export const nodesKey = (seed: number, trial: number): StreamKey => streamKey(seed, trial, NODES);

/** Streams whose draws are likely to go on are computed so many blocks ahead, and no more. */
const MOST_AHEAD = 256;

/** A stream that is read in order: block by block at first, and the further it has been read, the more blocks at once. */
abstract class OrderedSource extends Source {
  private readonly key: StreamKey;
  private buffer = new Uint32Array(4);
  private next = 4;
  private end = 4;
  /** Computed so far. */
  private blocks = 0;

  protected constructor(key: StreamKey) {
    super();
    this.key = key;
  }

  /** The node, where blocks are counted in the second word of the counter; null: they are counted in both. */
  protected abstract readonly node: number | null;

  word(): number {
    if (this.next === this.end) this.compute();
    return this.buffer[this.next++];
  }

  /** How many words have been read. */
  get place(): number {
    return 4 * this.blocks - this.end + this.next;
  }

  /** Remembers where the stream is; the answer goes back there. */
  save(): () => void {
    const { place } = this;
    return () => {
      this.blocks = Math.floor(place / 4);
      this.compute();
      this.next = place % 4;
    };
  }

  private compute(): void {
    const { key, node, blocks } = this;
    const low = node ?? blocks >>> 0;
    const high = node === null ? Math.floor(blocks / 2 ** 32) : blocks;
    const ahead = blocksAhead(blocks);
    if (this.buffer.length < 4 * ahead) this.buffer = new Uint32Array(4 * ahead);
    if (ahead === 1) threefry(this.buffer, key[0], key[1], key[2], key[3], low, high, 0, 0);
    else {
      const many = bulk();
      many.words(key, low, high, node !== null, ahead);
      this.buffer.set(many.out.subarray(0, 4 * ahead));
    }
    this.blocks += ahead;
    this.next = 0;
    this.end = 4 * ahead;
  }
}

/** The largest power of two that divides the number of blocks: so chunks double, and none begins below a multiple of 2^32 and ends above. */
function blocksAhead(blocks: number): number {
  const rest = blocks === 0 ? 1 : blocks % MOST_AHEAD || MOST_AHEAD;
  const ahead = rest & -rest;
  return ahead < LEAST_BLOCKS ? 1 : ahead;
}

/** One of the host's streams, read in order. */
export class HostStream extends OrderedSource {
  protected readonly node = null;

  constructor(seed: number, trial: number, purpose: Purpose) {
    super(streamKey(seed, trial, PURPOSE[purpose]));
  }
}

/** A node that goes on drawing gets so many blocks at once, at most. */
const MOST_OF_NODE = 64;

/** Every node's stream; set `node`, then draw. Costs a counter of two bytes per node. */
export class NodeStreams extends Source {
  node = 0;
  private readonly key: StreamKey;
  private readonly drawn: Uint16Array;
  /** How often the counter of a node has begun anew, for the few that have drawn so much. */
  private wraps = new Map<number, number>();
  /** What has been computed last: words of a node from a block on, so many blocks, and where they are. */
  private computed = -1;
  private first = 0;
  private blocks = 0;
  private at = 0;
  private words: Uint32Array;
  private readonly own = new Uint32Array(4 * MOST_OF_NODE);
  /** By node that was prepared: its first block; all of them have as many. */
  private firsts = new Uint32Array(0);
  private prepared = new Uint32Array(0);
  private blocksEach = 0;

  /** `drawn`: room for the counters, all 0. */
  constructor(seed: number, trial: number, nodes: number, drawn = new Uint16Array(nodes)) {
    super();
    this.key = nodesKey(seed, trial);
    this.drawn = drawn;
    this.words = this.own;
  }

  word(): number {
    const { node } = this;
    const index = this.indexOf(node);
    if (++this.drawn[node] === WRAP) this.wraps.set(node, (this.wraps.get(node) ?? 0) + 1);
    let ahead = (index >>> 2) - this.first;
    if (this.computed !== node || ahead < 0 || ahead >= this.blocks) {
      this.compute(node, index >>> 2);
      ahead = 0;
    }
    return this.words[this.at + 4 * ahead + (index & 3)];
  }

  /** Computes what the nodes from a place of a list on are likely to draw next; `turnTo` then chooses one of them. Says how many. */
  prepare(nodes: Int32Array, from: number, to: number, blocksEach: number): number {
    const many = bulk();
    const count = Math.min(to - from, Math.floor(MOST_BLOCKS / blocksEach));
    if (this.prepared.length === 0) {
      this.prepared = new Uint32Array(4 * MOST_BLOCKS);
      this.firsts = new Uint32Array(MOST_BLOCKS);
    }
    let block = 0;
    for (let i = 0; i < count; i++) {
      const node = nodes[from + i];
      const first = this.indexOf(node) >>> 2;
      this.firsts[i] = first;
      for (let next = 0; next < blocksEach; next++) {
        many.lows[block] = node;
        many.highs[block++] = first + next;
      }
    }
    many.wordsOfEach(this.key, LEAST_BLOCKS * Math.ceil(block / LEAST_BLOCKS));
    this.prepared.set(many.out.subarray(0, 4 * block));
    this.blocksEach = blocksEach;
    this.computed = -1;
    return count;
  }

  /** The next draws are those of a node, the i-th of those prepared. */
  turnTo(node: number, i: number): void {
    this.node = node;
    this.computed = node;
    this.first = this.firsts[i];
    this.blocks = this.blocksEach;
    this.words = this.prepared;
    this.at = 4 * this.blocksEach * i;
  }

  /** Whether the counters say all: none of them has begun anew. */
  get areCounted(): boolean {
    return this.wraps.size === 0;
  }

  /** The words of those prepared, as many of each; the first of them that a node has not drawn yet is the one at its `offset`. */
  get ready(): Uint32Array {
    return this.prepared;
  }

  get wordsEach(): number {
    return 4 * this.blocksEach;
  }

  offset(node: number): number {
    return this.drawn[node] & 3;
  }

  /** A node has taken so many of its words from `ready`. */
  skip(node: number, words: number): void {
    const { drawn } = this;
    if (drawn[node] + words >= WRAP) this.wraps.set(node, (this.wraps.get(node) ?? 0) + 1);
    drawn[node] += words;
  }

  private indexOf(node: number): number {
    return this.wraps.size === 0 ? this.drawn[node] : this.drawn[node] + WRAP * (this.wraps.get(node) ?? 0);
  }

  private compute(node: number, block: number): void {
    const { key, own } = this;
    const goesOn = this.computed === node && block === this.first + this.blocks;
    // Most draw little, so it takes a second block in a row to be given more than one.
    this.blocks = goesOn ? Math.min(MOST_OF_NODE, Math.max(LEAST_BLOCKS, 2 * this.blocks)) : 1;
    if (this.blocks === 1) threefry(own, key[0], key[1], key[2], key[3], node, block, 0, 0);
    else {
      const many = bulk();
      many.words(key, node, block, true, this.blocks);
      own.set(many.out.subarray(0, 4 * this.blocks));
    }
    this.words = own;
    this.at = 0;
    this.computed = node;
    this.first = block;
  }

  /** Remembers where every node's stream is; the answer goes back there. */
  save(): () => void {
    const drawn = this.drawn.slice();
    const wraps = [...this.wraps];
    return () => {
      this.drawn.set(drawn);
      this.wraps = new Map(wraps);
    };
  }
}

/** The stream of one node, from its first draw on: for a caller that knows that nothing else draws from it. */
export class NodeStream extends OrderedSource {
  protected readonly node: number;

  constructor(seed: number, trial: number, node: number) {
    super(nodesKey(seed, trial));
    this.node = node;
  }
}
